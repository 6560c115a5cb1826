"""Conversations with tools of every kind and values of every kind; damage adds a tool or an odd value."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.google_adk_values import ANY, PLAIN, events

_OWN = {"function_declarations": [{"name": "add", "description": "Adds."}]}
_BUILT_IN = [{"google_search": {}}, {"code_execution": {}}, {"url_context": {}}, {}]


def _case(tools: Any, found: Any, verdict: str) -> dict[str, Any]:
    text = "The agent is polite."
    turn = {"user": "q", "answer": "Hello.", "events": found, "agents": {"root": {"instructions": "i", "tools": tools}}}
    return {
        "metric": "rubric_based_multi_turn_trajectory_quality_v1",
        "threshold": 0.5,
        "criterion": {"rubrics": [{"id": "a", "text": text}]},
        "turns": [turn, {"user": "and?", "answer": "Bye."}],
        "judge": {"rubric": [f"ID: a\nProperty: {text}\nRationale: r\nVerdict: {verdict}\n"]},
        "verdict": verdict,
    }


_VERDICT = st.sampled_from(["yes", "no"])
_FUNCTIONS = st.lists(st.just(_OWN), max_size=2)
_TOOLS = st.lists(st.sampled_from([_OWN, *_BUILT_IN]), max_size=3)

well_formed = st.builds(_case, _FUNCTIONS, events(PLAIN), _VERDICT)
any_reply = st.builds(_case, _TOOLS, events(ANY), _VERDICT)
damage = st.builds(
    lambda before, after, plain, odd, verdict: (_case(before, plain, verdict), _case(after, odd, verdict)),
    _FUNCTIONS,
    _TOOLS,
    events(PLAIN),
    events(ANY),
    _VERDICT,
)


def justified(case: Any) -> bool:
    """The judge was for it; that a tool kept the metric from asking it is the fault."""
    return bool(case["verdict"] == "yes")
