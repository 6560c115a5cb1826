from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.samples import majority

VOTES = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=7)


def upstream(votes: list[bool]) -> bool:
    return votes.count(True) > votes.count(False)


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_complete_votes_are_upstreams(votes: list[bool]) -> None:
    assert {majority(votes, policy) for policy in ("decide", "unscored", "worst")} == {upstream(votes)}


@given(VOTES)
def test_a_decided_majority_stands_however_the_missing_would_have_voted(votes: list[bool | None]) -> None:
    open_places = [index for index, vote in enumerate(votes) if vote is None]
    outcomes = set()
    for filled in itertools.product([True, False], repeat=len(open_places)):
        full = list(votes)
        for index, vote in zip(open_places, filled, strict=True):
            full[index] = vote
        outcomes.add(upstream([bool(vote) for vote in full]))
    found = majority(votes)
    if found is not None:
        assert outcomes == {found}
    elif any(vote is not None for vote in votes):
        assert outcomes == {True, False}


@given(VOTES)
def test_policies(votes: list[bool | None]) -> None:
    if None in votes:
        assert majority(votes, "unscored") is None
        assert majority(votes, "worst") is upstream([bool(vote) for vote in votes])


def test_nobody_voted() -> None:
    assert majority([None, None]) is None
    assert majority([]) is None
