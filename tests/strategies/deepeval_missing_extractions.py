"""Replies to the first question of a list metric, with and without the list."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.deepeval._families import LISTS
from evalfixes.fixes.deepeval._harness import item
from evalfixes.fixes.deepeval.missing_extractions import _ASKED

_NO_LIST = st.sampled_from([{}, "", None, 0, False, {"1": "one"}, "one", 3.5])
_EMPTY = st.sampled_from([{}, "", None, False])


def _present() -> list[Any]:
    from importlib import import_module

    metrics = import_module("deepeval.metrics")
    return [asked for asked in _ASKED if hasattr(metrics, asked.family.cls)]


@st.composite
def _complete(draw: st.DrawFn) -> Any:
    asked = draw(st.sampled_from(_present()))
    family = next(family for family in LISTS if family.cls == asked.family.cls)
    count = draw(st.integers(1, 3))
    path = draw(st.sampled_from(["json", "schema"]))
    if family.turns:
        path = "schema"  # their judge's text cannot be read in all releases
    words = draw(st.lists(st.sampled_from([family.good, family.bad]), min_size=count, max_size=count))
    listed = [item(i) for i in range(count)]
    return {
        "metric": family.cls,
        "items": count,
        "path": path,
        "mode": draw(st.sampled_from(["sync", "async"])),
        "kwargs": {"threshold": draw(st.sampled_from([0.3, 0.5, 0.8]))},
        "replies": [{"verdicts": [{"verdict": word, "reason": "r"} for word in words]}],
        "extracted": {asked.schema: [{asked.key: listed}]},
    }


@st.composite
def _damaged(draw: st.DrawFn, empty: bool = False) -> tuple[Any, Any]:
    case = draw(_complete())
    worse = copy.deepcopy(case)
    worse["path"] = case["path"]
    ((schema, (reply,)),) = worse["extracted"].items()
    (key,) = reply
    if draw(st.booleans()):
        damaged: Any = {key: draw(_EMPTY if empty else _NO_LIST)}
    else:
        damaged = draw(st.sampled_from([{}, {"error": "rate limited"}, {key.upper(): reply[key]}]))
    # A judge may do better when it is asked again.
    worse["extracted"][schema] = [damaged, *draw(st.sampled_from([[], [reply], [damaged, reply]]))]
    return case, worse


well_formed = _complete()
damage = _damaged()
any_reply = _damaged().map(lambda pair: pair[1])
