"""Replies about one to four rubrics; damage drops, repeats, cuts and relabels lines."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.google_adk import IDS, TEXTS, THRESHOLDS, damaged, rubric_block, rubric_case, rubric_reply

_VERDICTS = st.lists(st.sampled_from(["yes", "no", "Yes", "No", "YES"]), min_size=1, max_size=4)
_ODD = ["**{}**", "`{}`", "{}.", '"{}"', "[{}]", "{}, because it says so.", "{} - it does.", "({})", "  {}  "]
_UNCLEAR = [
    "N/A",
    "unknown",
    "yes|no",
    "No doubt, yes",
    "Not applicable",
    "partially",
    "Yes, but only in part",
    "",
    "?",
]


@st.composite
def _well_formed(draw: st.DrawFn) -> Any:
    count = draw(st.integers(1, 4))
    samples, turns = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    words = st.lists(st.sampled_from(["yes", "no", "Yes", "NO"]), min_size=count, max_size=count)
    replies = [rubric_reply(draw(words), draw(st.booleans())) for _ in range(samples * turns)]
    return rubric_case(count, replies, draw(THRESHOLDS), samples, turns)


@st.composite
def _any_reply(draw: st.DrawFn) -> Any:
    count = draw(st.integers(1, 3))
    samples = draw(st.integers(1, 3))
    replies = []
    for _ in range(samples):
        blocks = []
        for number in range(count):
            kind = draw(st.sampled_from(["plain", "odd", "odd", "unclear", "omitted", "twice"]))
            verdict = draw(st.sampled_from(["yes", "no", "Yes"]))
            if kind == "odd":
                verdict = draw(st.sampled_from(_ODD)).format(verdict)
            elif kind == "unclear":
                verdict = draw(st.sampled_from(_UNCLEAR))
            elif kind == "twice":
                blocks.append(rubric_block(number, draw(st.sampled_from(["yes", "no"]))))
            if kind != "omitted":
                block = rubric_block(number, verdict)
                if kind == "odd" and draw(st.booleans()):
                    block = block.replace("Verdict:", "**Verdict:**")
                blocks.append(block)
        reply = "\n\n".join(blocks) + "\n"
        replies.append(draw(damaged(reply)) if draw(st.booleans()) else reply)
    return {**rubric_case(count, replies, draw(THRESHOLDS), samples), "replies": replies}


def justified(case: Any) -> bool:
    """Enough rubrics have a plain yes in most replies: that upstream lost or weighed it wrongly is the fault.

    Judged by a reading of its own, so that the fix's is not its own witness.
    """
    count, replies = len(case["criterion"]["rubrics"]), case["replies"]
    met = sum(sum(_met(reply, n) for reply in replies) * 2 > len(replies) for n in range(count))
    return met / count >= case["threshold"]


def _met(reply: str, number: int) -> bool:
    """Whether all verdicts in the stretches of text about a rubric start with a yes, and none is unclear."""
    said: list[str] = []
    about = False
    for line in reply.replace("\r", "\n").split("\n"):
        names = f"ID: {IDS[number]}" in line or TEXTS[number] in line
        if ("ID: " in line or "Property: " in line) and not names:
            about = False
        elif names:
            about = True
        elif "Verdict" in line and about:
            said.append(line.partition("Verdict")[2])
    unclear = any(word and word in line for line in said for word in _UNCLEAR if word != "?")
    return bool(said) and not unclear and all(_starts_with_yes(line) for line in said)


def _starts_with_yes(verdict: str) -> bool:
    return verdict.strip(":*`\"'([ >-").lower().startswith("yes")


@st.composite
def _damage(draw: st.DrawFn) -> tuple[Any, Any]:
    verdicts = draw(_VERDICTS)
    threshold = draw(THRESHOLDS)
    reply = rubric_reply(verdicts, draw(st.booleans()))
    count = len(verdicts)
    return rubric_case(count, [reply], threshold), rubric_case(count, [draw(damaged(reply))], threshold)


well_formed = _well_formed()
any_reply = _any_reply()
damage = _damage()
