"""Scores of deepeval metrics with verdicts missing: decided, or unscored.

Missing verdicts are in the metric's lists as stand-ins with the bad word (`_families.MARK`), so the
score and the reason are made from the same verdicts. Here the score is made a second time with the
good word; if that would change the outcome, there is no score.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from evalfixes.errors import UnscoredError
from evalfixes.fixes.deepeval._families import UNCOUNTED, Family, is_mark
from evalfixes.runtime import ledger, options
from evalfixes.verdicts.aggregate import Part, decide

_MOST_TRIED = 10
"""Up to so many missing verdicts of a ranked list, every way to fill them is tried."""


def unscored(
    metric: Any, what: str, missing: int = 0, asked: int | None = None, cause: BaseException | None = None
) -> NoReturn:
    """Leaves a metric without a score, in deepeval's own terms.

    Nothing of an earlier case stays on the metric: whoever catches the error and looks, sees a failure.

    Raises:
        UnscoredError: Always.
    """
    name = type(metric).__name__
    message = f"{name} is unscored: {what}"
    metric.error = message
    metric.score = None
    metric.success = False
    metric.reason = None
    parts = missing or 1
    ledger.record(name, asked or parts, ["not judged"] * parts, why=what)
    raise UnscoredError(message, name, missing, asked) from cause


def threshold_of(metric: Any) -> float | None:
    """What a metric's score must reach; strict mode asks for a perfect one whatever else is set."""
    if getattr(metric, "strict_mode", False):
        return 1.0
    threshold: float | None = getattr(metric, "threshold", None)
    return threshold


def conclude(
    metric: Any,
    worst: float,
    best: float,
    missing: int,
    given: int,
    what: str = "verdicts",
    broken: bool = False,
) -> None:
    """Lets a score with missing parts stand where it is decided.

    Args:
        metric: The metric, whose score is to be ``worst``.
        worst: The score with everything missing read as bad.
        best: The same, read as good.
        missing: How many parts are missing.
        given: How many are not.
        what: What the parts are.
        broken: Whether upstream would have raised an error; then the outcome is never decided to be good.

    Raises:
        UnscoredError: It is not decided.
    """
    threshold = threshold_of(metric)
    policy = options.current.incomplete
    part = Part(score=None, bad=worst, good=best, answered=given > 0)

    def passes(score: float) -> bool:
        # Without a threshold there is no outcome that could be decided, only the score itself.
        return score == best if threshold is None else score >= threshold

    found = decide(part, passes, policy)
    if found.unscored or (broken and found.passed and policy == "decide"):
        unscored(
            metric,
            f"the judge gave no usable answer for {missing} of {missing + given} {what}; "
            f"with them the score is between {worst:.3g} and {best:.3g}",
            missing,
            missing + given,
        )
    judged = missing + given
    ledger.record(type(metric).__name__, judged, ["not judged"] * missing, why="this cannot change the outcome")


def fill_worst(marks: Sequence[Any], family: Family, score: Callable[[], float]) -> tuple[float, float]:
    """Gives stand-ins the words that make the score worst.

    Args:
        marks: The stand-ins in the lists that `score` reads.
        family: The metric's family.
        score: Upstream's arithmetic.

    Returns:
        The worst score, which the stand-ins now amount to, and the best.
    """
    word = type(marks[0].verdict)
    bad, good = word(family.bad), word(family.good)

    def with_words(words: Sequence[Any]) -> float:
        for mark, given in zip(marks, words, strict=True):
            mark.verdict = given
        return float(score())

    if family.ranked and len(marks) <= _MOST_TRIED:
        scored = [(with_words(words), words) for words in itertools.product((bad, good), repeat=len(marks))]
        worst, words = min(scored, key=lambda found: found[0])
        best = max(found for found, _ in scored)
        with_words(words)
        return worst, best
    best = with_words([good] * len(marks))
    worst = with_words([bad] * len(marks))
    if family.ranked:
        return min(worst, best, 0.0), 1.0
    return worst, best


def open_ended(verdicts: Sequence[Any], worst: float, best: float, family: Family) -> tuple[float, float]:
    """The bounds where a stand-in stands for a number of verdicts that is not known.

    However many they are: all bad they bring the score down to nothing, all good they bring it up to
    everything unless a bad one is known.
    """
    if not any(getattr(v, "reason", None) in UNCOUNTED for v in verdicts):
        return worst, best
    spoilt = any(str(v.verdict) == family.bad for v in verdicts if not is_mark(v))
    return 0.0, max(best, math.nextafter(1.0, 0.0) if spoilt else 1.0)


def below(function: Callable[..., Any]) -> Callable[..., Any]:
    """Upstream's own function under all layers and tracing."""
    upstream: Callable[..., Any] = inspect.unwrap(function)
    return upstream
