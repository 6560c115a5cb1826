"""Replies of the sentence validator: blocks left out, repeated, relabelled, decorated, cut off, invented."""

from __future__ import annotations

import statistics
from typing import Any

from hypothesis import strategies as st

from tests.strategies._google_adk import GOOD, LABELS, PLAIN, THRESHOLDS, UNUSABLE, hallucinations, labelled, reply_of

Turns = list[list[tuple[str, str]]]


def _case(turns: Turns, threshold: float) -> dict[str, Any]:
    return hallucinations(
        [([text for text, _ in rows], reply_of(number, rows)) for number, rows in enumerate(turns)], threshold
    )


well_formed = st.builds(_case, labelled(), THRESHOLDS)

_DAMAGE = ["drop", "double", "contradict", "blank", "cut", "no excerpt", "decorate", "reorder"]


@st.composite
def _reply(draw: st.DrawFn, number: int, rows: list[tuple[str, str]], kinds: list[str]) -> str:
    blocks = [reply_of(number, [row]) for row in rows]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(blocks) - 1))
        one = blocks[place]
        match draw(st.sampled_from(kinds)):
            case "drop":
                blocks[place] = ""
            case "double":
                blocks.insert(place, one.replace("because", "again") if draw(st.booleans()) else one)
            case "contradict":
                # With its own label in front: a block alone, its sentence's own one dropped, would be a better reply.
                text, label = rows[min(place, len(rows) - 1)]
                blocks.append(reply_of(number, [(text, label), (text, draw(LABELS))]))
            case "blank":
                text, _ = rows[min(place, len(rows) - 1)]
                blocks[place] = reply_of(number, [(text, draw(UNUSABLE))])
            case "cut":
                blocks[place] = one[: draw(st.integers(0, len(one)))]
            case "no excerpt":
                blocks[place] = one.rpartition("\n")[0]
            case "decorate":
                text, label = rows[min(place, len(rows) - 1)]
                blocks[place] = reply_of(number, [(text, draw(PLAIN).format(label))])
            case "reorder":
                blocks.reverse()
            case "invent":
                blocks.insert(place, reply_of(number, [("Nobody asked.", draw(LABELS))]))
    reply = draw(st.sampled_from(["\n", "\n\n"])).join(blocks)
    return reply.replace("\n", "\r\n") if draw(st.booleans()) else reply


@st.composite
def _damaged(draw: st.DrawFn, kinds: list[str]) -> tuple[Any, Any]:
    turns, threshold = draw(labelled()), draw(THRESHOLDS)
    replies = [draw(_reply(number, rows, kinds)) for number, rows in enumerate(turns)]
    damaged = hallucinations(
        [([text for text, _ in rows], reply) for rows, reply in zip(turns, replies, strict=True)], threshold
    )
    return _case(turns, threshold), damaged


# A second block for a sentence that stands twice is an answer like any other, so what is doubled or
# contradicted there could stand for the one that was dropped: pairs keep such sentences whole.
def _distinct(answer: str) -> bool:
    lines = [line.partition(":")[2] for line in answer.split("\n") if ":" in line]
    return len(set(lines)) == len(lines)


damage = _damaged([*_DAMAGE, "invent"]).filter(lambda pair: all(_distinct(t["answer"]) for t in pair[0]["turns"]))

any_reply = st.one_of(
    _damaged([*_DAMAGE, "invent"]).map(lambda pair: {**pair[1], "intact": _passes(pair[0])}),
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
