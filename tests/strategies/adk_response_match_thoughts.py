"""Answers of text parts; damage is a private thought put anywhere into the agent's answer."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    ["Paris", "is", "the", "capital", "of", "France", "London", "running", "runs", "12.5", "été", "ไทย", "日本", "a-b"]
)
_TEXT = st.one_of(st.lists(_WORDS, min_size=0, max_size=6).map(" ".join), st.text(max_size=12))
_VISIBLE = st.one_of(_TEXT, st.builds(lambda text: {"text": text, "thought": False}, _TEXT))
_ANSWER = st.one_of(st.none(), st.lists(_VISIBLE, max_size=4))
_THOUGHT = st.builds(lambda text: {"text": text, "thought": True}, _TEXT)
_THRESHOLD = st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0])


def _case(threshold: float, turns: Any) -> dict[str, Any]:
    return {"threshold": threshold, "turns": turns}


well_formed = st.builds(_case, _THRESHOLD, st.lists(st.tuples(_ANSWER, _ANSWER), min_size=1, max_size=3))

any_reply = st.builds(
    _case,
    _THRESHOLD,
    st.lists(st.tuples(*[st.lists(st.one_of(_VISIBLE, _THOUGHT), max_size=4)] * 2), min_size=1, max_size=3),
)


def justified(case: Any) -> bool:
    """A right answer failed upstream because of a thought on one of the sides: the fault itself."""
    return any(isinstance(part, dict) and part["thought"] for turn in case["turns"] for side in turn for part in side)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(well_formed)
    turns = []
    for actual, expected in case["turns"]:
        parts = list(actual or [])
        parts.insert(draw(st.integers(0, len(parts))), draw(_THOUGHT))
        turns.append((parts, expected))
    return case, {**case, "turns": turns}


damage = _damaged()
