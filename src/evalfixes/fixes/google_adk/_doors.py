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
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
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
    service = LocalEvalService(root_agent=BaseAgent(name="agent"), eval_sets_manager=manager)
    actual, _ = harness.invocations(case["turns"])
    inference = InferenceResult(
        app_name="app",
        eval_set_id="set",
        eval_case_id="case",
        inferences=actual,
        session_id="session",
        status=_success(),
    )
    with harness.scripted(case.get("judge", {})) as (model, _):
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

    with harness.scripted(case.get("judge", {})) as (model, _), agent_module(case["turns"]) as name:
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
    try:
        from google.adk.evaluation.eval_config import EvalConfig
    except ImportError:
        return {"criteria": {m["metric"]: m["threshold"] for m in case["metrics"]}}
    criteria = {metric.metric_name: metric.criterion for metric in _metrics(case, model)}
    return {"eval_config": EvalConfig(criteria=criteria)}


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
