"""A turn that a guardrail answered stops the rubric metric for all turns."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness

_PACKAGE = "google.adk.evaluation."
_formatting: ContextVar[bool] = ContextVar("evalfixes_formatting_rubric_prompt", default=False)


def _build_format(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def format_auto_rater_prompt(self: Any, actual_invocation: Any, _: Any) -> Any:
        token = _formatting.set(True)
        try:
            return original(self, actual_invocation, _)
        finally:
            _formatting.reset(token)

    return format_auto_rater_prompt


def _build_instructions(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # Elsewhere an unknown agent is an error, as upstream's own tests say.
    def get_developer_instructions(self: Any, agent_name: str) -> Any:
        if _formatting.get() and agent_name not in self.agent_details:
            return ""
        return original(self, agent_name)

    return get_developer_instructions


_TEXT = "The answer is correct."
_AGENTS = {"root": {"instructions": "Be brief."}}


def _turn(author: str | None, agents: Any = None) -> dict[str, Any]:
    return {
        "answer": "x",
        "events": [{"author": author, "content": ["blocked"]}],
        "agents": _AGENTS if agents is None else agents,
    }


def _case(verdict: str, *turns: dict[str, Any], seen: str = "") -> dict[str, Any]:
    return {
        "metric": "rubric_based_final_response_quality_v1",
        "threshold": 0.8,
        "criterion": {"rubrics": [{"id": "a", "text": _TEXT}]},
        "turns": list(turns),
        "judge": {f"rubric:{seen}": [_harness.rubric_verdicts(("a", _TEXT, verdict))]},
    }


_FAILED = {"score": 0.0, "status": "FAILED"}
_PASSED = {"score": 1.0, "status": "PASSED"}
_CRASHED = {"score": None, "status": "ERROR"}

FIX = Fix(
    id="adk-rubric-author",
    dist="google-adk",
    title="a turn answered by a guardrail stops the rubric metric for all turns",
    before="The instructions of the first event's author are looked up; where a callback answered instead of the "
    "model, no agent of that name is on record, and the exception leaves every turn NOT_EVALUATED.",
    after="An author without recorded instructions has none, and all turns are judged.",
    replacements=(
        Replacement(
            f"{_PACKAGE}rubric_based_final_response_quality_v1:"
            "RubricBasedFinalResponseQualityV1Evaluator.format_auto_rater_prompt",
            _build_format,
        ),
        Replacement(f"{_PACKAGE}app_details:AppDetails.get_developer_instructions", _build_instructions),
    ),
    evaluate=_harness.evaluate,
    loads=(_PACKAGE + "rubric_based_final_response_quality_v1",),
    scenarios=(
        Scenario("guardrail in turn 2, no", _case("no", _turn("root"), _turn("guard")), _FAILED, _CRASHED),
        Scenario("guardrail in turn 2, yes", _case("yes", _turn("root"), _turn("guard")), _PASSED, _CRASHED),
        Scenario("no agents on record", _case("no", _turn("root"), _turn("root", {})), _FAILED, _CRASHED),
        Scenario("control: known author", _case("no", _turn("root"), seen="Be brief."), _FAILED),
        Scenario("control: two known turns", _case("yes", _turn("root"), _turn("root"), seen="Be brief."), _PASSED),
    ),
)
