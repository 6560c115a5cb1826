"""Coverage of a response by its segments."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.segments import uncovered

TEXT = (
    "Three kinds:\n1. **Apples** are red.\n2. Pears, e.g. `Conference`, are 2.5 cm.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
)
HONEST = [
    [
        "Three kinds:",
        "1. **Apples** are red.",
        "2. Pears, e.g. `Conference`, are 2.5 cm.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ],
    ["Three kinds", "Apples are red", "Pears, e.g. Conference, are 2.5 cm", "a b 1 2"],
    ["three kinds:", "1.Apples are red.", "2) pears, e.g. 'Conference', are 2.5cm.", "a", "b", "1", "2"],
]


@pytest.mark.parametrize("segments", HONEST)
def test_honest_segmentations_cover(segments: list[str]) -> None:
    assert uncovered(TEXT, segments) == ""


@pytest.mark.parametrize("left_out", range(4))
def test_a_segment_left_out(left_out: int) -> None:
    segments = HONEST[0]
    assert uncovered(TEXT, segments[:left_out] + segments[left_out + 1 :])


@pytest.mark.parametrize(
    "segments",
    [
        [],
        ["Paris is big."],
        ["Paris is big.", "Enjoy!"],
        ["Paris is big.", "It is 60 m."],
        ["It is 50 m.", "Paris is big."],
        ["Paris is big.", "It is 50 m.", "It is 50 m."],
        ["Paris is big.", "It is 50 m.", "More."],
        ["Apples are red.", "Bananas are green."],
    ],
)
def test_other_segments_do_not_cover(segments: list[str]) -> None:
    assert uncovered("Paris is big. It is 50 m.", segments)


def test_the_address_of_a_link_may_be_left_out() -> None:
    text = "See [the docs](https://example.org/a_b) now."
    assert uncovered(text, ["See the docs now."]) == ""
    assert uncovered(text, [text]) == ""
    assert uncovered(text, ["See now."])


@given(st.text(max_size=80))
def test_any_split_covers(text: str) -> None:
    assert uncovered(text, re.split(r"(?<=[.!?])\s", text)) == ""


@pytest.mark.parametrize(
    ("response", "segments"),
    [
        ("a) A cat.\nb) B movies.", ["A cat.", "B movies."]),
        ("1. 1 cup\n2. 2 spoons", ["1 cup", "2 spoons"]),
        ("1. 1 cup\n2. 2 spoons", ["1. 1 cup", "2. 2 spoons"]),
        ("9. Nine\n10. Ten\n11. Eleven", ["9. Nine", "Ten", "Eleven"]),
    ],
)
def test_numbers_of_a_list_may_be_there_or_not(response: str, segments: list[str]) -> None:
    assert uncovered(response, segments) == ""


@pytest.mark.parametrize("number", ["42", "1984", "7"])
def test_a_number_that_numbers_no_list_is_part_of_the_answer(number: str) -> None:
    response = f"How many?\n{number}. That is certain."
    assert uncovered(response, ["How many?", "That is certain."])
    assert uncovered(response, ["How many?", f"{number}.", "That is certain."]) == ""
