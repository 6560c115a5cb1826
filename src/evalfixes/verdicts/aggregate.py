"""Deciding with missing parts: when a score may stand although not every part of it was answered.

A *part* is anything that is averaged: the label of a sentence, a step, a turn, a run. A part that
was not answered is neither 0 nor absent. It is read twice, once as bad and once as good, and so is
everything that is averaged from it, all the way up. The two readings enclose what the complete
evidence would have given; if both lie on the same side of the threshold, the verdict is decided.

    part = combine([known(1.0), known(0.0), missing()])     # bad 1/3, good 2/3
    decide(part, lambda score: score >= 0.8)                # decided: score 1/3, not passed
    decide(part, lambda score: score >= 0.5)                # undecided: score None, passed None

- `known(score)`, `missing(bad, good)`, `of(score)`: the leaves. ``bad`` and ``good`` name readings,
  not numbers: where a low score is the good one, ``missing(bad=1.0, good=0.0)``. If the scale is not
  known, ``missing(bad=-inf, good=inf)``: such a part never decides anything.
- `combine(parts, mean)`: one level up. It nests: sentence -> step -> invocation -> case -> runs.
  Where all parts are complete, the score is ``mean`` of the same values in the same order and
  nothing else, so a complete result equals upstream's to the bit. Pass upstream's own ``mean``.
- `read_twice(answers, score, bad, good)`: for a metric with its own arithmetic: None among the
  answers is replaced by ``bad`` and by ``good``, and upstream's function scores both lists.
- `decide(part, passes, policy)`: score and verdict, by the policy in force (`Policy`).

What is guaranteed, for a ``mean`` and a ``passes`` that are monotone: the score of an incomplete
part is never better than that of the complete one would have been; and dropping the missing parts
(what upstreams do) never gives less than the bad reading, so deciding turns nothing green that
was not green.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")

Policy = Literal["decide", "unscored", "worst"]
"""What an incomplete part becomes. ``decide``: its bad reading if good and bad lead to one verdict,
else unscored. ``unscored``: always unscored. ``worst``: its bad reading."""


@dataclass(frozen=True)
class Part:
    """Something scored, as far as the evidence goes.

    Attributes:
        score: The score, if nothing is missing; None if something is.
        bad: The score with everything missing read as bad; equals ``score`` if nothing is.
        good: The same, read as good.
        answered: Whether anything at all was answered. Where nothing was, no threshold makes a
            verdict of it: a threshold of 0 would else pass a judge that never spoke.
    """

    score: float | None
    bad: float
    good: float
    answered: bool = True

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.score is not None


@dataclass(frozen=True)
class Decision:
    """What became of a part.

    Attributes:
        score: What to report; None if unscored.
        passed: The verdict; None if unscored.
        complete: Whether nothing was missing.
    """

    score: float | None
    passed: bool | None
    complete: bool

    @property
    def unscored(self) -> bool:
        """Whether there is no verdict."""
        return self.passed is None


def known(score: float) -> Part:
    """A part that was answered."""
    return Part(score, score, score)


def missing(bad: float = 0.0, good: float = 1.0) -> Part:
    """A part that was not answered."""
    return Part(None, bad, good, answered=False)


def of(score: float | None, bad: float = 0.0, good: float = 1.0) -> Part:
    """A part from what upstream keeps of it: a number, or None. NaN is no number."""
    return missing(bad, good) if score is None or math.isnan(score) else known(score)


def combine(parts: Sequence[Part], mean: Callable[[list[float]], float] = statistics.mean) -> Part:
    """Averages parts.

    Args:
        parts: At least one.
        mean: How upstream averages; monotone in each value.

    Returns:
        The part one level up.

    Raises:
        ValueError: There are no parts. What no parts mean is for the caller to say.
    """
    if not parts:
        raise ValueError("nothing to combine")
    scores = [part.score for part in parts if part.score is not None]
    if len(scores) == len(parts):
        return known(mean(scores))
    return Part(
        score=None,
        bad=_mean([part.bad for part in parts], mean),
        good=_mean([part.good for part in parts], mean),
        answered=any(part.answered for part in parts),
    )


def read_twice(
    answers: Sequence[T | None],
    score: Callable[[list[T]], float],
    *,
    bad: T,
    good: T,
) -> Part:
    """Scores a list of answers in which some are missing (None) by upstream's own arithmetic.

    Args:
        answers: One per item that the judge was asked about, in order.
        score: Upstream's arithmetic; monotone: a good answer in place of a bad one never lowers what
            `decide` calls good.
        bad: The answer that speaks against passing.
        good: The answer that speaks for it.

    Returns:
        The part that the list amounts to.
    """
    given = [answer for answer in answers if answer is not None]
    if len(given) == len(answers):
        return known(score(given))
    return Part(
        score=None,
        bad=score([bad if answer is None else answer for answer in answers]),
        good=score([good if answer is None else answer for answer in answers]),
        answered=bool(given),
    )


def decide(part: Part, passes: Callable[[float], bool], policy: Policy | str = "decide") -> Decision:
    """Says what a part's score and verdict are.

    Args:
        part: The part.
        passes: Upstream's comparison with the threshold; monotone.
        policy: What an incomplete part becomes.

    Returns:
        The decision. A part of which nothing was answered never passes, and fails only by policy
        ``worst``; one whose scale is not known stays unscored.
    """
    if part.score is not None:
        return Decision(part.score, passes(part.score), complete=True)
    undecided = Decision(None, None, complete=False)
    if policy == "unscored" or not math.isfinite(part.bad):
        return undecided
    passed = passes(part.bad)
    if passed and not part.answered:
        return undecided
    if policy == "decide" and not (part.answered and math.isfinite(part.good) and passes(part.good) == passed):
        return undecided
    return Decision(part.bad, passed, complete=False)


def _mean(values: list[float], mean: Callable[[list[float]], float]) -> float:
    """The mean; a value that is not finite wins, so that no arithmetic is done with it."""
    unbounded = next((value for value in values if not math.isfinite(value)), None)
    return mean(values) if unbounded is None else unbounded
