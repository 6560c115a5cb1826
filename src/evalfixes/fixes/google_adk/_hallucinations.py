"""What the fixes of hallucinations_v1 share: the steps of an evaluation, and its threshold."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.verdicts.aggregate import Part

METRIC = "hallucinations_v1"
MODULE = "google.adk.evaluation.hallucinations_v1"
CLASS = "HallucinationsV1Evaluator"


class Steps:
    """The parts of one call of ``evaluate_invocations``: per invocation, one per step.

    Attributes:
        invocations: Parts of the steps, grouped by invocation.
        names: The invocations' ids.
    """

    def __init__(self) -> None:
        self.invocations: list[list[Part]] = []
        self.names: list[str] = []

    def note(self, part: Part) -> None:
        """Adds the part of a step."""
        if self.invocations:
            self.invocations[-1].append(part)

    def mark(self) -> int:
        """A place to go back to."""
        return len(self.invocations[-1]) if self.invocations else 0

    def replace(self, mark: int, part: Part) -> None:
        """Puts one part in the place of all since the mark."""
        if self.invocations:
            self.invocations[-1][mark:] = [part]


steps: ContextVar[Steps | None] = ContextVar("evalfixes_hallucinations_steps", default=None)
"""The steps of the evaluation that runs in this context."""


def passes(evaluator: Any, module: ModuleType) -> Callable[[float], bool]:
    """Upstream's own comparison with the threshold.

    Where the threshold is read from differs between releases, so the evaluator is asked to aggregate
    a single result with the score in question.
    """

    def compare(score: float) -> bool:
        result = module.PerInvocationResult.model_construct(score=score, eval_status=module.EvalStatus.FAILED)
        token = steps.set(None)
        try:
            status = evaluator._aggregate_invocation_results([result]).overall_eval_status
        finally:
            steps.reset(token)
        return bool(status == module.EvalStatus.PASSED)

    return compare


def where() -> str:
    """The invocation that is being judged, if it has an id."""
    running = steps.get()
    name = running.names[-1] if running is not None and running.names else ""
    return f"invocation {name}" if name else ""
