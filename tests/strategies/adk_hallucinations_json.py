"""Turns with tool values; damage makes one of them odd."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import block
from tests.strategies.google_adk_values import ANY, PLAIN, events

_METRICS = ("hallucinations_v1", "rubric_based_tool_use_quality_v1")


def _case(metric: str, found: Any, label: str) -> dict[str, Any]:
    text = "The answer is short."
    rubric = metric.startswith("rubric_")
    return {
        "metric": metric,
        "threshold": 0.5,
        "criterion": {"rubrics": [{"id": "a", "text": text}]} if rubric else {},
        "turns": [{"user": "q", "answer": "One.", "events": found}],
        "judge": {
            "rubric": [f"ID: a\nProperty: {text}\nRationale: r\nVerdict: {'yes' if label == 'supported' else 'no'}\n"],
            "segment": ["<sentence>One.</sentence>"],
            "validate": [block("One.", label)],
        },
        "label": label,
    }


_LABEL = st.sampled_from(["supported", "unsupported"])
_METRIC = st.sampled_from(_METRICS)
_TOOLS = events(ANY)

well_formed = st.builds(_case, _METRIC, events(PLAIN), _LABEL)
any_reply = st.builds(_case, _METRIC, _TOOLS, _LABEL)
damage = st.builds(
    lambda metric, before, after, label: (_case(metric, before, label), _case(metric, after, label)),
    _METRIC,
    events(PLAIN),
    _TOOLS,
    _LABEL,
)


def justified(case: Any) -> bool:
    """The judge was for it; that a value kept the metric from asking it is the fault."""
    return bool(case["label"] == "supported")
