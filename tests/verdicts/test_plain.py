from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.plain import plain, writable

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=20,
)


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    when: date


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (datetime(2026, 1, 1, 12), "2026-01-01T12:00:00"),  # noqa: DTZ001 - the naive kind
        (time(12), "12:00:00"),
        (b"noon", "noon"),
        (b"\xff", "/w=="),
        ({3, 1, 2}, [1, 2, 3]),
        (Decimal("1.5"), "1.5"),
        (Colour.RED, "red"),
        (Point(1, date(2026, 1, 1)), {"x": 1, "when": "2026-01-01"}),
        ({(1, 2): "a"}, {"[1, 2]": "a"}),
        (Broken(), "<Broken>"),
        ((1, [b"x"]), [1, ["x"]]),
    ],
)
def test_odd_values(value: Any, written: Any) -> None:
    assert plain(value) == written


@given(JSON)
def test_what_json_can_hold_stays(value: Any) -> None:
    assert plain(value) == value
    assert writable(value)


@given(st.recursive(st.one_of(st.binary(), st.dates(), st.decimals(), st.complex_numbers()), st.lists, max_leaves=8))
def test_the_result_can_be_written(value: Any) -> None:
    json.dumps(plain(value))


def test_a_value_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert not writable(loop)
    json.dumps(plain(loop))
