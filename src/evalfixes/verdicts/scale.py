"""Whether a judge's number lies on the scale that it was asked to use."""

from __future__ import annotations

import math
from typing import Any

_ROUNDING = 1e-9
"""A mean weighted by probabilities misses the end of its scale by a rounding error."""


def on_scale(value: Any, low: float, high: float) -> bool:
    """Whether a score can be taken at its word.

    Args:
        value: What stands in the judge's reply: a number, or a string that holds one.
        low: The least score that may be given.
        high: The greatest.

    Returns:
        False for what is off the scale, infinite, no number, or a truth value. A number that was meant
        for another scale and happens to lie on this one cannot be told.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return False
    slack = _ROUNDING * max(abs(low), abs(high))
    return math.isfinite(number) and low - slack <= number <= high + slack
