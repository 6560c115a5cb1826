"""What may stand behind a verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts import critique, rubrics
from evalfixes.verdicts.hedges import explains, limits, retracts
from evalfixes.verdicts.sentences import read, read_label

LIMITS = [
    "I think", "I guess", "sort of", "kind of", "to some extent", "to a certain degree", "in a sense", "in a way",
    "roughly", "nearly", "with caveats", "with reservations", "on the contrary", "the opposite", "incorrectly",
    "which is untrue", "technically", "80%", "3/5", "?", "\u274c", "with one exception", "as far as one can tell",
]  # fmt: skip
REASONS = ["because it names Paris", "the text says so", "it matches the context", "Paris is the capital of France"]
KEY = "is_the_agent_response_valid"


def critiqued(label: str) -> bool | None:
    return critique.read(f'{{"{KEY}": "{label}"}}', KEY)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("mark", [", ", " - ", ": ", " ("])
def test_a_limited_good_verdict_is_none(limit: str, mark: str) -> None:
    assert limits(limit)
    assert not explains(limit)
    assert read_label(f"supported{mark}{limit}") is None
    assert critiqued(f"valid{mark}{limit}") is None
    assert rubrics.read_verdict(f"yes{mark}{limit}") is None


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_leaves_the_verdict(reason: str) -> None:
    assert explains(reason)
    assert read_label(f"supported, {reason}") == "supported"
    assert critiqued(f"valid, {reason}") is True
    assert rubrics.read_verdict(f"yes, {reason}") is True
    assert rubrics.read_verdict(f"no, {reason}") is False


@pytest.mark.parametrize("scrap", ["London", "quod non", "not", "Not.", "", "so what"])
def test_scraps_are_no_reasons(scrap: str) -> None:
    assert not explains(scrap)
    assert read_label(f"supported, {scrap}") in ((None,) if scrap else ("supported",))
    assert critiqued(f"valid, {scrap}") in ((None,) if scrap else (True,))


@pytest.mark.parametrize("back", ["Wait, no.", "scratch that", "On second thought it is fine.", "Actually not."])
def test_what_is_taken_back_is_none(back: str) -> None:
    assert retracts(back)
    assert read_label(f"contradictory, {back}") is None
    assert read_label(f"supported. {back}") is None
    assert critiqued(f"invalid. {back}") is None
    assert critique.read(f'{{"{KEY}": "valid"}}\n{back}', KEY) is None
    assert rubrics.read_verdict(f"no. {back}") is None


def test_what_stands_behind_the_verdicts_object_may_contradict_it() -> None:
    assert critique.read(f'{{"{KEY}": "valid"}}\nSo the response is not valid.', KEY) is None
    assert critique.read(f'{{"{KEY}": "valid"}}\nThe response matches the reference.', KEY) is True
    assert critique.read(f'{{"{KEY}": "invalid"}}\nThe response is not valid.', KEY) is False


def test_a_closing_remark_limits_no_rubric() -> None:
    reply = "ID: a\nProperty: p\nRationale: r\nVerdict: yes\n\nAll in all good, but it could be shorter."
    assert rubrics.read(reply, [("a", "p")])["a"].score == 1.0


def test_a_reason_of_a_rubric_may_weigh_things_up() -> None:
    assert rubrics.read_verdict("yes, because it is short but names the city") is True
    assert rubrics.read_verdict("yes (100%)") is True
    assert rubrics.read_verdict("yes, but it is short") is None


def test_a_second_label_that_is_unclear_leaves_none() -> None:
    reply = "sentence: A b.\nlabel: supported\nlabel: perhaps not"
    assert [answer.label for answer in read(reply, ["A b."]).answers] == [None]


def test_a_field_that_json_repeats_is_not_overwritten() -> None:
    row = '{"sentence": "A b.", "label": "contradictory", "label": "supported"}'
    assert [answer.label for answer in read(f"[{row}]", ["A b."]).answers] == [None]


@given(st.sampled_from(LIMITS), st.text(alphabet="abc ", max_size=20))
def test_a_limit_anywhere_is_found(limit: str, rest: str) -> None:
    assert not explains(f"because {rest} {limit} {rest}")
