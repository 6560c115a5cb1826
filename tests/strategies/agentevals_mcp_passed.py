"""Answers of the MCP tool; damage is a judge that fails, a missing file or no golden."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import plain_turns

_METRICS = st.sampled_from([["hallucinations_v1"], ["response_match_score"]])


@st.composite
def _cases(draw: st.DrawFn) -> dict[str, Any]:
    return {"turns": draw(plain_turns(1, 1)), "golden": draw(plain_turns(1, 1)), "metrics": draw(_METRICS)}


well_formed = _cases()


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(well_formed)
    harm = draw(st.sampled_from(["judge", "missing", "golden", "metric", "empty"]))
    worse: dict[str, Any] = {
        "judge": {"judge": {"fails_on": [""]}},
        "missing": {"missing": True},
        "golden": {"golden": None},
        "metric": {"metrics": ["no_such_metric"]},
        "empty": {"empty": True, "turns": []},
    }[harm]
    if harm == "empty":
        case = {key: value for key, value in case.items() if key != "turns"} | {"turns": case["turns"]}
        return case, {key: value for key, value in {**case, "empty": True}.items() if key != "turns"}
    return case, {**case, **worse}


damage = _damaged()
any_reply = damage.map(lambda pair: pair[1])
