"""Whether a judge's number lies on its scale."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.scale import on_scale


@pytest.mark.parametrize("value", [0, 10, 5, 9.99, 0.5, "7", " 7.5 ", "0", -0.0, 10 * (1 + 2**-52), -(2**-60)])
def test_on_the_scale(value):
    assert on_scale(value, 0, 10)


@pytest.mark.parametrize(
    "value",
    [
        10.0001,
        -1,
        20,
        40,
        math.inf,
        -math.inf,
        math.nan,
        "nan",
        "inf",
        "high",
        "",
        "7/10",
        True,
        False,
        None,
        [],
        {},
        [5],
        10**400,
    ],
)
def test_off_the_scale(value):
    assert not on_scale(value, 0, 10)


@given(st.floats() | st.integers(), st.floats(-5, 5), st.floats(0, 20))
def test_agrees_with_arithmetic(value, low, width):
    high = low + width
    slack = 1e-9 * max(abs(low), abs(high))
    if low <= value <= high:
        assert on_scale(value, low, high)
    elif not low - 2 * slack <= value <= high + 2 * slack:
        assert not on_scale(value, low, high)
