"""One to seven samples, some of which fail or cannot be read; damage makes more of them fail."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies._google_adk import gone
from tests.strategies.google_adk import THRESHOLDS, match_case, rubric_case, rubric_reply

_VALID, _INVALID = (f'{{"reasoning": "r", "is_the_agent_response_valid": "{label}"}}' for label in ("valid", "invalid"))
_VOTE = st.sampled_from([_VALID, _INVALID])
_MISSING = gone()


@st.composite
def _well_formed(draw: st.DrawFn) -> Any:
    samples, turns = draw(st.integers(1, 7)), draw(st.integers(1, 2))
    if draw(st.booleans()):
        words = st.lists(st.sampled_from(["yes", "no"]), min_size=2, max_size=2)
        return rubric_case(
            2, [rubric_reply(draw(words)) for _ in range(samples * turns)], draw(THRESHOLDS), samples, turns
        )
    return match_case([draw(_VOTE) for _ in range(samples * turns)], draw(THRESHOLDS), samples, turns)


@st.composite
def _any_reply(draw: st.DrawFn) -> Any:
    samples = draw(st.integers(1, 7))
    if draw(st.booleans()):
        words = st.lists(st.sampled_from(["yes", "no"]), min_size=2, max_size=2)
        replies = [draw(st.one_of(words.map(rubric_reply), _MISSING)) for _ in range(samples)]
        good = [sum(isinstance(r, str) and rubric_reply(["yes", "yes"]) == r for r in replies)]
        return {**rubric_case(2, replies, draw(THRESHOLDS), samples), "plain": _rubric_majority(replies), "good": good}
    replies = [draw(st.one_of(_VOTE, _MISSING)) for _ in range(samples)]
    return {**match_case(replies, draw(THRESHOLDS)), "plain": replies.count(_VALID) * 2 > samples}


def _rubric_majority(replies: list[Any]) -> bool:
    """Whether at least one of the rubrics has a yes in most samples; fewer can pass no threshold here."""
    yes = [0, 0]
    for reply in replies:
        if isinstance(reply, str):
            for number, part in enumerate(reply.split("\n\n")[:2]):
                yes[number] += "Verdict: yes" in part
    return max(yes) * 2 > len(replies)


def justified(case: Any) -> bool:
    """A majority of all samples voted for it, and upstream threw their votes away with a failed one."""
    return bool(case["plain"])


@st.composite
def _damage(draw: st.DrawFn) -> tuple[Any, Any]:
    replies = [draw(_VOTE) for _ in range(draw(st.integers(1, 7)))]
    hurt = [draw(_MISSING) if draw(st.booleans()) else reply for reply in replies]
    return match_case(replies), match_case(hurt)


well_formed = _well_formed()
any_reply = _any_reply()
damage = _damage()
