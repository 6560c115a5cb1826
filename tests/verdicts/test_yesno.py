"""Reading a yes/no verdict."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.yesno import YES_NO, read

THREE = ("yes", "no", "borderline")

PLAIN = [
    ("{}", "bare"),
    (" {} ", "spaces"),
    ("**{}**", "bold"),
    ("__{}__", "underlined"),
    ("*{}*", "italic"),
    ("`{}`", "backticks"),
    ('"{}"', "quotes"),
    ("'{}'", "single quotes"),
    ("“{}”", "curly quotes"),
    ("„{}“", "low quotes"),
    ("‚{}‘", "low single quotes"),
    ("‹{}›", "single angle quotes"),
    ("«{}»", "angle quotes"),
    ("「{}」", "corner brackets"),
    ("({})", "brackets"),
    ("[{}]", "square brackets"),
    ("{}.", "full stop"),
    ("{}!", "exclamation"),
    ("**{}.**", "bold with its full stop"),
    ("\u200b{}\ufeff", "invisible characters"),
    ("{}\n", "line end"),
    ("{}, the reply keeps to it.", "a reason after a comma"),
    ("**{}**, the reply keeps to it.", "bold, then a reason"),
    ("{}. It keeps to it.", "a sentence of its own"),
    ("{}: it keeps to it", "colon"),
    ("{}; it keeps to it", "semicolon"),
    ("{} - it keeps to it", "hyphen"),
    ("{} – it keeps to it", "en dash"),
    ("{} — it keeps to it", "em dash"),
    ("{}\nIt keeps to it", "next line"),
    ("{} (see the second line)", "in brackets"),
    ("{} it keeps to it", "no punctuation"),
    ("{} because the reply says so", "because"),
    ("{} the model was clear", "the"),
    ("{}, there is no mention of a licence", "a noun with no"),
    ("{}, no doubt", "no doubt, after the answer"),
    ("{}, the user said they would come", "said"),
]


@pytest.mark.parametrize("word", YES_NO)
@pytest.mark.parametrize("form", [form for form, _ in PLAIN], ids=[name for _, name in PLAIN])
@pytest.mark.parametrize("case", [str, str.upper, str.title], ids=["as is", "upper", "title"])
def test_plain_but_odd_forms_are_read(word, form, case):
    assert read(form.format(case(word))) == word


@pytest.mark.parametrize(("raw", "word"), [(True, "yes"), (False, "no"), ("true", "yes"), ("**False**", "no")])
def test_booleans_are_read(raw, word):
    assert read(raw) == word
    assert read(f"{raw}.") == word


@pytest.mark.parametrize(
    "raw",
    [
        "No doubt, yes it did",
        "No doubt, this is a clear violation",
        "No question: it is a violation",
        "No violation",
        "No issues found",
        "no longer",
        "No one can say",
        "no problem, yes",
        "yes and no",
        "Yes and no, it is contradicted",
        "yes or no",
        "yes/no",
        "yes|no",
        "yes, no",
        "yes but no",
        "Yes, but actually no",
        "No, I mean yes",
        "No. Yes.",
        "No, wait, yes",
        "no - yes",
        "No (yes)",
        "No. The answer is yes.",
        "Yes. Final verdict: no",
        "yes no",
        "Yes? No.",
        "Not yes",
        "Definitely yes",
        "Probably no",
        "violation",
        "incorrect",
        "compliant",
        "unknown",
        "n/a",
        "y",
        "n",
        "nope",
        "yep",
        "yesterday",
        "none",
        "nothing",
        "not",
        "idk",
        "borderline",
        "yes-ish",
        "1",
        "0",
        "",
        " ",
        "...",
        "**",
        "уes",  # the first letter is Cyrillic
        "~~yes~~ no",
        "true, mostly",
        "no/yes",
        "yes: false",
        "Yes. False.",
        "no (true)",
        "yes, idk",
        "No - borderline",
        "❌ yes",
        "no ✅",
        "✅",
        "✅ yes ❌",
        "yes 🤔",
        "🎉 yes",
        None,
        1,
        0,
        1.0,
        [],
        ["yes"],
        {"verdict": "yes"},
    ],
)
def test_what_must_be_guessed_is_missing(raw):
    assert read(raw) is None


@pytest.mark.parametrize(("raw", "word"), [("✅ Yes", "yes"), ("No ❌", "no"), ("✔️ yes, it ❌ does", "yes")])
def test_a_sign_beside_the_word_may_agree_with_it(raw, word):
    assert read(raw) == word


@pytest.mark.parametrize("raw", ["borderline", "IDK", "**idk**", "Borderline, it is partly supported"])
def test_a_third_word_is_read_where_it_is_allowed(raw):
    assert read(raw, THREE) == "borderline"


@given(st.sampled_from(YES_NO), st.text(max_size=30))
def test_a_word_never_turns_into_its_opposite(word, tail):
    assert read(word + tail) in (word, None)


@given(st.text(max_size=40))
def test_text_that_does_not_begin_with_the_word_is_never_read(text):
    result = read(text)
    if result is not None:
        letters = "".join(c for c in text.lower() if c in string.ascii_letters)
        assert letters.startswith({"yes": ("yes", "true"), "no": ("no", "false")}[result]) or not text.isascii()


@given(
    st.sampled_from(YES_NO), st.sampled_from(YES_NO), st.sampled_from([", ", ". ", "; ", " - ", "\n", " and ", " but "])
)
def test_two_answers_are_one_only_if_they_agree(first, second, joint):
    result = read(f"{first}{joint}{second}")
    assert result in ((first, None) if first == second else (None,))


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_nothing_raises(raw):
    assert read(raw, THREE) in (None, *THREE)
