"""Built-in tools, and values that JSON cannot hold, stop the multi-turn rubric metric."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.fixes.google_adk._content import with_declarations, writable_invocation

_MODULE = "google.adk.evaluation.rubric_based_multi_turn_trajectory_evaluator"


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _assemble_dialogue_history(self: Any, actual_invocations: Any) -> None:
        original(self, [with_declarations(writable_invocation(invocation)) for invocation in actual_invocations])

    return _assemble_dialogue_history


_TEXT = "The agent is polite."


def _case(verdict: str, tools: list[Any] | None = None, part: Any = None, seen: str = "") -> dict[str, Any]:
    turn: dict[str, Any] = {"answer": "Hello.", "agents": {"root": {"instructions": "i", "tools": tools or []}}}
    if part is not None:
        turn["events"] = [{"author": "root", "content": [part]}]
    return {
        "metric": "rubric_based_multi_turn_trajectory_quality_v1",
        "threshold": 0.8,
        "criterion": {"rubrics": [{"id": "a", "text": _TEXT}]},
        "turns": [turn],
        "judge": {f"rubric:{seen}": [_harness.rubric_verdicts(("a", _TEXT, verdict))]},
    }


_FAILED = {"score": 0.0, "status": "FAILED"}
_PASSED = {"score": 1.0, "status": "PASSED"}
_CRASHED = {"score": None, "status": "ERROR"}
_SEARCH: dict[str, Any] = {"google_search": {}}
_OWN = {"function_declarations": [{"name": "add", "description": "Adds."}]}
_WHEN = {"$datetime": "2026-01-01T12:00:00"}

FIX = Fix(
    id="adk-multi-turn-builtin-tools",
    dist="google-adk",
    title="built-in tools and odd tool values stop the multi-turn rubric metric",
    before="A tool without function declarations (google_search, code execution), or a tool value that JSON cannot "
    "hold, raises while the dialogue is put together: NOT_EVALUATED.",
    after="Such tools have no declarations to list, such values are written in plain form, and the dialogue is judged.",
    replacements=(
        Replacement(f"{_MODULE}:RubricBasedMultiTurnTrajectoryEvaluator._assemble_dialogue_history", _build),
    ),
    evaluate=_harness.evaluate,
    loads=(_MODULE,),
    scenarios=(
        Scenario("google_search, no", _case("no", [_SEARCH]), _FAILED, _CRASHED),
        Scenario("google_search, yes", _case("yes", [_SEARCH]), _PASSED, _CRASHED),
        Scenario(
            "code execution beside a function",
            _case("no", [{"code_execution": {}}, _OWN], seen="- add: Adds."),
            _FAILED,
            _CRASHED,
        ),
        Scenario(
            "a tool returns a date",
            _case("no", part={"function_response": {"name": "t", "response": {"at": _WHEN}}}, seen="T12:00:00"),
            _FAILED,
            _CRASHED,
        ),
        Scenario(
            "a tool is called with an object",
            _case("no", part={"function_call": {"name": "t", "args": {"x": {"$object": "this one"}}}}, seen="this one"),
            _FAILED,
            _CRASHED,
        ),
        Scenario("control: functions", _case("yes", [_OWN], seen="- add: Adds."), _PASSED),
        Scenario("control: no tools", _case("no"), _FAILED),
        Scenario(
            "control: a call",
            _case("yes", [_OWN], {"function_call": {"name": "add", "args": {"x": 1}}}, seen='add({"x": 1})'),
            _PASSED,
        ),
    ),
)
