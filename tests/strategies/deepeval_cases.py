"""What the generators for deepeval's fixes share: metrics, replies and damage to them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from evalfixes.fixes.deepeval._families import LISTS, SINGLES, Family
from evalfixes.fixes.deepeval._harness import item
from evalfixes.releases import in_range
from evalfixes.runtime.fingerprint import source_file
from evalfixes.testing.strategies import changed_answers
from evalfixes.verdicts.yesno import read

LISTED = tuple(family for family in LISTS if source_file(family.module) is not None)
"""Those that the installed release has."""

BETWEEN = "borderline" if source_file("deepeval.metrics.utils.qag") is not None else "idk"
"""What some metrics take beside yes and no; it was renamed in 4.2.4."""

BORDERLINE = ("AnswerRelevancyMetric", "FaithfulnessMetric", "SummarizationMetric", "TurnFaithfulnessMetric")
UNCOUNTED = {family.cls for family in LISTS if not family.counted}
PER_ITEM = ("contextual_relevancy", "turn_contextual_relevancy")


def allowed(family: Family) -> tuple[str, ...]:
    return ("yes", "no", BETWEEN) if family.cls in BORDERLINE else ("yes", "no")


def entry(word: Any, more: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"verdict": word, "reason": "r", "statement": "s", **(more or {})}


def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Path, mode and what the user set on the metric."""
    kwargs = draw(st.sampled_from([{}, {}, {"strict_mode": True}, {"threshold": 0.8}, {"threshold": 0.3}]))
    return {
        "path": draw(st.sampled_from(["json", "schema"])),
        "mode": draw(st.sampled_from(["sync", "async"])),
        "kwargs": kwargs,
        "include_reason": draw(st.booleans()),
    }


def rising() -> tuple[Family, ...]:
    """Those whose score rises with what is good: up to 4.1.10 some count what is bad."""
    falls = in_range(metadata.version("deepeval"), "3.2.5..4.1.10")
    return tuple(family for family in LISTED if not (falls and family.low))


@st.composite
def complete(draw: st.DrawFn, families: Sequence[Family] = LISTED) -> dict[str, Any]:
    """Every item has one verdict, in one plain word."""
    family = draw(st.sampled_from(families))
    word = st.sampled_from(allowed(family))
    count = draw(st.integers(1, 6))
    case = {"metric": family.cls, "items": count, **settings(draw)}
    if family in SINGLES:
        replies: list[Any] = [{"verdict": draw(word), "reason": "r"} for _ in range(count)]
    elif family.name in PER_ITEM:
        replies = [{"verdicts": [entry(w) for w in draw(st.lists(word, min_size=1, max_size=3))]} for _ in range(count)]
    else:
        replies = [{"verdicts": [entry(draw(word)) for _ in range(count)]}]
    return {**case, "replies": replies}


def unspoiled(families: Sequence[Family] = LISTED) -> st.SearchStrategy[dict[str, Any]]:
    """Complete cases without what deepeval-role-violation-strict repairs, for the fixes that require it."""
    return complete(families).filter(
        lambda case: case["metric"] != "RoleViolationMetric" or not case["kwargs"].get("strict_mode")
    )


def _one_change(
    verdicts: list[Any], single: bool, length: bool = True, counted: bool = True
) -> st.SearchStrategy[list[Any]]:
    """Drops, repeats, relabels, decorates or breaks one verdict of a list."""
    kinds = ["unusable", "odd", "no word", "other object" if single else "no object"]
    kinds += [] if single or not length else ["drop", "repeat", "drop all"] if counted else ["drop all"]
    return changed_answers(verdicts, kinds, ("s", item(0), 3))


@st.composite
def damaged(
    draw: st.DrawFn, families: Sequence[Family] = LISTED, changes: int = 2, length: bool = True
) -> tuple[Any, Any]:
    """A complete case, and the same with damage done to a reply; `length` allows for lists of another length.

    Where the number of items is not known, nobody can tell a list that is one too long or too short.
    """
    case = draw(complete(families))
    worse = copy.deepcopy(case)
    single = "verdicts" not in case["replies"][0]
    counted = case["metric"] not in UNCOUNTED
    for _ in range(draw(st.integers(1, changes))):
        place = draw(st.integers(0, len(worse["replies"]) - 1))
        reply = worse["replies"][place]
        if single:
            worse["replies"][place] = draw(_one_change([reply], single=True))[0]
        elif isinstance(reply.get("verdicts"), list):
            reply["verdicts"] = draw(_one_change(reply["verdicts"], False, length, counted))
            if draw(st.integers(0, 9)) == 0:
                worse["replies"][place] = draw(
                    st.sampled_from(
                        [
                            {"error": "content filtered"},
                            {"verdicts": None},
                            {"verdicts": {}},
                            {"verdicts": "yes"},
                            {"verdict": "yes"},
                            {"text": "I cannot."},
                            {"text": '{"verdicts": [{"verdict": "yes"'},
                        ]
                    )
                )
    # A list that lost one verdict and repeats another is one that a judge could have written.
    assume(not _complete_too(case, worse))
    return case, worse


def _complete_too(case: Any, worse: Any) -> bool:
    """Whether the damage ended in other verdicts, one for each item, in plain words."""
    was, now = ([_words(reply) for reply in one["replies"]] for one in (case, worse))
    return was != now and all(
        isinstance(new, list) and len(new) == len(old) and all(word in ("yes", "no", BETWEEN) for word in new)
        for old, new in zip(was, now, strict=True)
    )


def _words(reply: Any) -> Any:
    listed = reply.get("verdicts", [reply])
    if not isinstance(listed, list):
        return None
    return [found.get("verdict") if isinstance(found, dict) else None for found in listed]


def odd_but_plain(case: Any) -> bool:
    """Whether upstream drops or refuses a verdict whose meaning is plain: the fault, not a reason to fail."""

    def plain(found: Any) -> bool:
        if isinstance(found, dict):
            word = found.get("verdict")
            if word not in ("yes", "no", "borderline") and read(word, ("yes", "no", "borderline")) is not None:
                return True
            return any(plain(value) for value in found.values())
        return isinstance(found, list) and any(plain(value) for value in found)

    return plain(case["replies"])


def second(pair: st.SearchStrategy[tuple[Any, Any]]) -> st.SearchStrategy[Any]:
    return pair.map(lambda both: both[1])


__all__ = ["LISTED", "SINGLES", "complete", "damaged", "odd_but_plain", "second", "unspoiled"]
