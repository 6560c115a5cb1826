from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.testing import Reply, operator
from evalfixes.verdicts.repeated import contradicted_key


@pytest.mark.parametrize(
    "reply, key",
    [
        ('{"verdict": "yes", "verdict": "no"}', "verdict"),
        ('{"score": 1, "score": 10, "reason": "r"}', "score"),
        ('{"score": 1, "score": true}', "score"),
        ('{"score": 0, "score": null}', "score"),
        ('{"verdicts": [{"verdict": "no"}], "verdicts": []}', "verdicts"),
        ('{"verdicts": {}, "verdicts": []}', "verdicts"),
        ('{"claims": ["a", "b"], "claims": ["b", "a"]}', "claims"),
        ('{"verdicts": [{"verdict": "yes"}, {"verdict": "yes", "verdict": "no"}]}', "verdict"),
        ('{"data": {"a": {"b": 1, "b": 2}}}', "b"),
        ('{"a": 1, "a": 1, "a": 2}', "a"),
        ('{"a": [{"verdict": "no"}], "a": [{"verdict": "no", "of": 1}]}', "a"),
        ('{"a": {"b": 1}, "a": [["b", 1]]}', "a"),
        ('{"verdict": "yes", "verdict": "Yes"}', "verdict"),  # nobody guesses
        ('Here:\n```json\n{"verdict": "yes",\n "verdict": "no"}\n```\nDone.', "verdict"),
        ('{"verdicts": [{"verdict": "yes", "verdict": "no",},],}', "verdict"),
        ('{"verdict": "yes", "verdict": "no"', "verdict"),  # upstream adds the last brace
        ('{"\\u0076erdict": "yes", "verdict": "no"}', "verdict"),
    ],
)
def test_two_values_for_a_key(reply: str, key: str) -> None:
    assert contradicted_key(reply) == key


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot say.",
        "{",
        "}{",
        '{"verdict": "yes"} or {"verdict": "no"}',  # no JSON, which upstream says
        '{"verdict": "yes"',
        '{"verdict": "yes", "verdict": "yes"}',
        '{"score": 1, "score": 1.0}',
        '{"score": NaN, "score": NaN}',
        '{"verdicts": [{"a": 1, "b": 2}], "verdicts": [{"b": 2, "a": 1}]}',
        '{"verdict": "no", "reason": "r", "reason": "another"}',
        '{"score": 1, "reasoning": "r", "reasoning": "another"}',
        '{"verdict": "no", "reason": {"a": 1, "a": 2}}',
        '{"verdicts": [{"verdict": "no", "reason": "r"}], "verdicts": [{"verdict": "no", "reason": "s"}]}',
        '{"verdicts": [{"verdict": "no"}], "verdicts": [{"verdict": "no", "reason": "s"}]}',
        '[{"verdict": "yes"}, {"verdict": "no"}]',
        '{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}',
        '{"a":' * 5000 + "1" + "}" * 5000,
    ],
)
def test_nothing_is_contradicted(reply: str) -> None:
    assert contradicted_key(reply) is None


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=12,
)
"""Without a repeated key."""


@given(JSON)
def test_no_key_twice_is_no_contradiction(value: Any) -> None:
    assert contradicted_key(json.dumps({"a": value})) is None


@given(JSON)
def test_the_same_value_twice_is_none(value: Any) -> None:
    written = json.dumps(value)
    assert contradicted_key(f'{{"a": {written}, "a": {written}}}') is None


@given(JSON, JSON)
def test_the_order_of_the_two_does_not_matter(one: Any, other: Any) -> None:
    first, second = json.dumps(one), json.dumps(other)
    assert contradicted_key(f'{{"a": {first}, "a": {second}}}') == contradicted_key(f'{{"a": {second}, "a": {first}}}')


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    contradicted_key(text)


@pytest.mark.parametrize("reply", ['{"verdicts": [{"verdict": "yes", "reason": "r"}]}', '{"claims": ["a"]}'])
def test_every_mutant_of_the_operator_is_seen(reply: str) -> None:
    made = operator("contradict-key").mutants(Reply(reply))
    assert made
    assert all(contradicted_key(mutant.reply.text) for mutant in made)
