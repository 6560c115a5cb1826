"""Traces of which each has its golden; damage is a trace that no case matches."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import FORMS, THRESHOLDS, plain_turns

_STRANGER = {"user": "Who are you?", "final": "Nobody.", "rounds": []}


@st.composite
def _cases(draw: st.DrawFn) -> dict[str, Any]:
    turns = draw(plain_turns(1, 1))
    return {
        "traces": [turns],
        "golden": draw(plain_turns(1, 1)),
        "metrics": ["response_match_score"],
        "form": draw(FORMS),
        "threshold": draw(THRESHOLDS),
    }


well_formed = _cases()
damage = well_formed.map(lambda case: (case, {**case, "traces": [*case["traces"], [_STRANGER]]}))
any_reply = damage.map(lambda pair: pair[1])
