"""google-adk: what ``adk eval`` stores as ``.adk/eval_history/*.evalset_result.json``."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evalfixes.fixes.google_adk._evidence import LAST_TURN_ONLY, SCALES, scale
from evalfixes.rescoring import trajectory
from evalfixes.rescoring.fields import DamagedError, get, listed, number, text
from evalfixes.rescoring.formats import adk_answers
from evalfixes.rescoring.formats.stored import JUDGED, Stored
from evalfixes.rescoring.records import (
    FAILED,
    INFORMATIONAL,
    NOT_EVALUATED,
    PASSED,
    MetricChange,
    Options,
    Record,
    Rescored,
)
from evalfixes.verdicts.aggregate import combine, decide, of

_NUMBERS = {1: PASSED, 2: FAILED, 3: NOT_EVALUATED, 4: INFORMATIONAL}
_STATUSES: dict[Any, str] = {**_NUMBERS, **{name: name for name in _NUMBERS.values()}}

FOREIGN = "not one of google-adk's own metrics; its scores are taken as they are"
GATE = "adk-gate-unscored"


def cases(document: Any) -> Iterator[tuple[str, Any]]:
    """The cases of a result file, each with its position."""
    about = {name: get(document, name) for name in ("eval_set_result_id", "eval_set_id")}
    for index, case in enumerate(listed(document, "eval_case_results")):
        position = f"eval_case_results[{index}]"
        yield position, {**case, "_about": about} if isinstance(case, dict) else case


def status_of(table: Any, name: str) -> str:
    """A stored status by its name.

    Raises:
        DamagedError: It is none of google-adk's.
    """
    stored = get(table, name)
    status = _STATUSES.get(stored) if isinstance(stored, (int, str)) and not isinstance(stored, bool) else None
    if status is None:
        raise DamagedError(f"{name} is {stored!r}, which is no status of google-adk")
    return status


def threshold_of(result: Any) -> float | None:
    """What a metric's score was compared with; None if with nothing."""
    criterion = get(result, "criterion")
    threshold = number(criterion, "threshold") if criterion is not None else None
    return number(result, "threshold") if threshold is None else threshold


def rescore(record: Record, options: Options) -> Rescored:
    """Says what of a stored case can be said without its judge.

    Raises:
        DamagedError: The case does not hold what the format promises.
    """
    case = record.data
    old = status_of(case, "final_eval_status")
    turns = listed(case, "eval_metric_result_per_invocation")
    results = _overall(case)
    changes = tuple(_metric(result, turns, options) for result in results)
    gating = [c for c, result in zip(changes, results, strict=True) if _gates(result, c)]
    new, why = _case_status(old, changes, gating)
    about = case.get("_about") or {}
    run = str(about.get("eval_set_result_id") or "")
    set_id = text(case, "eval_set_id") or str(about.get("eval_set_id") or "")
    name = text(case, "eval_id")
    return Rescored(
        "adk",
        record.place,
        name or "?",
        old,
        new,
        changes,
        why,
        run.partition(f"_{set_id}_")[0],
        f"{set_id}/{name}",
        run,
    )


def _overall(case: Any) -> list[Any]:
    """The metrics over all turns; the oldest files hold them as pairs of metric and result."""
    found = listed(case, "overall_eval_metric_results")
    if found:
        return found
    pairs = listed(case, "eval_metric_results")
    return [{**pair[0], **pair[1]} for pair in pairs]


def _gates(result: Any, change: MetricChange) -> bool:
    return change.old_status != INFORMATIONAL and (
        threshold_of(result) is not None or change.old_status in (PASSED, FAILED)
    )


def _case_status(
    old: str, changes: Sequence[MetricChange], gating: Sequence[MetricChange]
) -> tuple[str, tuple[str, ...]]:
    """The status of a case, as upstream makes it, but never passed beside a metric without a score."""
    if old != PASSED and not any(change.changed for change in changes):
        return old, ()
    failed = [change.metric for change in gating if change.new_status == FAILED]
    unscored = [change for change in gating if change.new_status == NOT_EVALUATED]
    if failed:
        stored = [change.metric for change in gating if change.old_status == FAILED]
        return FAILED, (
            f"stored as passed beside failed metrics: {', '.join(stored)}",
        ) if stored and old == PASSED else ()
    if unscored:
        beside = [change.metric for change in unscored if change.old_status == NOT_EVALUATED]
        why = f"passed although {', '.join(beside)} has no score ({GATE})"
        return NOT_EVALUATED, (why,) if beside and old == PASSED else ()
    if any(change.new_status == PASSED for change in gating):
        return PASSED, ()
    return NOT_EVALUATED, ("passed without any metric that could fail",) if old == PASSED else ()


