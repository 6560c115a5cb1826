"""Goldens of as many turns as the trace, or not; damage is a turn that only one of them has."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import FORMS, THRESHOLDS, plain_turns

_COMPARING = ["tool_trajectory_avg_score", "response_match_score"]
_CALL = {"name": "lookup", "args": {"q": "it"}, "id": "c1", "output": {"code": "ok"}}


@st.composite
def _pairs(draw: st.DrawFn, equal: bool) -> dict[str, Any]:
    turns = draw(plain_turns())
    for turn in turns:
        if draw(st.booleans()):
            turn["rounds"] = [[_CALL]]
    golden = draw(plain_turns(len(turns), len(turns))) if equal else draw(plain_turns())
    case = {"turns": turns, "golden": golden, "form": draw(FORMS), "threshold": draw(THRESHOLDS)}
    metric = draw(st.sampled_from([*_COMPARING, "hallucinations_v1"]))
    if equal and draw(st.booleans()):
        metric, case["golden"] = "hallucinations_v1", None
    return {**case, "metrics": [metric]}


well_formed = _pairs(True)
any_reply = _pairs(False)


def justified(case: Any) -> bool:
    """A metric that needs no golden was given fewer turns, or none, because of one: the fault itself."""
    return case["metrics"] == ["hallucinations_v1"] and len(case["turns"]) != len(case["golden"])


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(well_formed.filter(lambda case: len(case["turns"]) > 1 and case["golden"]))
    side = draw(st.sampled_from(["turns", "golden"])) if case["metrics"] != ["hallucinations_v1"] else "golden"
    return case, {**case, side: case[side][:-1]}


damage = _damaged()
