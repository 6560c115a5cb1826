"""What AgentEvaluator's rows of a metric come to, over turns and runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalfixes.fixes.google_adk._evidence import LAST_TURN_ONLY, BesideTable, behind_invocation, nothing, scale
from evalfixes.verdicts.aggregate import Part, combine, known

origins = BesideTable()
"""For an ``EvalMetricResult`` of one turn: the run that it comes from, as `Origin`."""


@dataclass(frozen=True)
class Origin:
    """Where a row comes from.

    Attributes:
        run: The number of the run.
        overall: The run's own ``EvalMetricResult`` of the metric, over all turns; None if it has none.
    """

    run: int
    overall: Any


def remember_origins(case_results: Sequence[Any]) -> None:
    """Keeps for each row of one eval case which run it belongs to."""
    for run, case_result in enumerate(case_results):
        overall = {result.metric_name: result for result in case_result.overall_eval_metric_results or ()}
        for turn in case_result.eval_metric_result_per_invocation or ():
            for result in turn.eval_metric_results:
                origins.set(result, Origin(run, overall.get(result.metric_name)))


def is_informational(result: Any) -> bool:
    """Whether a metric only reports a value: it has that status, or nothing to compare with."""
    return bool(
        result.eval_status.name == "INFORMATIONAL"
        or (getattr(result, "criterion", None) is None and result.threshold is None)
    )


def part_of_rows(metric: str, rows: Sequence[Any]) -> Part | None:
    """The part that the rows of a metric stand for.

    A row without a score is missing. For a metric that scores the last turn only, the rows before it
    are not, and neither are rows of a metric that is not upstream's and scored the run all the same.

    Returns:
        The part; None if there is nothing to decide on.
    """
    last_only = metric.startswith(LAST_TURN_ONLY)
    parts: list[Part] = []
    runs: dict[int, list[Part]] = {}
    unscored: dict[int, bool] = {}
    for row in rows:
        result = row.eval_metric_result
        origin = origins.get(result) or Origin(0, None)
        of_run = runs.setdefault(origin.run, [])
        score = result.score
        if score is not None and math.isnan(score):
            score = None
        behind = behind_invocation(row.actual_invocation, metric, result.score)
        overall = getattr(origin.overall, "score", None)
        if behind is not None:
            of_run.append(behind)
        elif score is not None:
            of_run.append(known(score))
        elif not last_only and (math.isfinite(scale(metric)[0]) or overall is None):
            of_run.append(nothing(metric))
        unscored[origin.run] = overall is None and origin.overall is not None
    for run, of_run in runs.items():
        if not of_run and (unscored[run] or last_only):
            of_run.append(nothing(metric))
        parts += of_run
    return combine(parts, statistics.mean) if parts else None


def legacy_zero(metric_rows: Sequence[Any], passes: Callable[[float], bool]) -> float | None:
    """The mean of rows with a zero among them that fails; up to 1.16 zeros are left out of it."""
    results = [row.eval_metric_result for row in metric_rows]
    scores = [result.score for result in results]
    if not any(
        score == 0 and result.eval_status.name == "FAILED" for score, result in zip(scores, results, strict=True)
    ):
        return None
    mean = statistics.mean(scores)
    return None if passes(mean) else mean


def threshold_of(result: Any) -> float:
    """The threshold that a row was compared with."""
    threshold = getattr(getattr(result, "criterion", None), "threshold", None)
    chosen = result.threshold if threshold is None else threshold
    return float(chosen)


def unscored_metrics(results: Sequence[Any], allowed: Callable[[str], bool]) -> Mapping[str, bool]:
    """The gating metrics of a case that are not evaluated, and whether that is allowed."""
    return {
        result.metric_name: allowed(result.metric_name)
        for result in results
        if result.eval_status.name == "NOT_EVALUATED" and not is_informational(result)
    }
