"""The statistics of a leaderboard, by scipy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from evalfixes.errors import OptionError

ENOUGH = 20
"""From how many common questions on there is an interval; below, a bootstrap claims what it cannot know."""

_EXACT = 16
"""Up to how many differences all signs are tried."""

_GRIDS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 60, 100, 120, 1000)
_WIDEST = 50_000
_RESAMPLES = 9_999
_MANY = 500
"""From how many differences on a fifth of the resamples is enough."""

_SEED = 20260701


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise OptionError("a leaderboard needs scipy: pip install 'evalfixes[report]'") from None
    return stats


def sign_flip(differences: Sequence[float]) -> float:
    """The two-sided p-value of paired differences: under no difference, each sign is as likely as the other.

    A difference of zero has no sign and changes nothing. The test is exact where all differences are
    multiples of one step, as marks are (with one size of them it is the binomial test), and up to 16
    differences; beyond, signs are drawn.
    """
    signed = [d for d in differences if round(d, 12) != 0]
    if not signed:
        return 1.0
    stats = _stats()
    if len({round(abs(d), 9) for d in signed}) == 1:
        return float(stats.binomtest(sum(d > 0 for d in signed), len(signed)).pvalue)
    import numpy as np

    steps = _steps(signed)
    if steps is not None:
        return _all_signs(steps)

    exact = len(signed) <= _EXACT
    result = stats.permutation_test(
        (np.asarray(signed),),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=math.inf if exact else _RESAMPLES,
        batch=4096,
        random_state=_SEED,
    )
    return float(result.pvalue)


def _steps(differences: Sequence[float]) -> list[int] | None:
    """Differences in whole steps of the coarsest grid that holds them all; None if there is none."""
    for grid in _GRIDS:
        steps = [round(d * grid) for d in differences]
        if all(abs(d * grid - step) < 1e-6 for d, step in zip(differences, steps, strict=True)):
            return steps if sum(map(abs, steps)) <= _WIDEST else None
    return None


def _all_signs(steps: Sequence[int]) -> float:
    """How often the sum of steps with signs at random lies as far out as it does: all signs, by convolution."""
    import numpy as np

    chances = np.ones(1)
    for step in map(abs, steps):
        wider = np.zeros(len(chances) + 2 * step)
        wider[: len(chances)] += chances / 2
        wider[2 * step :] += chances / 2
        chances = wider
    sums: Any = np.arange(len(chances)) - len(chances) // 2
    return float(min(1.0, chances[np.abs(sums) >= abs(sum(steps))].sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for their number, by Holm's steps."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for step, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def bca(differences: Sequence[float]) -> tuple[float, float] | None:
    """A 95 % BCa interval of the mean difference; None below `ENOUGH`, or where it is not defined."""
    if len(differences) < ENOUGH or len(set(differences)) == 1:
        return None
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = _stats().bootstrap(
            (np.asarray(differences),),
            np.mean,
            n_resamples=_RESAMPLES if len(differences) < _MANY else _RESAMPLES // 5,
            batch=max(1, 200_000 // len(differences)),
            method="BCa",
            random_state=_SEED,
        )
    low, high = float(result.confidence_interval.low), float(result.confidence_interval.high)
    return None if math.isnan(low) or math.isnan(high) else (low, high)


def two_level(runs_by_question: Sequence[Sequence[float]]) -> tuple[float, float]:
    """A 95 % interval of a mean over questions with several runs: questions are drawn, then runs of each."""
    import numpy as np

    if not runs_by_question:
        return (math.nan, math.nan)
    draw = np.random.default_rng(_SEED)
    longest = max(map(len, runs_by_question))
    table = np.asarray([[*runs, *[math.nan] * (longest - len(runs))] for runs in runs_by_question])
    lengths = np.asarray([len(runs) for runs in runs_by_question])
    means = []
    for _ in range(2_000):
        questions = draw.integers(0, len(lengths), len(lengths))
        columns = (draw.random((len(lengths), longest)) * lengths[questions, None]).astype(int)
        drawn = table[questions[:, None], columns]
        drawn[np.arange(longest)[None, :] >= lengths[questions, None]] = math.nan
        means.append(np.nanmean(drawn, axis=1).mean())
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def tau_b(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Kendall's tau-b; None where one side does not order anything."""
    if len(before) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = float(_stats().kendalltau(before, after, variant="b").statistic)
    return None if math.isnan(value) else value
