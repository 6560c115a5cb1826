"""Cases through LocalEvalService and AgentEvaluator, with a scripted agent.

A *case* of `evaluate` is::

    {
        "door": "service",                  # or "agent": AgentEvaluator.evaluate_eval_set
        "metrics": [{"metric": ..., "threshold": ..., "criterion": {...}}, ...],
        "turns": [turn, ...],               # as in `_harness`
        "judge": ...,                       # as in `_harness`
        "runs": 1,                          # of the agent door
    }

The agent says what the turns hold as ``answer``. A metric that google-adk does not know is passed on as it is.
One with ``scores`` is evaluated without a judge, under whatever name: it takes a score or None from there for
each turn, run by run, the last again and again, and averages those that are numbers as upstream's metrics do.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import itertools
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Outcome
from evalfixes.fixes.google_adk import _harness as harness

_NUMBERS = itertools.count()


def evaluate(case: Case) -> Outcome:
    """Runs a case through its door.

    Returns:
        The outcome: ``status`` of the case (from AgentEvaluator ``PASSED`` or ``FAILED``), a score
        only if there is one metric, and the ``metrics`` of the service or the ``failures`` of the agent door.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        return asyncio.run(_agent(case) if case["door"] == "agent" else _service(case))


def _eval_set(case: Case) -> Any:
    from google.adk.evaluation.eval_case import EvalCase
    from google.adk.evaluation.eval_set import EvalSet

    expected = [harness.invocation({"expected": None, **turn}, "expected") for turn in case["turns"]]
    return EvalSet(eval_set_id="set", eval_cases=[EvalCase(eval_id="case", conversation=expected)])


def _metrics(case: Case, model: str) -> list[Any]:
    judged = ("hallucinations_v1", "final_response_match_v2", "rubric_based_")
    return [harness.metric(m, model if m["metric"].startswith(judged) else "") for m in case["metrics"]]


async def _service(case: Case) -> Outcome:
    from google.adk.agents.base_agent import BaseAgent
    from google.adk.evaluation.base_eval_service import EvaluateConfig, EvaluateRequest, InferenceResult
    from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
    from google.adk.evaluation.local_eval_service import LocalEvalService

    eval_set = _eval_set(case)
    manager = InMemoryEvalSetsManager()
    manager.create_eval_set("app", "set")
    manager.add_eval_case("app", "set", eval_set.eval_cases[0])
    actual, _ = harness.invocations(case["turns"])
    inference = InferenceResult(
        app_name="app",
        eval_set_id="set",
        eval_case_id="case",
        inferences=actual,
        session_id="session",
        status=_success(),
    )
    with harness.scripted(case.get("judge", {})) as (model, _), _registered(case["metrics"]):
        service = LocalEvalService(root_agent=BaseAgent(name="agent"), eval_sets_manager=manager)
        request = EvaluateRequest(
            inference_results=[inference], evaluate_config=EvaluateConfig(eval_metrics=_metrics(case, model))
        )
        results = [result async for result in service.evaluate(request)]
    overall = results[0].overall_eval_metric_results
    gating = [result for result in overall if result.eval_status.name != "INFORMATIONAL"]
    return {
        "score": gating[0].score if len(gating) == 1 else None,
        "status": results[0].final_eval_status.name,
        "metrics": {result.metric_name: [result.score, result.eval_status.name] for result in overall},
    }


def _success() -> Any:
    from google.adk.evaluation.base_eval_service import InferenceStatus

    return InferenceStatus.SUCCESS


async def _agent(case: Case) -> Outcome:
    from google.adk.evaluation.agent_evaluator import AgentEvaluator

    with (
        harness.scripted(case.get("judge", {})) as (model, _),
        _registered(case["metrics"]),
        agent_module(case["turns"]) as name,
    ):
        try:
            await AgentEvaluator.evaluate_eval_set(
                name,
                _eval_set(case),
                num_runs=case.get("runs", 1),
                # Its tables cannot be printed with the tabulate that deepeval pins (google-adk 2.10 and later).
                print_detailed_results=bool(case.get("print")),
                **_criteria(case, model),
            )
        except AssertionError as failure:
            return {"score": None, "status": "FAILED", "failures": str(failure).replace(name, "agent").splitlines()[1:]}
    return {"score": None, "status": "PASSED", "failures": []}


