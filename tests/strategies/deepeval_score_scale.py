"""Numbers on and off the scale."""

from __future__ import annotations

import copy
import math
from typing import Any

from hypothesis import strategies as st

_TENS = ("GEval", "ConversationalGEval")
_OLD = (*_TENS, "TaskCompletionMetric")
_METRICS = (
    *_OLD,
    "StepEfficiencyMetric",
    "PlanAdherenceMetric",
    "PlanQualityMetric",
    "GoalAccuracyMetric",
    "ToolUseMetric",
    "MCPUseMetric",
    "MultiTurnMCPUseMetric",
    "MCPTaskCompletionMetric",
    "ToolCorrectnessMetric",
)
_OFF = st.one_of(
    st.sampled_from([math.inf, -math.inf, math.nan, -1, 20, 40, 1e300]), st.floats(10.001, 1e6), st.floats(-1e6, -0.001)
)


@st.composite
def _complete(draw: st.DrawFn) -> Any:
    from importlib import import_module

    present = import_module("deepeval.metrics")
    metric = draw(st.sampled_from([name for name in _METRICS if hasattr(present, name)]))
    top = 10 if metric in _TENS else 1
    strict = draw(st.integers(0, 3)) == 0
    score = st.sampled_from([0, 1]) if strict and metric == "GEval" else st.integers(0, 10).map(lambda n: n * top / 10)
    key = "verdict" if metric == "TaskCompletionMetric" else "score"
    return {
        "metric": metric,
        "items": 1,
        "pairs": draw(st.integers(1, 3)),
        "path": draw(st.sampled_from(["json", "schema"])),
        "mode": draw(st.sampled_from(["sync", "async"])),
        "kwargs": {"strict_mode": True} if strict else {"threshold": draw(st.sampled_from([0.3, 0.5, 0.8]))},
        "replies": [{key: draw(score), "reason": "r"} for _ in range(6)],
    }


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_complete())
    worse = copy.deepcopy(case)
    place = draw(st.integers(0, 5))
    key = "verdict" if case["metric"] == "TaskCompletionMetric" else "score"
    worse["replies"][place][key] = draw(_OFF)
    return case, worse


well_formed = _complete()
damage = _damaged()
any_reply = _damaged().map(lambda pair: pair[1])
