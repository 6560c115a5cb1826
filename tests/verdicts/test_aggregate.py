"""Deciding with missing parts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.aggregate import Part, combine, decide, known, missing, of, read_twice

SCORES = st.floats(0, 1)
THRESHOLDS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.8, 1.0]) | st.floats(0, 1)


def at_least(threshold: float) -> Callable[[float], bool]:
    """Upstream's usual comparison."""
    return lambda score: score >= threshold


def test_complete_parts_keep_upstreams_mean() -> None:
    values = [0.1, 0.2, 0.7, 1 / 3]
    assert combine([known(value) for value in values]).score == statistics.mean(values)
    assert combine([known(1), known(1)]).score == 1
    assert combine([known(0.1)] * 3, mean=lambda xs: sum(xs) / len(xs)).score == sum([0.1] * 3) / 3


def test_missing_parts_are_read_both_ways() -> None:
    part = combine([known(1.0), known(0.0), missing()])
    assert (part.score, part.complete, part.answered) == (None, False, True)
    assert (part.bad, part.good) == pytest.approx((1 / 3, 2 / 3))


@pytest.mark.parametrize(
    ("threshold", "score", "passed"), [(0.8, 0.5, False), (0.6, None, None), (0.5, 0.5, True), (0.0, 0.5, True)]
)
def test_a_verdict_that_the_missing_part_cannot_change_stands(
    threshold: float, score: float | None, passed: bool | None
) -> None:
    part = combine([known(1.0), combine([known(0.0), missing()])])
    assert (part.bad, part.good) == (0.5, 0.75)
    decision = decide(part, at_least(threshold))
    assert (decision.score, decision.passed) == (score, passed)
    assert not decision.complete


@pytest.mark.parametrize("threshold", [0.0, -1.0, 2.0])
def test_nothing_answered_is_never_decided(threshold: float) -> None:
    silent = combine([missing(), combine([missing(), missing()])])
    assert decide(silent, at_least(threshold)).unscored
    assert decide(silent, at_least(threshold), "unscored").unscored
    assert decide(silent, at_least(threshold), "worst").score == (0.0 if threshold > 0 else None)


def test_policies() -> None:
    part = combine([known(0.0), missing()])
    assert decide(part, at_least(0.8)).passed is False
    assert decide(part, at_least(0.8), "unscored").unscored
    assert decide(part, at_least(0.4)).unscored
    assert decide(part, at_least(0.4), "worst").score == 0.0
    assert decide(known(0.3), at_least(0.4), "unscored").score == 0.3


def test_low_is_good() -> None:
    part = combine([known(0.0), missing(bad=1.0, good=0.0)])
    assert decide(part, lambda score: score <= 0.6).score == 0.5
    assert decide(part, lambda score: score <= 0.4).unscored


def test_an_unknown_scale_decides_nothing() -> None:
    part = combine([known(3.0), missing(-math.inf, math.inf), missing()])
    assert decide(part, at_least(1.0)).unscored
    assert decide(part, at_least(1.0), "worst").unscored
    assert decide(combine([missing(-math.inf, math.inf), known(math.inf)]), at_least(1.0)).unscored


def test_nan_is_no_score() -> None:
    assert of(math.nan) == of(None) == missing()
    assert of(0.25) == known(0.25)


def test_no_parts() -> None:
    with pytest.raises(ValueError, match="nothing to combine"):
        combine([])


def test_a_metric_with_its_own_arithmetic() -> None:
    part = read_twice(["yes", None, "no"], lambda answers: answers.count("yes") / len(answers), bad="no", good="yes")
    assert (part.score, part.bad, part.good) == (None, 1 / 3, 2 / 3)
    assert read_twice(["yes", "no"], lambda answers: 0.5, bad="no", good="yes") == known(0.5)
    assert not read_twice([None], lambda answers: 0.0, bad=0, good=1).answered


PATTERN = st.lists(st.lists(st.lists(st.tuples(SCORES, st.booleans()), min_size=1), min_size=1), min_size=1)


def _whole(pattern: list[list[list[tuple[float, bool]]]], drop: bool) -> Part:
    return combine(
        [
            combine([combine([missing() if drop and gone else known(v) for v, gone in step]) for step in turn])
            for turn in pattern
        ]
    )


@given(PATTERN, THRESHOLDS)
def test_never_better_than_the_complete_result(pattern: list[list[list[tuple[float, bool]]]], threshold: float) -> None:
    passes = at_least(threshold)
    complete = decide(_whole(pattern, drop=False), passes)
    damaged = decide(_whole(pattern, drop=True), passes)
    assert complete.score is not None
    if damaged.score is not None:
        assert damaged.score <= complete.score
        assert damaged.passed == complete.passed
    worst = decide(_whole(pattern, drop=True), passes, "worst")
    assert worst.score is None or worst.score <= complete.score


@given(PATTERN, THRESHOLDS)
def test_never_greener_than_dropping_what_is_missing(
    pattern: list[list[list[tuple[float, bool]]]], threshold: float
) -> None:
    turns = [[[v for v, gone in step if not gone] for step in turn] for turn in pattern]
    means = [[statistics.mean(step) for step in turn if step] for turn in turns]
    left = [statistics.mean(turn) for turn in means if turn]
    upstream = bool(left) and statistics.mean(left) >= threshold
    for policy in ("decide", "unscored", "worst"):
        ours = decide(_whole(pattern, drop=True), at_least(threshold), policy)
        assert upstream or not ours.passed


@given(st.lists(st.integers(0, 1) | st.none(), min_size=1), THRESHOLDS)
def test_a_decision_is_what_every_completion_gives(answers: list[int | None], threshold: float) -> None:
    given_ = [Fraction(a) for a in answers if a is not None]
    gone = len(answers) - len(given_)
    verdicts = {float((sum(given_) + extra) / len(answers)) >= threshold for extra in range(gone + 1)}
    decision = decide(combine([of(a) for a in answers]), at_least(threshold))
    if given_ and len(verdicts) == 1:
        assert {decision.passed} == verdicts
    else:
        assert decision.unscored
