"""Turns with and without a model call; damage takes all model calls from one of them.

Where the messages of model calls tell the turns, agents beside them are none.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.agentevals_turns import DIALECTS, FORMS, THRESHOLDS, plain_turns

_STOPPED = {"final": None, "rounds": [[{"name": "lookup", "args": {"q": "it"}, "id": "c1", "record": "span"}]]}


def _cases(turns: Any) -> Any:
    return st.fixed_dictionaries({"turns": turns, "form": FORMS, "dialect": DIALECTS, "threshold": THRESHOLDS})


@st.composite
def _told(draw: st.DrawFn) -> Any:
    case = draw(_cases(plain_turns(2)))
    turns = list(case["turns"])
    for place in sorted(draw(st.lists(st.integers(0, len(turns)), max_size=3))):
        turns.insert(place, {"user": "", **_STOPPED, "apart": True})
    return {**case, "turns": turns, "dialect": draw(st.sampled_from(["broadcast", "broadcast-object"]))}


well_formed = st.one_of(_cases(plain_turns()), _told())


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_cases(plain_turns(2)))
    # One at least is a turn to every release: a trace without any is an error.
    stopped = draw(st.sets(st.integers(0, len(case["turns"]) - 1), min_size=1, max_size=len(case["turns"]) - 1))
    worse = [{**turn, **_STOPPED} if place in stopped else turn for place, turn in enumerate(case["turns"])]
    return case, {**case, "turns": worse}


damage = _damaged()
any_reply = damage.map(lambda pair: pair[1])
