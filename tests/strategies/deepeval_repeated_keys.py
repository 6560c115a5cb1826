"""Replies with keys given twice: with one value, in two wordings of a reason, and with two values."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from evalfixes.runtime.fingerprint import source_file
from evalfixes.testing import Reply, operator
from tests.strategies import deepeval_score_scale as scores
from tests.strategies.deepeval_cases import SINGLES, complete, rising, second

_SINGLES = tuple(family for family in SINGLES if source_file(family.module) is not None)
_OPERATOR = operator("contradict-key")


def _again(value: Any, words: str) -> str:
    """A structure as JSON in which each table gives all of its keys twice; of reasons, the second is another."""
    if isinstance(value, list):
        return f"[{', '.join(_again(entry, words) for entry in value)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    pairs = [(key, _again(inner, words)) for key, inner in value.items()]
    pairs += [(key, json.dumps(words) if key == "reason" else inner) for key, inner in pairs]
    return f"{{{', '.join(f'{json.dumps(key)}: {inner}' for key, inner in pairs)}}}"


@st.composite
def _intact(draw: st.DrawFn) -> Any:
    case = draw(st.one_of(complete(rising()), complete(_SINGLES), scores.well_formed))
    return {**case, "path": draw(_path(case))}


def _path(case: Any) -> st.SearchStrategy[str]:
    """Metrics that score windows cannot read a judge's text in all releases."""
    return st.just("loaded") if case["metric"].startswith("TurnC") or case["metric"] == "TurnFaithfulnessMetric" else (
        st.sampled_from(["json", "loaded"])
    )  # fmt: skip


@st.composite
def _harmless(draw: st.DrawFn) -> Any:
    case = draw(_intact())
    place = draw(st.integers(0, len(case["replies"]) - 1))
    replies = list(case["replies"])
    replies[place] = {"text": _again(replies[place], draw(st.sampled_from(["r", "another"])))}
    return {**case, "replies": replies}


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_intact())
    found = [_OPERATOR.mutants(Reply(json.dumps(reply))) for reply in case["replies"]]
    places = [place for place, made in enumerate(found) if made]  # of half a score there is no opposite
    assume(places)
    worse = copy.deepcopy(case)
    for place in draw(st.lists(st.sampled_from(places), min_size=1, max_size=2, unique=True)):
        worse["replies"][place] = {"text": draw(st.sampled_from(found[place])).reply.text}
    return case, worse


well_formed = _harmless()
damage = _damaged()
any_reply = second(damage)
