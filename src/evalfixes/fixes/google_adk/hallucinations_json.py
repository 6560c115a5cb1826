"""A tool's odd value stops a metric for all turns: it cannot be written as JSON for the judge."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.fixes.google_adk._content import plain_tool_values, writable_events

_PACKAGE = "google.adk.evaluation."


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _create_context_for_step(self: Any, app_details: Any, invocation: Any, events: Any) -> Any:
        return original(self, app_details, invocation, writable_events(events))

    return _create_context_for_step


def _build_calls(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # The rubric metrics' way to write tool calls knows dates, but not objects and binary data.
    def get_tool_calls_and_responses_as_json_str(intermediate_data: Any) -> Any:
        try:
            return original(intermediate_data)
        except Exception:
            if intermediate_data is None:
                raise
            return original(plain_tool_values(intermediate_data))

    return get_tool_calls_and_responses_as_json_str


_CLAIM = "It is noon."


def _case(part: dict[str, Any], label: str, evidence: str = "", **criterion: Any) -> dict[str, Any]:
    """One turn after a tool's part; its judge gives the label if the evidence stands in the prompt."""
    reply = [_harness.blocks((_CLAIM, label))]
    return {
        "metric": "hallucinations_v1",
        "threshold": 0.8,
        "criterion": criterion,
        "turns": [
            {"user": "Hello", "answer": _CLAIM},
            {"user": "time?", "answer": _CLAIM, "events": [{"author": "root", "content": [part]}]},
        ],
        "judge": {f"validate:{evidence}": reply, "validate:User prompt:\nHello": reply},
    }


def _response(value: Any) -> dict[str, Any]:
    return {"function_response": {"name": "get_time", "response": {"result": value}}}


def _rubric(value: Any, metric: str = "rubric_based_final_response_quality_v1") -> dict[str, Any]:
    part = {"function_call": {"name": "at", "args": {"when": value}}}
    text = "The call is right."
    return {
        "metric": metric,
        "threshold": 0.8,
        "criterion": {"rubrics": [{"id": "a", "text": text}]},
        "turns": [{"answer": "x", "events": [{"author": "root", "content": [part]}]}],
        "judge": {'rubric:"when"': [_harness.rubric_verdicts(("a", text, "no"))]},
    }


_FAILED = {"score": 0.0, "status": "FAILED"}
_PASSED = {"score": 1.0, "status": "PASSED"}
_CRASHED = {"score": None, "status": "ERROR"}
_SINCE = "1.16.0.."
_TOOLS = "rubric_based_tool_use_quality_v1"
_NOON = {"$datetime": "2026-01-01T12:00:00"}

FIX = Fix(
    id="adk-hallucinations-json",
    dist="google-adk",
    title="a tool that returns a date, bytes or an object stops a metric for all turns",
    before="Tool calls and outputs are written as JSON for the judge; a datetime, bytes or an object in one of them "
    "raises (in hallucinations_v1; in the rubric metrics only objects and binary data do), the metric is NOT_EVALUATED "
    "for every turn, and a run with contradicted answers passes by its other metrics.",
    after="Such values are written in plain form (ISO dates, text) and the turns are judged.",
    replacements=(
        Replacement(
            f"{_PACKAGE}hallucinations_v1:HallucinationsV1Evaluator._create_context_for_step", _build, optional=True
        ),
        Replacement(f"{_PACKAGE}llm_as_judge_utils:get_tool_calls_and_responses_as_json_str", _build_calls),
    ),
    evaluate=_harness.evaluate,
    loads=(
        _PACKAGE + "hallucinations_v1",
        _PACKAGE + "rubric_based_tool_use_quality_v1",
        _PACKAGE + "rubric_based_final_response_quality_v1",
    ),
    scenarios=(
        Scenario(
            "datetime, contradicted",
            _case(_response(_NOON), "contradictory", "2026-01-01T12:00:00"),
            _FAILED,
            _CRASHED,
            releases=_SINCE,
        ),
        Scenario(
            "datetime, supported", _case(_response(_NOON), "supported", "T12:00:00"), _PASSED, _CRASHED, releases=_SINCE
        ),
        Scenario(
            "bytes",
            _case(_response({"$bytes": "bm9vbg=="}), "contradictory", "noon"),
            _FAILED,
            _CRASHED,
            releases=_SINCE,
        ),
        Scenario(
            "an object deep inside",
            _case(_response([{"a": {"$object": "noon sharp"}}]), "contradictory", "noon sharp"),
            _FAILED,
            _CRASHED,
            releases=_SINCE,
        ),
        Scenario(
            "a date among the arguments",
            _case({"function_call": {"name": "at", "args": {"when": _NOON}}}, "contradictory", "T12:00:00"),
            _FAILED,
            _CRASHED,
            releases=_SINCE,
        ),
        Scenario(
            "a date in an intermediate step",
            _case(_response(_NOON), "contradictory", "T12:00:00", evaluate_intermediate_nl_responses=True),
            _FAILED,
            _CRASHED,
            releases=_SINCE,
        ),
        Scenario("rubric metric: an object among the arguments", _rubric({"$object": "noon"}), _FAILED, _CRASHED),
        Scenario("rubric metric: binary data", _rubric({"$bytes": "/w=="}), _FAILED, _CRASHED),
        Scenario(
            "tool use: an object among the arguments",
            _rubric({"$object": "noon"}, _TOOLS),
            _FAILED,
            _CRASHED,
            releases=_SINCE,
        ),
        Scenario("tool use: binary data", _rubric({"$bytes": "/w=="}, _TOOLS), _FAILED, _CRASHED, releases=_SINCE),
        Scenario("control: rubric metric, text", _rubric("noon"), _FAILED),
        Scenario("control: rubric metric, a date", _rubric(_NOON), _FAILED),
        Scenario("control: tool use, text", _rubric("noon", _TOOLS), _FAILED, releases=_SINCE),
        Scenario("control: text", _case(_response("noon"), "supported", '"result": "noon"'), _PASSED, releases=_SINCE),
        Scenario(
            "control: nested",
            _case(_response({"h": 12, "m": [0, None]}), "contradictory", '"h": 12'),
            _FAILED,
            releases=_SINCE,
        ),
        Scenario(
            "control: no value",
            _case({"function_response": {"name": "get_time"}}, "supported", "get_time"),
            _PASSED,
            releases=_SINCE,
        ),
    ),
)