def _criteria(case: Case, model: str) -> dict[str, Any]:
    """The criteria in the form that the release takes: thresholds alone up to 1.15, then a config."""
    from google.adk.evaluation.agent_evaluator import AgentEvaluator

    if "eval_config" not in inspect.signature(AgentEvaluator.evaluate_eval_set).parameters:
        return {"criteria": {m["metric"]: m["threshold"] for m in case["metrics"]}}
    from google.adk.evaluation.eval_config import EvalConfig

    criteria = {metric.metric_name: metric.criterion for metric in _metrics(case, model)}
    return {"eval_config": EvalConfig(criteria=criteria)}


@contextlib.contextmanager
def _registered(metrics: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """Evaluators of the metrics that have ``scores``, in google-adk's default registry as long as it is open."""
    given = [metric for metric in metrics if "scores" in metric]
    if not given:
        yield
        return
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY as REGISTRY

    kept = dict(REGISTRY._registry)
    try:
        for metric in given:
            kind = _given_scores(list(metric["scores"]))
            entry = kept.get(metric["metric"], next(iter(kept.values())))
            # Since 1.9 an entry holds what is known of the metric beside its class.
            REGISTRY._registry[metric["metric"]] = (kind, *entry[1:]) if isinstance(entry, tuple) else kind
        yield
    finally:
        REGISTRY._registry.clear()
        REGISTRY._registry.update(kept)


def _given_scores(scores: list[float | None]) -> Any:
    from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, Evaluator, PerInvocationResult

    used = itertools.count()

    class Given(Evaluator):  # type: ignore[misc, unused-ignore]
        """Scores as they were given."""

        def __init__(self, eval_metric: Any) -> None:
            threshold = getattr(getattr(eval_metric, "criterion", None), "threshold", None)
            self._threshold = eval_metric.threshold if threshold is None else threshold

        def _status(self, score: float | None) -> Any:
            if score is None:
                return EvalStatus.NOT_EVALUATED
            return EvalStatus.PASSED if score >= self._threshold else EvalStatus.FAILED

        def evaluate_invocations(
            self, actual_invocations: Any, expected_invocations: Any = None, conversation_scenario: Any = None
        ) -> Any:
            expected = expected_invocations or actual_invocations
            rows = []
            for actual, wanted in zip(actual_invocations, expected, strict=True):
                score = scores[min(next(used), len(scores) - 1)]
                rows.append(
                    PerInvocationResult(
                        actual_invocation=actual,
                        expected_invocation=wanted,
                        score=score,
                        eval_status=self._status(score),
                    )
                )
            known = [row.score for row in rows if row.score is not None]
            mean = sum(known) / len(known) if known else None
            return EvaluationResult(
                overall_score=mean, overall_eval_status=self._status(mean), per_invocation_results=rows
            )

    return Given


@contextlib.contextmanager
def agent_module(turns: Sequence[Mapping[str, Any]]) -> Any:
    """A module that holds an agent which gives the turns' answers, as long as it is open."""
    name = f"evalfixes_scripted_agent_{next(_NUMBERS)}"
    module = ModuleType(name)
    module.agent = ModuleType(f"{name}.agent")  # type: ignore[attr-defined]
    module.agent.root_agent = _scripted_agent(turns)
    sys.modules[name] = module
    try:
        yield name
    finally:
        del sys.modules[name]


def _scripted_agent(turns: Sequence[Mapping[str, Any]]) -> Any:
    from google.adk.agents.base_agent import BaseAgent
    from google.adk.events.event import Event

    class Agent(BaseAgent):  # type: ignore[misc, unused-ignore]
        """Gives the answer of the turn that a session is at."""

        async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
            asked = sum(1 for event in ctx.session.events if event.author == "user")
            answer = turns[max(asked, 1) - 1].get("answer")
            yield Event(invocation_id=ctx.invocation_id, author=self.name, content=harness.content(answer))

    return Agent(name="agent")
