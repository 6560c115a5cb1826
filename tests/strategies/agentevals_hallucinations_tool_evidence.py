"""Replayed traces; damage is an output that was not recorded. Judges always answer here."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import DIALECTS, FORMS, THRESHOLDS, plain_turns, weather_turn, without_an_output


def _cases(turns: Any) -> Any:
    return st.fixed_dictionaries({"turns": turns, "form": FORMS, "dialect": DIALECTS, "threshold": THRESHOLDS})


_SPANS = ("span", "both")
well_formed = _cases(plain_turns())
any_reply = _cases(
    st.lists(st.one_of(weather_turn("any", True), plain_turns(1, 1).map(lambda t: t[0])), min_size=1, max_size=2)
)


def justified(case: Any) -> bool:
    """Upstream failed because the judge saw no output: the fault itself."""
    return any("output" in call for turn in case["turns"] for calls in turn["rounds"] for call in calls)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_cases(st.lists(weather_turn("any", records=_SPANS), min_size=1, max_size=2)))
    worse = [draw(without_an_output(case["turns"][0])), *case["turns"][1:]]
    return case, {**case, "turns": worse}


damage = _damaged()
