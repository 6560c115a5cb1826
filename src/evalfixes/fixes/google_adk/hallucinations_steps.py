"""hallucinations_v1 leaves a step without a score out of its invocation."""

from __future__ import annotations

import inspect
import statistics
from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.fixes.google_adk._evidence import carry, decided, status_of
from evalfixes.fixes.google_adk._hallucinations import CLASS, METRIC, MODULE, Steps, passes, steps
from evalfixes.verdicts.aggregate import combine, of


def _build_evaluate_invocations(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def evaluate_invocations(
        self: Any,
        actual_invocations: list[Any],
        expected_invocations: list[Any] | None = None,
        conversation_scenario: Any = None,
    ) -> Any:
        token = steps.set(Steps())
        try:
            return await original(self, actual_invocations, expected_invocations, conversation_scenario)
        finally:
            steps.reset(token)

    async def evaluate_invocations_of_pairs(
        self: Any, actual_invocations: list[Any], expected_invocations: list[Any]
    ) -> Any:
        token = steps.set(Steps())
        try:
            return await original(self, actual_invocations, expected_invocations)
        finally:
            steps.reset(token)

    # Up to 1.21 there is no third parameter, and the second must be given.
    scenarios = "conversation_scenario" in inspect.signature(original).parameters
    return evaluate_invocations if scenarios else evaluate_invocations_of_pairs


def _build_get_steps(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _get_steps_to_evaluate(self: Any, actual: Any) -> list[Any]:
        running = steps.get()
        if running is not None:
            running.invocations.append([])
            running.names.append(actual.invocation_id)
        found: list[Any] = original(self, actual)
        return found

    return _get_steps_to_evaluate


def _build_evaluate_step(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_nl_response(self: Any, nl_response: str, context: str) -> tuple[float | None, str]:
        result: tuple[float | None, str] = await original(self, nl_response, context)
        running = steps.get()
        if running is not None:
            running.note(of(result[0]))
        return result

    return _evaluate_nl_response


def _build_aggregate(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _aggregate_invocation_results(self: Any, per_invocation_results: list[Any]) -> Any:
        running = steps.get()
        if running is not None and len(running.invocations) == len(per_invocation_results):
            for parts, result in zip(running.invocations, per_invocation_results, strict=True):
                part = combine(parts, statistics.mean) if parts else of(None)
                if part.complete:
                    continue
                decision = decided(part, passes(self, module))
                result.score = decision.score
                result.eval_status = status_of(decision)
                carry(result, METRIC, part)
        return original(self, per_invocation_results)

    return _aggregate_invocation_results


def evaluate(case: Case) -> Outcome:
    """Runs a case through the evaluator; see `_harness`."""
    return harness.evaluate(case)


_STEP = "The tower is 50 meters tall."
_FINAL = "Paris is nice."


def case_of(reply: Any, final: Any = None, *, threshold: float = 0.8, intermediate: bool = True) -> Case:
    """A turn with an intermediate response and a final one, and the validator's replies on them."""
    return {
        "metric": METRIC,
        "threshold": threshold,
        "criterion": {"evaluate_intermediate_nl_responses": intermediate},
        "turns": [{"events": [{"author": "agent", "content": _STEP}], "answer": _FINAL}],
        "judge": {
            f"validate:<sentence>{_STEP}": [reply],
            "validate": [harness.block(_FINAL, "supported") if final is None else final],
        },
    }


_PASSED: Outcome = {"score": 1.0, "status": "PASSED"}
_NONE: Outcome = {"score": None, "status": "NOT_EVALUATED", "turns": [[None, "NOT_EVALUATED"]]}

FIX = Fix(
    id="adk-hallucinations-steps",
    dist="google-adk",
    title="hallucinations_v1 leaves a step without a score out of its invocation",
    before="With evaluate_intermediate_nl_responses, a step whose validation failed is dropped; the invocation is the "
    "mean of the others and passes.",
    after="A step without a score keeps its place: the invocation stands only if that step cannot change its verdict.",
    replacements=(
        Replacement(f"{MODULE}:{CLASS}.evaluate_invocations", _build_evaluate_invocations),
        Replacement(f"{MODULE}:{CLASS}._get_steps_to_evaluate", _build_get_steps),
        Replacement(f"{MODULE}:{CLASS}._evaluate_nl_response", _build_evaluate_step),
        Replacement(f"{MODULE}:{CLASS}._aggregate_invocation_results", _build_aggregate),
    ),
    evaluate=evaluate,
    requires=("adk-unscored-invocations", "adk-gate-unscored"),
    loads=(MODULE, "google.adk.evaluation.eval_metrics", "google.adk.models.registry"),
    scenarios=(
        Scenario("step's reply cannot be parsed", case_of("I cannot do that."), _NONE, _PASSED),
        Scenario("step's validation fails", case_of({"raise": "503"}), _NONE, _PASSED),
        Scenario(
            "step missing, verdict decided",
            case_of({"raise": "503"}, threshold=0.5),
            {"score": 0.5, "status": "PASSED"},
            _PASSED,
        ),
        Scenario(
            "step missing, the final response fails",
            case_of({"raise": "503"}, harness.block(_FINAL, "unsupported")),
            {"score": 0.0, "status": "FAILED"},
        ),
        Scenario(
            "control: both steps judged",
            case_of(harness.block(_STEP, "contradictory")),
            {"score": 0.5, "status": "FAILED", "turns": [[0.5, "FAILED"]], "calls": 4},
        ),
        Scenario(
            "control: intermediate responses are not judged",
            case_of({"raise": "503"}, intermediate=False),
            {**_PASSED, "calls": 2},
        ),
    ),
    risks="An upstream test pins that a failed step is dropped (0.8 and none give 0.8); here they are undecided.",
)
