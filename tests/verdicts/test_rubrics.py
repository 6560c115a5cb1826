from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.rubrics import Answer, read, read_verdict

A, B = ("a", "The answer is short."), ("b", "The answer is correct.")


def block(rubric: tuple[str, str], verdict: str) -> str:
    return f"ID: {rubric[0]}\nProperty: {rubric[1]}\nEvidence: e\nRationale: r\nVerdict: {verdict}\n"


def scores(reply: str) -> list[float | None]:
    return [answer.score for answer in read(reply, [A, B]).values()]


BOTH = block(A, "yes") + "\n" + block(B, "no")


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes",
        "YES.",
        "**yes**",
        "`yes`",
        '"yes",',
        "[yes]",
        "(Yes)",
        "yes!",
        "Yes, because it is.",
        "Yes — as asked",
        "Yes the agent did",
        "✅ yes",
        "Yes; there is no error in it",
        "- yes",
    ],
)
def test_plain_yes(text: str) -> None:
    assert read_verdict(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "No.",
        "**NO**",
        "[no]",
        "No, because it is long.",
        "No. Yesterday it was.",
        "no - it does not",
        "No because …",
        "no, it does not say yes to everything",
        "❌ No",
    ],
)
def test_plain_no(text: str) -> None:
    assert read_verdict(text) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "N/A",
        "Not applicable",
        "unknown",
        "none",
        "yes|no",
        "[yes|no]",
        "Yes/No",
        "yes or no",
        "yes and no",
        "yes?",
        "No doubt, yes",
        "No problem",
        "No issues found",
        "Yes, but only in part",
        "partially",
        "Yes, to some extent",
        "maybe",
        "No, wait, yes",
        "Yes. Actually no",
        "Yesterday",
        "Nobody",
        "not yes",
        "true",
        "1.0",
        "yes, no",
        "mostly yes",
    ],
)
def test_no_plain_verdict(text: str) -> None:
    assert read_verdict(text) is None


@pytest.mark.parametrize(
    "reply",
    [
        BOTH,
        BOTH.replace("\n", "\r\n"),
        BOTH.replace("Verdict:", "**Verdict:**").replace("ID:", "**ID**:"),
        BOTH.replace("ID: a\n", "").replace("ID: b\n", ""),
        BOTH.replace(A[1], "short").replace(B[1], "correct"),
        BOTH.replace("ID: a", "id: `a`").replace("ID: b", "ID: [b]"),
        BOTH.replace("Rationale: r\n", "").replace("Evidence: e\n", ""),
        BOTH.replace("Rationale: r\nVerdict", "Rationale: r. Verdict"),
        BOTH.replace(A[1], f"“{A[1]}”").replace("ID: a\n", ""),
        BOTH.replace(f"ID: a\nProperty: {A[1]}", f"Property: [id: a] {A[1]}"),
        BOTH.replace("Verdict: yes", "Verdict:\nyes"),
        "STEP 1: Is it short?\nSTEP 5: Output the final verdict.\n" + BOTH,
        block(B, "no") + block(A, "yes"),
        block(B, "no") + BOTH,
        "1. " + BOTH.replace("ID: b", "2. ID: b"),
        '[{\n"id": "a",\n"property": "x",\n"verdict": "yes"\n},\n{\n"id": "b",\n"verdict": "no"\n}]',
        BOTH + "\nID: c\nProperty: Something else.\nRationale: r\nVerdict: yes\n",
    ],
)
def test_plain_in_spite_of_its_form(reply: str) -> None:
    assert scores(reply) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("", [None, None]),
        ("I cannot say.", [None, None]),
        (block(A, "yes"), [1.0, None]),
        (block(A, "yes") + block(("2", "The response is right."), "no"), [1.0, None]),
        (block(A, "yes") + block(B, "N/A"), [1.0, None]),
        (BOTH + block(B, "yes"), [1.0, None]),
        (BOTH + block(B, "N/A"), [1.0, None]),
        (block(A, "yes") + block(("b", A[1]), "no"), [None, None]),
        ("Verdict: no\n" + BOTH, [None, None]),
        # The end of the first block and the start of the second are lost: whose verdict is it?
        (f"ID: a\nProperty: {A[1]}\nRationale: one\nRationale: two\nVerdict: yes\n", [None, None]),
        (f"ID: a\nProperty: {A[1]}\nRationale: r\n" + block(B, "no"), [None, 0.0]),
        (block(A, "yes") + "Rationale: r2\nVerdict: no\n", [None, None]),
    ],
)
def test_nobody_guesses(reply: str, found: list[float | None]) -> None:
    assert scores(reply) == found


def test_the_reason_is_told() -> None:
    assert read(block(A, "yes"), [A, B])["b"] == Answer(None, problem="left out")
    assert "twice" in read(BOTH + block(B, "yes"), [A, B])["b"].problem


def test_ids_that_differ_in_case_only_are_two_rubrics() -> None:
    pair = [("x", "One thing."), ("X", "Another thing.")]
    reply = block(pair[0], "yes") + block(pair[1], "no")
    assert [answer.score for answer in read(reply, pair).values()] == [1.0, 0.0]


def test_two_rubrics_of_one_text_are_told_apart_by_id() -> None:
    pair = [("x", "Same."), ("y", "Same.")]
    reply = block(pair[0], "yes") + block(pair[1], "no")
    assert [answer.score for answer in read(reply, pair).values()] == [1.0, 0.0]
    assert [answer.score for answer in read(reply.replace("ID: x\n", ""), pair).values()] == [None, 0.0]


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert set(read(text, [A, B])) == {"a", "b"}
    assert read_verdict(text) in (True, False, None)


@given(st.data())
def test_dropping_lines_never_makes_a_no_of_a_rubric_a_yes(data: st.DataObject) -> None:
    lines = (block(A, "no") + "\n" + block(B, "no")).splitlines()
    kept = [line for line in lines if data.draw(st.booleans())]
    assert 1.0 not in scores("\n".join(kept))
