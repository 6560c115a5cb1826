"""agentevals: what ``agentevals run -o json`` prints, and the run results of its server."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from evalfixes.fixes.google_adk._evidence import LAST_TURN_ONLY, scale
from evalfixes.rescoring.fields import DamagedError, listed, number, text
from evalfixes.rescoring.formats.stored import Stored
from evalfixes.rescoring.records import FAILED, NOT_EVALUATED, PASSED, MetricChange, Options, Record, Rescored
from evalfixes.verdicts.aggregate import combine, decide, of

_GATE = "agentevals-gate-unscored"
_STATUSES = {PASSED, FAILED, NOT_EVALUATED}
UNKNOWN = "agentevals keeps neither texts nor the judge's replies in its results"


def cases(document: Any) -> Iterator[tuple[str, Any]]:
    """The traces of a result, each with its position; errors of the run stand with the first."""
    field = "traces" if "traces" in document else "trace_results"
    errors = [str(error) for error in listed(document, "errors")]
    traces = listed(document, field)
    for index, trace in enumerate(traces):
        yield (
            f"{field}[{index}]",
            {**trace, "_errors": errors if index == 0 else []} if isinstance(trace, dict) else trace,
        )


def rescore(record: Record, options: Options) -> Rescored:
    """Says what of a stored result can be said without texts and judge.

    The run's exit code was 0 unless a metric failed: that is the old status.

    Raises:
        DamagedError: The trace does not hold what the format promises.
    """
    trace = record.data
    metrics = listed(trace, "metrics") or listed(trace, "metric_results")
    turns = number(trace, "num_invocations") or 0
    changes = tuple(_metric(metric, int(turns), options) for metric in metrics)
    old = FAILED if any(change.old_status == FAILED for change in changes) else PASSED
    why = [f"the run passed although {error[:200]}" for error in trace.get("_errors") or []]
    unscored = [change.metric for change in changes if change.new_status == NOT_EVALUATED]
    if any(change.new_status == FAILED for change in changes):
        new = FAILED
    elif unscored or not changes or why:
        new = NOT_EVALUATED
        why += [f"passed although {', '.join(unscored)} has no score ({_GATE})"] if unscored else []
        why += [] if changes else ["passed without any metric"]
    else:
        new = PASSED
    name = text(trace, "eval_case_id") or text(trace, "trace_id") or "?"
    return Rescored("agentevals", record.place, name, old, new, changes, tuple(why) if old != new else (), "", name)


def _metric(metric: Any, turns: int, options: Options) -> MetricChange:
    name = text(metric, "metric_name")
    status = text(metric, "eval_status").upper()
    if status not in _STATUSES:
        raise DamagedError(f"eval_status is {status!r}, which is no status of agentevals")
    score = number(metric, "score")
    scores = [_number(value) for value in listed(metric, "per_invocation_scores")]
    stored = Stored(name, score, status, None, options.incomplete)
    error = text(metric, "error")
    if status == PASSED and (error or score is None):
        return stored.to(
            None, f"passed although the metric failed with: {error[:200]}" if error else "passed without a score"
        )
    if score is None:
        return stored.keep(error, known=True)
    missing = sum(1 for value in scores if value is None) + max(0, turns - len(scores) if scores else 0)
    if status != PASSED or not missing or name.startswith(LAST_TURN_ONLY) or not math.isfinite(scale(name)[0]):
        return stored.keep(UNKNOWN)
    parts = [of(value, *scale(name)) for value in [*scores, *[None] * max(0, turns - len(scores))]]
    # The threshold is not in the file; the old mean passed, so it lies nowhere above.
    decision = decide(combine(parts), lambda value: value >= score, options.incomplete)
    why = f"{missing} of {len(parts)} turns have no score and were left out of the mean; the threshold is not stored"
    if decision.passed:
        return stored.to(decision.score, why, passed=True)
    return stored.to(None, why, "agentevals-turn-count")


def _number(value: Any) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise DamagedError(f"per_invocation_scores holds {value!r}, which is no number")
    return value if value is not None and math.isfinite(value) else None
