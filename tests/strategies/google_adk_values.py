"""Tool values, those that JSON cannot hold among them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(["", "noon", "é", "{x}"]), st.just(1.5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=5,
)
ODD = st.sampled_from(
    [
        {"$datetime": "2026-01-01T12:00:00"},
        {"$bytes": "bm9vbg=="},
        {"$bytes": "/w=="},
        {"$set": [1, 2]},
        {"$decimal": "1.5"},
        {"$object": "noon"},
    ]
)
ANY = st.one_of(PLAIN, ODD, st.lists(ODD, max_size=2), st.builds(lambda value: {"deep": [value]}, ODD))


def parts(values: Any) -> Any:
    """Tool calls and responses with values."""
    return st.one_of(
        st.builds(lambda value: {"function_call": {"name": "t", "args": {"x": value}}}, values),
        st.builds(lambda value: {"function_response": {"name": "t", "response": {"r": value}}}, values),
    )


def events(values: Any) -> Any:
    """Up to three events of up to two parts."""
    return st.lists(
        st.builds(lambda found: {"author": "root", "content": found}, st.lists(parts(values), max_size=2)), max_size=3
    )
