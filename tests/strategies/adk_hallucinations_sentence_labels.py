"""Replies of the sentence validator, with what the mutation operators do to them, and blocks invented."""

from __future__ import annotations

import statistics
from typing import Any

from hypothesis import strategies as st

from evalfixes.testing import KEEPS, LOSES, Reply, operator
from evalfixes.testing.operators import on_structure, relabelled
from evalfixes.testing.strategies import damaged
from tests.strategies._google_adk import GOOD, LABELS, PLAIN, THRESHOLDS, UNUSABLE, hallucinations, labelled, reply_of

Turns = list[list[tuple[str, str]]]


def _case(turns: Turns, threshold: float) -> dict[str, Any]:
    return hallucinations(
        [([text for text, _ in rows], reply_of(number, rows)) for number, rows in enumerate(turns)], threshold
    )


well_formed = st.builds(_case, labelled(), THRESHOLDS)

_LOSSES = [
    operator(name)
    for name in (
        "drop-item", "drop-all", "drop-field", "unknown-label", "empty-label", "hedged-label", "duplicate-item",
        "drop-line", "repeat-line", "cut-off", "bold", "backticks", "full-stop", "swap-items", "blank-lines", "crlf",
        "prose-around", "fences",
    )
]  # fmt: skip
_LOSSES += [
    on_structure("label of no set", LOSES, "a label that is none of the five", relabelled(UNUSABLE)),
    on_structure("label in odd form", KEEPS, "a label in a list, in brackets, explained", relabelled(PLAIN)),
]
# Only last: if the answer itself were dropped after that, the contradiction alone would be a better reply.
_CONTRADICT = operator("contradict-item")


@st.composite
def _reply(draw: st.DrawFn, number: int, rows: list[tuple[str, str]]) -> str:
    reply = reply_of(number, rows)
    if draw(st.booleans()):
        reply = draw(damaged(Reply(reply), _LOSSES)).text
    elif draw(st.booleans()):
        reply = draw(damaged(Reply(reply), [_CONTRADICT], most=1)).text
    invented = reply_of(number, [("Nobody asked.", draw(LABELS))])
    return "\n\n".join(filter(None, draw(st.sampled_from([(reply,), (reply,), (invented, reply), (reply, invented)]))))


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    turns, threshold = draw(labelled()), draw(THRESHOLDS)
    replies = [draw(_reply(number, rows)) for number, rows in enumerate(turns)]
    worse = hallucinations(
        [([text for text, _ in rows], reply) for rows, reply in zip(turns, replies, strict=True)], threshold
    )
    return _case(turns, threshold), worse


# A second block for a sentence that stands twice is an answer like any other, so what is doubled or
# contradicted there could stand for the one that was dropped: pairs keep such sentences whole.
def _distinct(answer: str) -> bool:
    lines = [line.partition(":")[2] for line in answer.split("\n") if ":" in line]
    return len(set(lines)) == len(lines)


damage = _damaged().filter(lambda pair: all(_distinct(t["answer"]) for t in pair[0]["turns"]))

any_reply = st.one_of(
    _damaged().map(lambda pair: {**pair[1], "intact": _passes(pair[0])}),
    st.builds(
        lambda turns, text, threshold: hallucinations([([t for t, _ in rows], text) for rows in turns], threshold),
        labelled(),
        st.text(max_size=200),
        THRESHOLDS,
    ),
)


def _passes(case: Any) -> bool:
    """Whether a case of well-formed replies passes, worked out from what its judge was made to say."""
    turns = []
    for reply, *_ in (replies for pattern, replies in case["judge"].items() if pattern.startswith("validate")):
        labels = [line.removeprefix("label: ") for line in reply.split("\n") if line.startswith("label: ")]
        turns.append(statistics.mean([float(label in GOOD) for label in labels]))
    return bool(statistics.mean(turns) >= case["threshold"])


def justified(case: Any) -> bool:
    """The judge was for it: upstream dropped a good label in odd form, or counted what nobody asked about."""
    return bool(case.get("intact"))
