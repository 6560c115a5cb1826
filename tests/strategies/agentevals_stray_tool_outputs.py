"""Turns some of whose tools' spans have no parent; damage is an output that was not recorded."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import DIALECTS, FORMS, THRESHOLDS, weather_turn, without_an_output

_SPANS = ("span", "both")


@st.composite
def strays(draw: st.DrawFn, ids: str = "distinct") -> dict[str, Any]:
    """A turn with rounds of tool calls, of which some stand outside of it."""
    turn = draw(weather_turn(ids, records=_SPANS))
    for calls in turn["rounds"]:
        for call in calls:
            if draw(st.booleans()):
                call["stray"] = True
    return turn


@st.composite
def _cases(draw: st.DrawFn, turn: Any) -> dict[str, Any]:
    turns = draw(st.lists(turn, min_size=1, max_size=2))
    for number, one in enumerate(turns):  # releases up to 0.9.12 take turns of one question for one
        one["user"] = f"Weather, {number}?"
    return {"turns": turns, "form": draw(FORMS), "dialect": draw(DIALECTS), "threshold": draw(THRESHOLDS)}


@st.composite
def _unclaimed(draw: st.DrawFn) -> dict[str, Any]:
    # What it requires shows outputs to the judge where upstream does not, so they must not matter here.
    turn = draw(weather_turn("distinct"))
    return {**turn, "final": draw(st.sampled_from(["It is fine.", "It reads T-999.", "It is fine. It reads T-999."]))}


well_formed = _cases(_unclaimed())
any_reply = _cases(st.one_of(strays(), strays("any"), strays("anew")))


def justified(case: Any) -> bool:
    """What the trace holds grounds the pass."""
    outputs = [
        call["output"]["temp"]
        for turn in case["turns"]
        for calls in turn["rounds"]
        for call in calls
        if "output" in call
    ]
    scores = []
    for turn in case["turns"]:
        claims = [sentence.split()[-1].rstrip(".") for sentence in turn["final"].split(". ")]
        scores.append(sum(claim in outputs for claim in claims) / len(claims))
    limit = 0.5 if case["threshold"] is None else case["threshold"]
    return bool(sum(scores) / len(scores) >= limit)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_cases(strays("any")))
    worse = [draw(without_an_output(case["turns"][0])), *case["turns"][1:]]
    return case, {**case, "turns": worse}


damage = _damaged()
