"""What stands in place of the metrics' ``_calculate_score``: the same score, unless verdicts are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from evalfixes.fix import Replacement
from evalfixes.fixes.deepeval._families import BROKEN, UNCOUNTED, Family, is_mark
from evalfixes.fixes.deepeval._unscored import below, conclude, fill_worst, open_ended
from evalfixes.runtime import ledger

_Build = Callable[[Callable[..., Any], ModuleType], Callable[..., Any]]


def replacements(families: Sequence[Family]) -> tuple[Replacement, ...]:
    """The replacements of `_calculate_score` (and of what it needs) for some metrics."""
    found = []
    for family in families:
        build = _turns(family) if family.turns else _flat(family)
        # A metric that is younger than the fault is missing from the older releases.
        found.append(Replacement(f"{family.module}:{family.cls}._calculate_score", build, optional=True))
        if family.turns and family.name != "turn_faithfulness":
            target = f"{family.module}:{family.cls}._calculate_interaction_score"
            found.append(Replacement(target, _interaction(family), optional=True))
    return tuple(found)


def _flat(family: Family) -> _Build:
    """For metrics that keep their verdicts on themselves."""
    if family.name == "summarization":

        def build_summary(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
            def _calculate_score(self: Any, score_type: Any) -> Any:
                verdicts = self.alignment_verdicts if score_type.name == "ALIGNMENT" else ()
                return _score(family, original, self, verdicts, score_type)

            return _calculate_score

        return build_summary

    def build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
        def _calculate_score(self: Any) -> Any:
            if family.name == "contextual_relevancy":
                verdicts = [verdict for found in self.verdicts_list for verdict in found.verdicts]
            else:
                verdicts = self.verdicts
            return _score(family, original, self, verdicts)

        return _calculate_score

    return build


def _score(family: Family, original: Callable[..., Any], metric: Any, verdicts: Sequence[Any], *args: Any) -> Any:
    marks = [verdict for verdict in verdicts if is_mark(verdict)]
    if not marks:
        ledger.record(type(metric).__name__, len(verdicts))
        return original(metric, *args)
    upstream = below(original)
    worst, best = fill_worst(marks, family, lambda: upstream(metric, *args))
    worst, best = open_ended(verdicts, worst, best, family)
    conclude(metric, worst, best, len(marks), len(verdicts) - len(marks), broken=_broken(marks))
    original(metric, *args)  # for its tracing span
    return worst


def _turns(family: Family) -> _Build:
    """For metrics that score windows of a conversation and average them."""

    def build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
        def _calculate_score(self: Any, scores: Any) -> Any:
            windows = [list(found.verdicts or ()) for found in scores]
            marks = [verdict for window in windows for verdict in window if is_mark(verdict)]
            if not marks:
                ledger.record(type(self).__name__, sum(map(len, windows)))
                return original(self, scores)
            bounds = [
                _window(family, module, self, window, found) for window, found in zip(windows, scores, strict=True)
            ]
            worst, best = (below(original)(self, [_Scored(bound[side]) for bound in bounds]) for side in (0, 1))
            conclude(self, worst, best, len(marks), sum(map(len, windows)) - len(marks), broken=_broken(marks))
            return original(self, scores)

        return _calculate_score

    return build


def _broken(marks: Sequence[Any]) -> bool:
    return any(mark.reason in BROKEN for mark in marks)


class _Scored:
    """What upstream's average reads of a scored window."""

    def __init__(self, score: float) -> None:
        self.score = score


def _window(family: Family, module: ModuleType, metric: Any, window: list[Any], found: Any) -> tuple[float, float]:
    """The worst and best score of one window."""
    marks = [verdict for verdict in window if is_mark(verdict)]
    if not marks:
        return found.score, found.score
    if family.name == "turn_faithfulness":
        worst, best = fill_worst(
            marks,
            family,
            lambda: module.score_qag_verdicts(metric, window, passing=metric._passing_verdicts()),
        )
    else:
        upstream = below(type(metric)._calculate_interaction_score)
        worst, best = fill_worst(marks, family, lambda: upstream(metric, window))
    return open_ended(window, worst, best, family)


def _interaction(family: Family) -> _Build:
    """The score of one window: with missing verdicts, the worst that it can be."""

    def build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
        def _calculate_interaction_score(self: Any, verdicts: Any) -> Any:
            marks = [verdict for verdict in verdicts if is_mark(verdict)]
            if marks:
                fill_worst(marks, family, lambda: below(original)(self, verdicts))
            score = original(self, verdicts)
            return 0.0 if any(mark.reason in UNCOUNTED for mark in marks) else score

        return _calculate_interaction_score

    return build
