"""Turns with rounds of tool calls; damage is an output that was not recorded."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import DIALECTS, FORMS, THRESHOLDS, weather_turn, without_an_output

_SPANS = ("span", "both")


def _cases(turn: Any) -> Any:
    turns = st.lists(turn, min_size=1, max_size=2)
    return st.fixed_dictionaries({"turns": turns, "form": FORMS, "dialect": DIALECTS, "threshold": THRESHOLDS})


well_formed = _cases(weather_turn("distinct"))
any_reply = _cases(st.one_of(weather_turn("any", True), weather_turn("anew", True), weather_turn("distinct", True)))


def justified(case: Any) -> bool:
    """Ids do not tell the calls apart, so upstream lost outputs: the fault itself."""
    for turn in case["turns"]:
        ids = [call["id"] for calls in turn["rounds"] for call in calls]
        if len(set(ids)) < len(ids) or None in ids:
            return True
    return False


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_cases(weather_turn("any")))
    worse = [draw(without_an_output(case["turns"][0])), *case["turns"][1:]]
    return case, {**case, "turns": worse}


damage = _damaged()
