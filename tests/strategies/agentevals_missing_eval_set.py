"""Metrics that compare with a golden; damage is that there is none."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import FORMS, THRESHOLDS, plain_turns


@st.composite
def _cases(draw: st.DrawFn, golden: bool) -> dict[str, Any]:
    turns = draw(plain_turns())
    metrics = draw(st.sampled_from([["tool_trajectory_avg_score"], ["response_match_score"], ["hallucinations_v1"]]))
    expected = draw(plain_turns(len(turns), len(turns))) if golden or draw(st.booleans()) else None
    return {
        "turns": turns,
        "golden": expected,
        "metrics": metrics,
        "form": draw(FORMS),
        "threshold": draw(THRESHOLDS),
    }


well_formed = _cases(True)
any_reply = _cases(False)
damage = well_formed.map(lambda case: (case, {**case, "golden": None}))
