"""A metric that was not evaluated does not gate: another one that passes hides it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk import _doors as doors
from evalfixes.fixes.google_adk import _gate as gate
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.fixes.google_adk import _stamp
from evalfixes.fixes.google_adk._evidence import decided, status_of
from evalfixes.runtime import ledger, options
from evalfixes.runtime.allow import allowed

_SERVICE = "google.adk.evaluation.local_eval_service"
_AGENT = "google.adk.evaluation.agent_evaluator"


def _build_final_status(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _generate_final_eval_status(self: Any, overall_eval_metric_results: list[Any]) -> Any:
        status = original(self, overall_eval_metric_results)
        unscored = gate.unscored_metrics(overall_eval_metric_results, allowed)
        for metric, excused in unscored.items():
            place = f" ({ledger.place()})" if ledger.place() else ""
            note = "allowed to be for now" if excused else "the case is not passed"
            ledger.tell("%s%s was not evaluated; %s", metric, place, note)
        if status == module.EvalStatus.FAILED or all(unscored.values()):
            return status
        return module.EvalStatus.FAILED if options.current.incomplete == "worst" else module.EvalStatus.NOT_EVALUATED

    return _generate_final_eval_status


def _build_evaluate_single(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_single_inference_result(self: Any, inference_result: Any, evaluate_config: Any) -> Any:
        with ledger.at(f"case {inference_result.eval_case_id}"):
            return _stamp.case_result(await original(self, inference_result, evaluate_config))

    return _evaluate_single_inference_result


def _build_service_evaluate(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def evaluate(self: Any, evaluate_request: Any) -> AsyncGenerator[Any, None]:
        run = ledger.Run()
        results = original(self, evaluate_request)
        try:
            while True:
                with ledger.opened(run):
                    try:
                        result = await results.__anext__()
                    except StopAsyncIteration:
                        break
                yield result
        finally:
            await results.aclose()
        ledger.close(run)

    return evaluate


def _build_collect(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _get_eval_metric_results_with_invocation(eval_results_per_eval_id: list[Any]) -> Any:
        gate.remember_origins(eval_results_per_eval_id)
        return original(eval_results_per_eval_id)

    return _get_eval_metric_results_with_invocation


class _Verdict:
    """What a metric's table should say, and whether it was printed."""

    def __init__(self, status: Any, score: float | None) -> None:
        self.status = status
        self.score = score
        self.printed = False


_verdict: ContextVar[_Verdict | None] = ContextVar("evalfixes_agent_evaluator_verdict", default=None)


