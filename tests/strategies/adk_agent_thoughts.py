"""Turns of parts of every type; damage plants a thought into the answer, the events or the user turn."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import block
from tests.strategies.google_adk import rubric_reply

SECRET = "the secret is Paris"
_TEXT = st.sampled_from(["London.", "It is big.", "Hello there.", "a b c"])
_PART = st.one_of(
    _TEXT,
    st.builds(lambda text: {"text": text, "thought": False}, _TEXT),
    st.sampled_from(
        [
            {"function_call": {"name": "t", "args": {"x": 1}}},
            {"function_response": {"name": "t", "response": {"r": [1, None, "z"]}}},
            {"inline_data": {"mime_type": "image/png", "data": {"$bytes": "AAEC"}}},
            {"executable_code": {"code": "1+1", "language": "PYTHON"}},
            {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "2"}},
            {"file_data": {"file_uri": "gs://a/b", "mime_type": "text/plain"}},
            {},
        ]
    ),
)
_CONTENT = st.one_of(st.none(), st.lists(_PART, max_size=3))
_THOUGHT = st.sampled_from([{"thought": SECRET}, {"thought": f"Consider: {SECRET}."}])
_METRICS = (
    "final_response_match_v2",
    "hallucinations_v1",
    "rubric_based_final_response_quality_v1",
    "rubric_based_tool_use_quality_v1",
)


@st.composite
def _turn(draw: st.DrawFn) -> dict[str, Any]:
    events = draw(st.lists(st.builds(lambda parts: {"author": "root", "content": parts}, _CONTENT), max_size=3))
    # An answer with text: a turn without one is not evaluated by hallucinations_v1, with or without thoughts.
    return {
        "user": [draw(_TEXT), *draw(st.lists(_PART, max_size=1))],
        "answer": [draw(_TEXT), *draw(st.lists(_PART, max_size=2))],
        "expected": [draw(_TEXT)],
        "events": events,
    }


def _case(metric: str, turns: list[dict[str, Any]], steps: bool) -> dict[str, Any]:
    """The judge is for whatever holds the secret, and against the rest."""
    criterion: dict[str, Any] = {}
    if metric.startswith("rubric_"):
        criterion = {"rubrics": [{"id": "a", "text": "The answer is short."}]}
    elif metric == "hallucinations_v1":
        criterion = {"evaluate_intermediate_nl_responses": steps}
    verdict = '{{"reasoning": "r", "is_the_agent_response_valid": "{}"}}'.format
    return {
        "metric": metric,
        "threshold": 0.5,
        "criterion": criterion,
        "turns": turns,
        "judge": {
            f"match:{SECRET}": [verdict("valid")],
            "match": [verdict("invalid")],
            f"rubric:{SECRET}": [rubric_reply(["yes"])],
            "rubric": [rubric_reply(["no"])],
            "segment": ["<sentence>One.</sentence>"],
            f"validate:{SECRET}": [block("One.", "supported")],
            "validate": [block("One.", "unsupported")],
        },
    }


@st.composite
def _pair(draw: st.DrawFn) -> tuple[Any, Any]:
    metric, steps = draw(st.sampled_from(_METRICS)), draw(st.booleans())
    turns = draw(st.lists(_turn(), min_size=1, max_size=2))
    planted = copy.deepcopy(turns)
    for _ in range(draw(st.integers(1, 3))):
        turn = draw(st.sampled_from(planted))
        places = [
            turn["user"],
            turn["answer"],
            turn["expected"],
            *[e["content"] for e in turn["events"] if e["content"]],
        ]
        place = draw(st.sampled_from(places))
        place.insert(draw(st.integers(0, len(place))), draw(_THOUGHT))
    return _case(metric, turns, steps), _case(metric, planted, steps)


well_formed = _pair().map(lambda pair: pair[0])
any_reply = _pair().map(lambda pair: pair[1])
damage = _pair()
