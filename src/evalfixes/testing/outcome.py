"""What a metric made of a reply, and how it stands to what it made of the unmutated one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from evalfixes.testing.operators import KEEPS

GREENER = "greener"
"""The score or the status is better than on the unmutated reply."""
DEAF = "deaf"
"""The reply says the same in another form, and the outcome of a bad answer is another, or that of a good one lost."""
SAFE = "safe"
"""The same, worse, or unscored."""

_EPSILON = 1e-9


@dataclass(frozen=True)
class Outcome:
    """A score and whether it lets the case pass.

    Attributes:
        score: A number, or None if there is none (unscored, an error).
        passed: Whether the case passes.
        note: The error, for a person.
    """

    score: float | None
    passed: bool
    note: str = ""

    def __str__(self) -> str:
        text = "no score" if self.score is None else f"{self.score:.4g}"
        return f"{text}, {'passed' if self.passed else 'not passed'}"


def outcome(value: Any) -> Outcome:
    """The outcome of what ``run(judge)`` returned.

    Args:
        value: ``(score, passed)`` or an `Outcome`. NaN is no score.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(value, Outcome):
        return value
    if not isinstance(value, tuple) or len(value) != 2:
        raise TypeError(f"run(judge) has to return (score, passed), not {value!r:.80}")
    score, passed = value
    number = None if score is None else float(score)
    return Outcome(None if number is None or math.isnan(number) else number, bool(passed))


def classify(base: Outcome, seen: Outcome, group: str) -> str:
    """How the outcome of a mutant stands to that of the unmutated reply.

    Args:
        base: The outcome of the unmutated reply, which has a score.
        seen: The outcome of the mutant.
        group: The operator's group, `LOSES` or `KEEPS`.

    Returns:
        `GREENER` if a not-passed became passed or the score is higher. Else, where the meaning was
        kept, `DEAF` if a not-passed outcome is another one, or a passed one is worse or gone. Else `SAFE`.
    """
    if seen.passed and not base.passed:
        return GREENER
    if seen.score is not None and base.score is not None and seen.score > base.score + _EPSILON:
        return GREENER
    same = seen.passed == base.passed and _same(base.score, seen.score)
    return DEAF if group == KEEPS and not same else SAFE


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _EPSILON
