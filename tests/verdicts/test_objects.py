import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.objects import ObjectError, last_object


@pytest.mark.parametrize(
    "reply, expected",
    [
        ('{"a": 1}', {"a": 1}),
        ('draft {"a": 1} final ```json\n{"a": {"b": 2}}\n``` done {see above}', {"a": {"b": 2}}),
        ('{"a": 1, "a": 1}', {"a": 1}),
        ('[{"a": 1}, {"a": 2}]', {"a": 2}),
    ],
)
def test_the_last_complete_object_counts(reply, expected):
    assert last_object(reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "none",
        "{",
        '{"a": 1',
        '{"a": 1} {"a": 2',
        "{'a': 1}",
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "{" * 5000,
        '{"a":' * 5000,
    ],
)
def test_what_is_not_complete_or_has_two_values_does_not_count(reply):
    with pytest.raises(ObjectError):
        last_object(reply)


short = st.text(max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | short,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(short, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(short, values, max_size=4), st.data())
def test_cut_off_it_never_counts(table, data):
    text = json.dumps(table)
    assert last_object("so: " + text) == table
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(ObjectError):
        last_object(cut)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    try:
        assert isinstance(last_object(text), dict)
    except ObjectError:
        pass
