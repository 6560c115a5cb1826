"""The cases, the shapes of replies, and that the page says what is recorded."""

from __future__ import annotations

import re

import pytest

from evalfixes.verdicts.segments import uncovered
from tests.realjudge import report, shapes
from tests.realjudge.cases import CASES, RUBRICS
from tests.realjudge.evidence import evaluations
from tests.realjudge.judge import MODELS, RECORDINGS, loops

FOUND = [one for model in MODELS for one in evaluations(model)]


def test_a_third_of_the_answers_is_true_and_the_others_have_one_false_claim() -> None:
    assert len(CASES) >= 60
    assert sum(case.true for case in CASES) == len(CASES) // 3
    assert len({case.answer for case in CASES}) == len(CASES)
    assert all(len(case.sentences) > 1 for case in CASES)


def test_the_page_says_what_is_recorded() -> None:
    old = report.PAGE.read_text(encoding="utf-8")
    assert report.page(old) == old, "run `nox -s realjudge`"


def test_no_false_pass_is_left() -> None:
    assert report.false_passes(FOUND, "upstream")
    assert report.false_passes(FOUND, report.FIXED) == []


def test_a_complete_reply_costs_not_one_call_more() -> None:
    for one in FOUND:
        # Of more verdicts than items nobody knows which belong to which: they are asked for again.
        plain = one.evidence and all(reply.shape != shapes.EXTRA for reply in one.replies())
        if "rejudge2" in one.outcomes and not one.unscored("rejudge0") and plain:
            assert one.calls("rejudge2") == one.calls("upstream"), one


def test_recordings_stay_small() -> None:
    assert sum(path.stat().st_size for path in RECORDINGS.iterdir()) < 1_500_000


FORMS = {
    "as it is": lambda said: said,
    "one segment": lambda said: [" ".join(said)],
    "numbered": lambda said: [f"{number}. {text}" for number, text in enumerate(said, 1)],
    "bulleted": lambda said: [f"* {text}" for text in said],
    "bold": lambda said: [f"**{text}**" for text in said],
    "quoted": lambda said: [f'"{text}"' for text in said],
    "without full stops": lambda said: [text.rstrip(".") for text in said],
    "in clauses": lambda said: [part for text in said for part in re.split(r"(?<=,)\s", text)],
    "on lines": lambda said: [f"\n{text}\n" for text in said],
    "in capitals": lambda said: [text.upper() for text in said],
}


@pytest.mark.parametrize("form", FORMS)
def test_no_honest_segmentation_is_refused(form: str) -> None:
    for case in CASES:
        segments = FORMS[form](list(case.sentences))
        answer = "\n".join(segments) if form == "numbered" else case.answer
        assert uncovered(answer, segments) == ""


def test_the_models_own_honest_segmentations_are_not_refused() -> None:
    honest = [one for one in report.segmentations(FOUND) if report.honest(*one)]
    assert [one for one in honest if shapes.segments(one[1], one[0]) not in shapes.USABLE] == []


A, B = "It is red.", "It is round."


def block(sentence: str, label: str, *more: str) -> str:
    rest = ("rationale: r", "supporting_excerpt: null", "contradicting_excerpt: null")
    return "\n".join([f"sentence: {sentence}", f"label: {label}", *(more or rest)])


@pytest.mark.parametrize(
    ("reply", "shape"),
    [
        (f"{block(A, 'supported')}\n\n{block(B, 'unsupported')}", shapes.COMPLETE),
        (f"{block(A, '**supported**')}\n\n{block(B, 'unsupported', 'rationale: r')}", shapes.ODD),
        (block(A, "supported"), shapes.LEFT_OUT),
        (f"{block(A, 'supported')}\n\n{block(B, 'maybe')}", shapes.LEFT_OUT),
        (f"{block(A, 'supported')}\n{block('It is big.', 'supported')}\n{block(B, 'supported')}", shapes.EXTRA),
        (block("It is big.", "supported"), shapes.UNREADABLE),
        ("Both are fine.", shapes.UNREADABLE),
        (f"{block(A, 'supported')}\n{block(A, 'disputed')}", shapes.UNREADABLE),
    ],
)
def test_shapes_of_labels(reply: str, shape: str) -> None:
    assert shapes.labels(reply, [A, B]) == shape


@pytest.mark.parametrize(
    ("reply", "shape"),
    [
        (f"<sentence>{A}</sentence>\n<sentence>{B}</sentence>", shapes.COMPLETE),
        (f"Here: <sentence>{A} {B}</sentence>", shapes.ODD),
        (f"<sentence>{A}</sentence>", shapes.LEFT_OUT),
        ("<sentence>Apples are red.</sentence>", shapes.UNREADABLE),
        (f"<sentence>{A}", shapes.UNREADABLE),
    ],
)
def test_shapes_of_segments(reply: str, shape: str) -> None:
    assert shapes.segments(reply, f"{A} {B}") == shape


@pytest.mark.parametrize(
    ("reply", "shape"),
    [
        ('{"reasoning": "r", "is_the_agent_response_valid": "invalid"}', shapes.COMPLETE),
        ('```json\n{"is_the_agent_response_valid": "valid",}\n```', shapes.ODD),
        ('{"is_the_agent_response_valid": "valid", "is_the_agent_response_valid": "invalid"', shapes.UNREADABLE),
        ('{"is_the_agent_response_valid": "Yes."}', shapes.UNREADABLE),
    ],
)
def test_shapes_of_a_match(reply: str, shape: str) -> None:
    assert shapes.match(reply) == shape


@pytest.mark.parametrize(
    ("reply", "shape"),
    [
        ('{"verdicts": [{"verdict": "yes"}, {"verdict": "no", "reason": "r"}]}', shapes.COMPLETE),
        ('{"verdicts": [{"verdict": "Yes."}, {"verdict": "no"},]}', shapes.ODD),
        ('{"verdicts": [{"verdict": "yes"}]}', shapes.LEFT_OUT),
        ('{"verdicts": [{"verdict": "yes", "reason": "r", "verdict": "no"}, {"verdict": "no"}]}', shapes.LEFT_OUT),
        ('{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}, {"verdict": "no"}]}', shapes.EXTRA),
        ('{"verdicts": [{"verdict": "yes"', shapes.UNREADABLE),
    ],
)
def test_shapes_of_verdicts(reply: str, shape: str) -> None:
    assert shapes.verdicts(reply, 2) == shape


def test_shapes_of_rubrics() -> None:
    first, second = ("\n".join([f"ID: {n}", f"Property: {t}", "Rationale: r", "Verdict: yes"]) for n, t in RUBRICS)
    assert shapes.rubric(f"{first}\n\n{second}", RUBRICS) == shapes.COMPLETE
    assert shapes.rubric(f"{first}\n\n{second.replace('Verdict: yes', '**Verdict:** Yes.')}", RUBRICS) == shapes.ODD
    assert shapes.rubric(first, RUBRICS) == shapes.LEFT_OUT
    assert shapes.rubric("All good.", RUBRICS) == shapes.UNREADABLE


def test_a_reply_that_goes_round_in_circles_is_cut_off() -> None:
    assert loops("a\nb\nb\nb\nb")
    assert not loops("a\nb\nb\nc")
    assert loops("It is so. " + 4 * "It is not possible. ")
    assert not loops("It is so. " + 3 * "It is not possible. ")
    assert not loops("a\nb\nb\n")