def _metric(result: Any, turns: Sequence[Any], options: Options) -> MetricChange:
    name = text(result, "metric_name")
    status = status_of(result, "eval_status")
    score = number(result, "score")
    threshold = threshold_of(result)
    stored = Stored(name, score, status, threshold, options.incomplete)
    if status == INFORMATIONAL or threshold is None:
        return stored.keep("", known=True)
    rows = [_row(turn, name) for turn in turns]
    if get(result, "custom_function_path") or not _is_upstreams(name):
        return stored.keep(FOREIGN)
    if score is None:
        return stored.keep("there is no score", known=True)
    if not turns:
        return stored.keep("the file holds no turns of this case")
    if name == "response_match_score":
        return adk_answers.response_match(stored, turns, rows)
    if name == "tool_trajectory_avg_score":
        return _trajectory(stored, result, turns)
    if name.startswith("rubric_based_"):
        return adk_answers.rubrics(stored, result, turns, rows)
    return _turns(stored, rows)


def _is_upstreams(name: str) -> bool:
    return name in SCALES or name.startswith(("rubric_based_", "multi_turn_"))


def _row(turn: Any, name: str) -> Any:
    """What a turn holds of a metric; None if nothing."""
    return next((row for row in listed(turn, "eval_metric_results") if get(row, "metric_name") == name), None)


def _trajectory(stored: Stored, result: Any, turns: Sequence[Any]) -> MetricChange:
    pairs = []
    for turn in turns:
        expected = get(turn, "expected_invocation")
        if expected is None:
            return stored.keep("the file does not hold the expected tool calls")
        pairs.append((trajectory.calls_of(get(turn, "actual_invocation")), trajectory.calls_of(expected)))
    ways = trajectory.ways(get(result, "criterion"))
    if not ways:
        return stored.keep("the kind of match is not known")
    for match, ignore_args in ways:
        total = 0.0
        for made, due in pairs:
            total += 1.0 if trajectory.matches(made, due, match, ignore_args) else 0.0
        score = total / len(turns)
        if score == stored.score and stored.status == (PASSED if stored.passes(score) else FAILED):
            if (match, ignore_args) == ways[0]:
                return stored.keep("", known=True)
            how = f"{match}{' without arguments' if ignore_args else ''}"
            return stored.keep(f"the file does not say how calls were compared; compared as {how} they give this score")
    match, ignore_args = ways[-1]  # the one that lets most pass
    same = [trajectory.matches(made, due, match, ignore_args) for made, due in pairs]
    differing = []
    for index, (made, due) in enumerate(pairs):
        if not same[index]:
            names = [", ".join(str(call[0]) for call in calls) or "none" for calls in (made, due)]
            differing.append(f"turn {index + 1} called {names[0]}; expected {names[1]}")
    score = sum(1.0 for one in same if one) / len(turns)
    return stored.to(score, f"not what the stored tool calls give: {'; '.join(differing[:3]) or 'all match'}")


def _turns(stored: Stored, rows: Sequence[Any]) -> MetricChange:
    """A judged metric: the replies are gone, but a turn without a score shows."""
    if stored.name.startswith(LAST_TURN_ONLY):
        rows = rows[-1:]
    scores = [None if row is None else number(row, "score") for row in rows]
    missing = [index + 1 for index, score in enumerate(scores) if score is None]
    if not missing or len(missing) == len(scores):
        return stored.keep(JUDGED)
    ends = scale(stored.name)
    mean: Callable[[list[float]], float] = statistics.mean
    decision = decide(combine([of(score, *ends) for score in scores], mean), stored.passes, stored.policy)
    which = ", ".join(map(str, missing))
    why = f"{len(missing)} of {len(scores)} turns have no score (turn {which}) and were left out of the mean"
    return stored.to(decision.score, why, "adk-unscored-invocations", decision.passed)
