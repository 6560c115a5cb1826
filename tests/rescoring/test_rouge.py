"""ROUGE-1, bit for bit that of google-adk."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalfixes.rescoring.rouge import rouge_1

pytest.importorskip("nltk")

TEXTS = (
    "",
    "Paris",
    "The capital of France is Paris, and it has been for centuries.",
    "It runs running runners ran; universities' universal, relational, conditional",
    "İstanbul ﬁne ½ Straße",
    "東京は日本の首都です Tokyo",
    "กรุงเทพมหานคร is Bangkok",
    "नई दिल्ली भारत की राजधानी है",
    "a\u0301 e\u0301t\u00e9 caf\u00e9 naïve",
    "1,000.50 x2 y_2",
)

WORDS = ["running", "runs", "ran", "the", "Paris", "東京", "ไทย", "naïve", "cafés", "İ", "ß", "universities", "a", "12"]
words = st.lists(st.sampled_from(WORDS), max_size=12)
texts = st.one_of(st.sampled_from(TEXTS), st.text(max_size=60), words.map(" ".join))


# Measured on google-adk 2.13.0 (unicode) and 2.5.0 (ascii).
@pytest.mark.parametrize(
    "answer, reference, tokenizer, score",
    [
        ("Paris is nice", "Paris was nice", "unicode", 2 / 3),
        ("東京です", "東京", "unicode", 2 / 3),
        ("東京です", "東京", "ascii", 0.0),
        ("running", "runs", "ascii", 1.0),
        ("", "", "unicode", 0.0),
    ],
)
def test_known_scores(answer, reference, tokenizer, score):
    assert rouge_1(answer, reference, tokenizer) == score


@settings(deadline=None)  # the first example imports
@given(texts, texts)
def test_ascii_equals_rouge_score(answer, reference):
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1"], use_stemmer=True)
    assert rouge_1(answer, reference, "ascii") == scorer.score(reference, answer)["rouge1"].fmeasure


@settings(deadline=None)
@given(texts, texts)
def test_equals_the_installed_google_adk(answer, reference):
    module = pytest.importorskip("google.adk.evaluation.final_response_match_v1")
    tokenizer = "unicode" if hasattr(module, "_UnicodeAwareTokenizer") else "ascii"
    assert rouge_1(answer, reference, tokenizer) == module._calculate_rouge_1_scores(answer, reference).fmeasure


@settings(deadline=None)
@given(texts, texts)
def test_symmetric_and_bounded(answer, reference):
    for tokenizer in ("ascii", "unicode"):
        score = rouge_1(answer, reference, tokenizer)
        assert 0.0 <= score <= 1.0
        assert score == rouge_1(reference, answer, tokenizer)
