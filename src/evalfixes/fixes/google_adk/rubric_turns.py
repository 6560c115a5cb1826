"""Every rubric reply is read against the last turn's rubrics."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness

_PACKAGE = "google.adk.evaluation."
_EVALUATOR = f"{_PACKAGE}rubric_based_evaluator:RubricBasedEvaluator"

_lists: WeakKeyDictionary[Any, dict[int, list[Any]]] = WeakKeyDictionary()
"""Per evaluator, the rubrics that went into the prompt of a turn, by identity of the turn's own list.
Prompts are formatted before their replies are read, so what is looked up is never stale."""

_bound: ContextVar[tuple[Any, list[Any]] | None] = ContextVar("evalfixes_turn_rubrics", default=None)


def rubrics_of_turn(evaluator: Any, actual: Any) -> list[Any] | None:
    """The rubrics that the prompt of a turn asked about; None if that was not seen."""
    return _lists.get(evaluator, {}).get(id(getattr(actual, "rubrics", None)))


def _build_create(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def create_effective_rubrics_list(self: Any, invocation_rubrics: Any) -> None:
        original(self, invocation_rubrics)
        _lists.setdefault(self, {})[id(invocation_rubrics)] = self._effective_rubrics_list

    return create_effective_rubrics_list


def _build_get(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def get_effective_rubrics_list(self: Any) -> Any:
        bound = _bound.get()
        if bound is not None and bound[0] is self:
            return bound[1]
        return original(self)

    return get_effective_rubrics_list


def _build_sample(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_single_sample(self: Any, llm_request: Any, actual: Any, expected: Any) -> Any:
        rubrics = rubrics_of_turn(self, actual)
        if rubrics is None:
            return await original(self, llm_request, actual, expected)
        token = _bound.set((self, rubrics))
        try:
            return await original(self, llm_request, actual, expected)
        finally:
            _bound.reset(token)

    return _evaluate_single_sample


_R1 = {"id": "r1", "text": "Turn one is correct.", "type": "FINAL_RESPONSE_QUALITY"}
_R2 = {"id": "r2", "text": "Turn two is correct.", "type": "FINAL_RESPONSE_QUALITY"}
_R1_NO = _harness.rubric_verdicts(("r1", _R1["text"], "no"))
_R2_YES = _harness.rubric_verdicts(("r2", _R2["text"], "yes"))
_PERFECT = {
    "rubric:[id: r1]": [_R1_NO],
    "rubric:[id: r2]": [_R2_YES],
}
_ALL = _harness.rubric_verdicts(("r1", _R1["text"], "no"), ("r2", _R2["text"], "yes"))


def _case(
    *rubrics: list[dict[str, str]],
    judge: Any = None,
    common: tuple[dict[str, str], ...] = (),
    metric: str = "rubric_based_final_response_quality_v1",
) -> dict[str, Any]:
    return {
        "metric": metric,
        "threshold": 0.8,
        "criterion": {"rubrics": list(common)},
        "turns": [{"user": f"q{n}", "answer": "x", "rubrics": own} for n, own in enumerate(rubrics)],
        "judge": judge or _PERFECT,
    }


def _tool(rubric: dict[str, str]) -> dict[str, str]:
    return {**rubric, "type": "TOOL_USE_QUALITY"}


_BOTH = {"score": 0.5, "status": "FAILED"}
_COMMON = {"id": "c", "text": "It is polite."}
_C_YES = ("c", _COMMON["text"], "yes")

FIX = Fix(
    id="adk-rubric-turns",
    dist="google-adk",
    title="rubric replies of all turns are read against the last turn's rubrics",
    before="The prompts of all turns are formatted before the first reply is read, and each prompt replaces the one "
    "list of rubrics that all replies are looked up in: a perfect judge's no for the rubric of turn 1 is thrown away, "
    "and turn 2's yes alone makes 1.0.",
    after="Each reply is read against the rubrics that its own prompt asked about.",
    replacements=(
        Replacement(f"{_EVALUATOR}.create_effective_rubrics_list", _build_create),
        Replacement(f"{_EVALUATOR}.get_effective_rubrics_list", _build_get),
        Replacement(f"{_PACKAGE}llm_as_judge:LlmAsJudge._evaluate_single_sample", _build_sample),
    ),
    evaluate=_harness.evaluate,
    loads=(
        _PACKAGE + "rubric_based_final_response_quality_v1",
        _PACKAGE + "rubric_based_tool_use_quality_v1",
    ),
    scenarios=(
        Scenario(
            "turn 1 fails its rubric, turn 2 meets its own",
            _case([_R1], [_R2]),
            {**_BOTH, "turns": [[0.0, "FAILED"], [1.0, "PASSED"]]},
            {"score": 1.0, "status": "PASSED", "turns": [[None, "NOT_EVALUATED"], [1.0, "PASSED"]]},
        ),
        Scenario(
            "turn 1 meets its rubric, turn 2 fails its own",
            _case([_R2], [_R1]),
            {**_BOTH, "turns": [[1.0, "PASSED"], [0.0, "FAILED"]]},
            {"score": 0.0, "status": "FAILED", "turns": [[None, "NOT_EVALUATED"], [0.0, "FAILED"]]},
        ),
        Scenario(
            "a rubric for all turns beside those of each turn",
            _case(
                [_R1],
                [_R2],
                common=(_COMMON,),
                judge={
                    "rubric:[id: r1]": [_harness.rubric_verdicts(_C_YES, ("r1", _R1["text"], "no"))],
                    "rubric:[id: r2]": [_harness.rubric_verdicts(_C_YES, ("r2", _R2["text"], "yes"))],
                },
            ),
            {"score": 0.75, "status": "FAILED"},
            {"score": 1.0, "status": "PASSED"},
        ),
        Scenario(
            "tool use",
            _case([_tool(_R1)], [_tool(_R2)], metric="rubric_based_tool_use_quality_v1"),
            _BOTH,
            {"score": 1.0, "status": "PASSED"},
        ),
        Scenario("control: the same rubrics on both turns", _case([_R1, _R2], [_R1, _R2], judge=[_ALL]), _BOTH),
        Scenario("control: one turn", _case([_R1]), {"score": 0.0, "status": "FAILED"}),
        Scenario(
            "control: rubrics of the metric only",
            _case([], [], common=(_COMMON,), judge=[_harness.rubric_verdicts(_C_YES)]),
            {"score": 1.0, "status": "PASSED"},
        ),
    ),
    risks="Scores of eval cases with rubrics per turn change in both directions.",
)