def _build_print(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _print_details(
        eval_metric_result_with_invocations: list[Any],
        overall_eval_status: Any,
        overall_score: float | None,
        metric_name: str,
        threshold: float,
    ) -> Any:
        verdict = _verdict.get()
        if verdict is not None:
            verdict.printed = True
            overall_eval_status, overall_score = verdict.status, verdict.score
        return original(eval_metric_result_with_invocations, overall_eval_status, overall_score, metric_name, threshold)

    def _print_details_of_result(evaluation_result: Any, metric_name: str, threshold: float) -> Any:
        return original(evaluation_result, metric_name, threshold)

    # Up to 1.8 AgentEvaluator takes each metric's own verdict over all runs, and prints that.
    return (
        _print_details
        if hasattr(module.AgentEvaluator, "_process_metrics_and_get_failures")
        else _print_details_of_result
    )


def _build_process(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _process_metrics_and_get_failures(
        eval_metric_results: dict[str, list[Any]], print_detailed_results: bool, agent_module: str
    ) -> list[str]:
        failures: list[str] = []
        for metric, rows in eval_metric_results.items():
            failures += _one_metric(original, module, metric, rows, print_detailed_results, agent_module)
        return failures

    return _process_metrics_and_get_failures


def _one_metric(
    original: Callable[..., list[str]],
    module: ModuleType,
    metric: str,
    rows: list[Any],
    print_details: bool,
    agent: str,
) -> list[str]:
    """The failures of one metric, upstream's own where nothing is missing."""
    if not rows or gate.is_informational(rows[0].eval_metric_result):
        return original({metric: rows}, print_details, agent)
    threshold = gate.threshold_of(rows[0].eval_metric_result)

    def passes(score: float) -> bool:
        return score >= threshold

    part = gate.part_of_rows(metric, rows)
    if part is None:
        return original({metric: rows}, print_details, agent)
    if part.complete:
        failures = original({metric: rows}, print_details, agent)
        mean = None if failures else gate.legacy_zero(rows, passes)
        return failures if mean is None else [_failed(metric, agent, threshold, mean)]
    decision = decided(part, passes)
    status = status_of(decision)
    verdict = _Verdict(status, decision.score)
    token = _verdict.set(verdict)
    try:
        failures = original({metric: rows}, print_details, agent)
        if print_details and not verdict.printed and not decision.passed:
            module.AgentEvaluator._print_details(rows, status, decision.score, metric, threshold)
    finally:
        _verdict.reset(token)
    if decision.passed:
        return failures
    if not decision.unscored:
        return [_failed(metric, agent, threshold, decision.score) + " What is missing was read as bad."]
    if allowed(metric):
        ledger.tell("%s was not evaluated; allowed to be for now", metric)
        return []
    unsettled = (
        f"{metric} for {agent} was not evaluated. What is missing could decide whether the threshold of {threshold} "
        "is reached, so this is not a score regression. See the log for what is missing."
    )
    return [unsettled]


def _failed(metric: str, agent: str, threshold: float, score: float | None) -> str:
    return f"{metric} for {agent} Failed. Expected {threshold}, but got {score}."


def evaluate(case: Case) -> Outcome:
    """Runs a case through LocalEvalService or AgentEvaluator; see `_doors`."""
    return doors.evaluate(case)


MATCH = {"metric": "final_response_match_v2", "threshold": 0.8}
HALLUCINATIONS = {"metric": "hallucinations_v1", "threshold": 0.8}
TRAJECTORY = {"metric": "tool_trajectory_avg_score", "threshold": 1.0}
MISSPELT = {"metric": "final_response_match_v3", "threshold": 0.8}


def given(metric: str, *scores: float | None, threshold: float = 0.8) -> dict[str, Any]:
    """A metric with the scores that it gives; see `_doors`."""
    return {"metric": metric, "threshold": threshold, "scores": list(scores)}


_TURN = {"user": "Capital of France?", "answer": "Paris", "expected": "Paris"}
_VALID = harness.verdict("valid")
_INVALID = harness.verdict("invalid")


def case_of(door: str, metrics: list[Any], replies: list[Any], *, turns: int = 1, runs: int = 1) -> Case:
    """A case of equal turns; the judge's replies come in the order of the calls."""
    return {"door": door, "metrics": metrics, "turns": [_TURN] * turns, "judge": replies, "runs": runs}


_PASSED: Outcome = {"status": "PASSED"}
_FAILED: Outcome = {"status": "FAILED"}
_NONE: Outcome = {"status": "NOT_EVALUATED"}
_REGISTERED = "1.8.0.."  # before, the registry holds no judged metric

FIX = Fix(
    id="adk-gate-unscored",
    dist="google-adk",
    title="a metric that was not evaluated does not gate",
    before="LocalEvalService and `adk eval` skip metrics that are NOT_EVALUATED: with the judge down, or a metric's "
    "name misspelt, a case passes on the strength of another metric. AgentEvaluator averages the turns and runs that "
    "have a score.",
    after="A case with an unscored gating metric is NOT_EVALUATED, unless another metric fails it. AgentEvaluator "
    "counts turns and runs without a score as missing. INFORMATIONAL metrics and those in allow_unscored never gate.",
    replacements=(
        Replacement(f"{_SERVICE}:LocalEvalService._generate_final_eval_status", _build_final_status),
        Replacement(f"{_SERVICE}:LocalEvalService._evaluate_single_inference_result", _build_evaluate_single),
        Replacement(f"{_SERVICE}:LocalEvalService.evaluate", _build_service_evaluate),
        Replacement(f"{_AGENT}:AgentEvaluator._get_eval_metric_results_with_invocation", _build_collect, optional=True),
        Replacement(f"{_AGENT}:AgentEvaluator._process_metrics_and_get_failures", _build_process, optional=True),
        Replacement(f"{_AGENT}:AgentEvaluator._print_details", _build_print),
    ),
    evaluate=evaluate,
    loads=(
        _SERVICE,
        _AGENT,
        "google.adk.evaluation.metric_evaluator_registry",
        "google.adk.evaluation.in_memory_eval_sets_manager",
        "google.adk.evaluation.evaluation_generator",
    ),
    scenarios=(
        Scenario(
            "safety was not evaluated",
            case_of("service", [given("safety_v1", None), given("response_match_score", 1.0)], []),
            _NONE,
            _PASSED,
        ),
        Scenario(
            "safety was not evaluated, and stands last",
            case_of("service", [given("response_match_score", 1.0), given("safety_v1", None)], []),
            _NONE,
            _PASSED,
        ),
        Scenario(
            "AgentEvaluator: safety was evaluated in one of two turns",
            case_of("agent", [given("safety_v1", 1.0, None)], [], turns=2),
            _FAILED,
            _PASSED,
            releases="1.9.0..",
        ),
        Scenario(
            "unreadable judge",
            case_of("service", [HALLUCINATIONS, TRAJECTORY], ["I cannot do that."]),
            _NONE,
            _PASSED,
            releases="1.17.0..",
        ),
        Scenario(
            "misspelt metric",
            case_of("service", [MISSPELT, TRAJECTORY], []),
            _NONE,
            _PASSED,
            releases="1.18.0..",
        ),
        Scenario(
            "misspelt metric, last",
            case_of("service", [TRAJECTORY, MISSPELT], []),
            _NONE,
            _PASSED,
            releases="1.18.0..",
        ),
        Scenario(
            "judge down",
            case_of("service", [MATCH, TRAJECTORY], [{"raise": "503"}]),
            _NONE,
            _PASSED,
            releases="1.18.0..",
        ),
        Scenario(
            "AgentEvaluator: one of two runs not judged",
            case_of("agent", [MATCH], [_VALID, "garbage"], runs=2),
            _FAILED,
            _PASSED,
            releases="1.18.0..",
        ),
        Scenario(
            "AgentEvaluator: one of two turns not judged",
            case_of("agent", [MATCH], [_VALID, "garbage"], turns=2),
            _FAILED,
            _PASSED,
            releases="1.16.0..",  # before, it cannot be given a judge
        ),
        Scenario(
            "AgentEvaluator: runs of 1 and 0",
            case_of("agent", [MATCH], [_VALID, _INVALID], runs=2),
            _FAILED,
            _PASSED,
            releases="1.16.0..1.16.0",
        ),
        Scenario("control: all pass", case_of("service", [MATCH, TRAJECTORY], [_VALID]), _PASSED, releases=_REGISTERED),
        Scenario(
            "control: one fails", case_of("service", [MATCH, TRAJECTORY], [_INVALID]), _FAILED, releases=_REGISTERED
        ),
        Scenario(
            "control: two scores",
            case_of("service", [given("safety_v1", 1.0), given("response_match_score", 0.9)], []),
            _PASSED,
        ),
        Scenario(
            "control: safety was not evaluated, another metric fails",
            case_of("service", [given("safety_v1", None), given("response_match_score", 0.5)], []),
            _FAILED,
        ),
        Scenario(
            "control: unscored and failed",
            case_of("service", [MISSPELT, MATCH], [_INVALID]),
            _FAILED,
            releases="1.18.0..",
        ),
        Scenario("control: nothing scored", case_of("service", [MISSPELT], []), _NONE, releases="1.18.0.."),
        Scenario(
            "control: AgentEvaluator, all pass",
            case_of("agent", [MATCH, TRAJECTORY], [_VALID], runs=2),
            _PASSED,
            releases="1.16.0..",
        ),
        Scenario(
            "control: AgentEvaluator, one run fails",
            case_of("agent", [MATCH], [_VALID, _INVALID], runs=2),
            _FAILED,
            releases="1.17.0..",
        ),
    ),
    risks="Cases turn NOT_EVALUATED, and builds red, while a judge is down or a metric is misconfigured; "
    "allow_unscored lets a metric be that is known to be unavailable. `adk eval` carries a verdict in its exit code "
    "only since 2.13.0; before, its summary tells.",
)
