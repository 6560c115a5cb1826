"""How far the evidence behind a result goes: carried beside upstream's results, never inside them.

A turn with a missing label has two readings (`evalfixes.verdicts.aggregate`). Upstream's results have
room for one score only, so the readings travel beside them: a `Part` is kept for the very object of a
``PerInvocationResult``, and for its ``actual_invocation`` under the metric's name, which is how
AgentEvaluator finds it again after LocalEvalService has copied the score into results of its own. What
is stored, dumped or copied is upstream's alone; where the trace is lost, the score stands as it is,
which is the worse reading already.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from threading import Lock
from typing import Any

from evalfixes.runtime import options
from evalfixes.verdicts.aggregate import Decision, Part, decide, missing, of

SCALES = {
    "hallucinations_v1": (0.0, 1.0),
    "final_response_match_v2": (0.0, 1.0),
    "response_match_score": (0.0, 1.0),
    "tool_trajectory_avg_score": (0.0, 1.0),
    "safety_v1": (0.0, 1.0),
    "response_evaluation_score": (1.0, 5.0),
    "per_turn_user_simulator_quality_v1": (0.0, 1.0),
}
"""The bad and the good end of upstream's own metrics; the rubric and multi-turn metrics are from 0 to 1."""

LAST_TURN_ONLY = ("multi_turn_", "rubric_based_multi_turn_")
"""How the names of metrics start that score the last turn only, by design."""


class BesideTable:
    """Values kept for objects by identity, for as long as the objects live."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Any]] = {}
        self._lock = Lock()

    def set(self, key: Any, value: Any) -> None:
        """Keeps a value."""
        number = id(key)
        entries = self._entries

        def forget(gone: weakref.ref[Any]) -> None:
            entry = entries.get(number)
            if entry is not None and entry[0] is gone:
                entries.pop(number, None)

        with self._lock:
            entries[number] = (weakref.ref(key, forget), value)

    def get(self, key: Any) -> Any:
        """The value kept for this object, or None."""
        entry = self._entries.get(id(key))
        return entry[1] if entry is not None and entry[0]() is key else None


_results = BesideTable()
_invocations = BesideTable()


def scale(metric: str) -> tuple[float, float]:
    """The bad and the good end of a metric's scale; infinite where nobody told us."""
    if metric.startswith(("rubric_based_", "multi_turn_")):
        return (0.0, 1.0)
    return SCALES.get(metric, (-math.inf, math.inf))


def carry(result: Any, metric: str, part: Part) -> None:
    """Keeps what stands behind the score of a ``PerInvocationResult``, as it is now."""
    _results.set(result, (result.score, part))
    invocation = result.actual_invocation
    kept = list(_invocations.get(invocation) or ())
    entry = (metric, result.score, part)
    if entry not in kept:
        _invocations.set(invocation, [*kept, entry])


def behind_result(result: Any, metric: str) -> Part:
    """The part that a ``PerInvocationResult`` stands for."""
    kept = _results.get(result)
    if kept is not None and kept[0] == result.score:
        part: Part = kept[1]
        return part
    # A score of what is marked as not evaluated does not count; upstream leaves it out as well.
    ignored = result.score and result.eval_status.name == "NOT_EVALUATED"
    return of(None if ignored else result.score, *scale(metric))


def behind_invocation(invocation: Any, metric: str, score: float | None) -> Part | None:
    """What was kept for an invocation's score in a metric; the widest if several fit, None if none does."""
    fits = [part for name, kept, part in _invocations.get(invocation) or () if name == metric and kept == score]
    if len(fits) < 2:
        return fits[0] if fits else None
    return Part(
        None, min(part.bad for part in fits), max(part.good for part in fits), any(part.answered for part in fits)
    )


def decided(part: Part, passes: Callable[[float], bool]) -> Decision:
    """`decide` with the policy in force."""
    return decide(part, passes, options.current.incomplete)


def status_of(decision: Decision) -> Any:
    """The ``EvalStatus`` of a decision."""
    from google.adk.evaluation.evaluator import EvalStatus

    return {None: EvalStatus.NOT_EVALUATED, True: EvalStatus.PASSED, False: EvalStatus.FAILED}[decision.passed]


def nothing(metric: str) -> Part:
    """A part of a metric of which nothing is known."""
    return missing(*scale(metric))
