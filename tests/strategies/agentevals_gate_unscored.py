"""Turns that are all judged, or not; damage is a judge that fails on some of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import FORMS, THRESHOLDS, judges, plain_turns


def _cases(turns: Any) -> Any:
    return st.fixed_dictionaries({"turns": turns, "form": FORMS, "threshold": THRESHOLDS})


well_formed = _cases(plain_turns())


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(well_formed)
    worse = {**case, "judge": draw(judges(len(case["turns"])))}
    if draw(st.booleans()):
        silent = draw(st.integers(0, len(case["turns"]) - 1))
        # An agent's span without any model call is no turn to agentevals, and says so in its documentation.
        asks = {"final": None, "rounds": [[{"name": "lookup", "args": {"q": "it"}, "id": "c1"}]]}
        worse["turns"] = [{**t, **asks} if n == silent else t for n, t in enumerate(case["turns"])]
    return case, worse


damage = _damaged()
any_reply = damage.map(lambda pair: pair[1])
