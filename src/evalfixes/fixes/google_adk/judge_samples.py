"""One failed sample throws away the other samples' votes, and unread ones count as if never asked for."""

from __future__ import annotations

import copy
import inspect
from collections.abc import AsyncGenerator, Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.fixes.google_adk.rubric_turns import rubrics_of_turn
from evalfixes.runtime import ledger, options
from evalfixes.verdicts.samples import majority

_PACKAGE = "google.adk.evaluation."
_JUDGE = f"{_PACKAGE}llm_as_judge:LlmAsJudge"


def _build_sample(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_single_sample(self: Any, llm_request: Any, actual: Any, expected: Any) -> Any:
        result, why = None, ""
        for _ in range(options.current.rejudge + 1):
            try:
                result, why = await original(self, llm_request, actual, expected), "no verdict in the reply"
            except Exception as error:
                result, why = None, f"{type(error).__name__}: {error}"
            if result is not None and (result.score is not None or result.rubric_scores):
                break
        if result is None:
            result = _abstention(module, self, actual, expected)
        elif result.rubric_scores:
            return result  # its rubrics were counted when they were read
        _report(self._eval_metric.metric_name, result, why)
        return result

    return _evaluate_single_sample


def _report(metric: str, result: Any, why: str) -> None:
    name = getattr(result.actual_invocation, "invocation_id", "")
    where = f"invocation {name}" if name else ""
    if result.score is not None:
        ledger.record(metric, 1)
    else:
        parts = len(result.rubric_scores or ()) or 1
        ledger.record(metric, parts, ["not judged"] * parts, where=where, why=why)


def _abstention(module: Any, evaluator: Any, actual: Any, expected: Any) -> Any:
    """The result of a sample that failed: no score, but for a rubric metric all its rubrics, unanswered."""
    rubric_scores = None
    if hasattr(evaluator, "get_effective_rubrics_list"):
        asked = rubrics_of_turn(evaluator, actual) or evaluator.get_effective_rubrics_list()
        rubric_scores = [
            module.RubricScore(rubric_id=rubric.rubric_id, score=None, rationale="Unscored: the judge's call failed.")
            for rubric in asked
        ]
    return module.PerInvocationResult(
        actual_invocation=actual,
        expected_invocation=expected,
        score=None,
        eval_status=module.EvalStatus.NOT_EVALUATED,
        rubric_scores=rubric_scores,
    )


class _Patient:
    """A judge model whose failed calls become empty replies; for releases that raise out of the loop."""

    def __init__(self, model: Any, module: Any) -> None:
        self._model = model
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
        for last in [False] * options.current.rejudge + [True]:
            replies = []
            try:
                async for reply in self._model.generate_content_async(llm_request, stream):
                    replies.append(reply)
            except Exception as error:
                logger = getattr(self._module, "logger", None)
                if logger is not None:
                    logger.warning("A judge's sample failed: %s", error)
                if not last and not replies:
                    continue
            if not replies:
                replies = [self._module.LlmResponse()]
            for reply in replies:
                yield reply
            return


def _build_evaluate(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    judge: Any = module.LlmAsJudge
    if hasattr(judge, "_evaluate_single_sample"):

        def own(evaluator: Any) -> Any:
            return evaluator

    else:

        def own(evaluator: Any) -> Any:
            patient = copy.copy(evaluator)
            patient._judge_model = _Patient(evaluator._judge_model, module)
            return patient

    if "conversation_scenario" in inspect.signature(original).parameters:

        async def evaluate_invocations(
            self: Any, actual_invocations: Any, expected_invocations: Any = None, conversation_scenario: Any = None
        ) -> Any:
            return await original(own(self), actual_invocations, expected_invocations, conversation_scenario)

        return evaluate_invocations

    async def evaluate_both(self: Any, actual_invocations: Any, expected_invocations: Any) -> Any:
        return await original(own(self), actual_invocations, expected_invocations)

    return evaluate_both


def _build_vote(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def aggregate_per_invocation_samples(self: Any, per_invocation_samples: list[Any]) -> Any:
        votes = [{1.0: True, 0.0: False}.get(sample.score) for sample in per_invocation_samples]
        if None not in votes:
            return original(self, per_invocation_samples)
        verdict = majority(votes, options.current.incomplete)
        for sample, vote in zip(per_invocation_samples, votes, strict=True):
            if vote is verdict:
                return sample
        statuses = module.EvalStatus
        return per_invocation_samples[0].model_copy(update={"score": 0.0, "eval_status": statuses.FAILED})

    return aggregate_per_invocation_samples


_V, _I = _harness.verdict("valid"), _harness.verdict("invalid")
_DOWN = {"raise": "503 UNAVAILABLE"}


def _case(samples: list[Any], first: list[Any] | None = None) -> dict[str, Any]:
    turns = [{"user": "Capital of France?", "answer": "London", "expected": "Paris"}]
    script = {"match:London": samples}
    if first is not None:
        turns.insert(0, {"user": "Capital of Norway?", "answer": "Oslo", "expected": "Oslo"})
        script["match:Oslo"] = first
    return {
        "metric": "final_response_match_v2",
        "threshold": 0.8,
        "samples": len(samples),
        "turns": turns,
        "judge": script,
    }


_FAILED = {"score": 0.0, "status": "FAILED"}
_PASSED = {"score": 1.0, "status": "PASSED"}
_OPEN = {"score": None, "status": "NOT_EVALUATED"}
_CRASHED = {"1.6.1..2.7.1": {"score": None, "status": "ERROR"}}

FIX = Fix(
    id="adk-judge-samples",
    dist="google-adk",
    title="one failed sample of a judge throws away the votes of all others",
    before="If one of num_samples calls fails, the turn is NOT_EVALUATED and drops out of the mean, however the other "
    "samples voted (before 2.8 the whole metric fails). Samples whose reply cannot be read leave the vote: one valid "
    "and four unread make a valid turn.",
    after="A failed or unread sample is asked once more and then abstains; a verdict stands if no vote of those who "
    "abstain could change it, and is open otherwise.",
    replacements=(
        Replacement(f"{_JUDGE}._evaluate_single_sample", _build_sample, optional=True),
        Replacement(f"{_JUDGE}.evaluate_invocations", _build_evaluate),
        Replacement(
            f"{_PACKAGE}final_response_match_v2:FinalResponseMatchV2Evaluator.aggregate_per_invocation_samples",
            _build_vote,
        ),
    ),
    evaluate=_harness.evaluate,
    loads=(_PACKAGE + "final_response_match_v2", _PACKAGE + "rubric_based_final_response_quality_v1"),
    requires=("adk-gate-unscored", "adk-unscored-invocations", "adk-rubric-answers"),
    scenarios=(
        Scenario(
            "four of five say invalid, one call fails",
            _case([_DOWN, _DOWN, _I, _I, _I, _I], [_V]) | {"samples": 5},
            {"score": 0.5, "status": "FAILED"},
            _PASSED,
            wrong_in=_CRASHED,
        ),
        Scenario(
            "three of five say invalid, two calls fail for good",
            _case([_I, _I, _I, _DOWN], [_V]) | {"samples": 5},
            {"score": 0.5, "status": "FAILED"},
            _PASSED,
            wrong_in=_CRASHED,
        ),
        Scenario(
            "one valid, four unread",
            _case([_V, "garbage", "garbage", "garbage", "garbage"]),
            _OPEN,
            _PASSED,
            releases="2.3.0..2.13.0",
        ),
        Scenario(
            "two valid, three unread",
            _case([_V, _V, "garbage", "garbage", "garbage"]),
            _OPEN,
            _PASSED,
            releases="2.3.0..2.13.0",
        ),
        Scenario("control: one invalid, one unread", _case([_I, "garbage"]), _FAILED),
        Scenario("control: three valid, two unread", _case([_V, _V, _V, "garbage", "garbage"]), _PASSED),
        Scenario("control: five votes", _case([_V, _I, _I, _I, _V]), _FAILED),
        Scenario("control: five votes, valid", _case([_V, _V, _I, _I, _V]), _PASSED),
        Scenario("control: a tie", _case([_V, _I]), _FAILED),
        Scenario("control: one sample", _case([_V]), _PASSED),
        Scenario("control: all unread", _case(["garbage", "garbage"]), _OPEN, releases="2.3.0..2.13.0"),
    ),
)
