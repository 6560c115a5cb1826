"""What the generators for deepeval's fixes share: metrics, replies and damage to them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.deepeval._families import LISTS, SINGLES, Family
from evalfixes.fixes.deepeval._harness import item
from evalfixes.releases import in_range
from evalfixes.runtime.fingerprint import source_file
from evalfixes.verdicts.yesno import read

LISTED = tuple(family for family in LISTS if source_file(family.module) is not None)
"""Those that the installed release has."""

BETWEEN = "borderline" if source_file("deepeval.metrics.utils.qag") is not None else "idk"
"""What some metrics take beside yes and no; it was renamed in 4.2.4."""

BORDERLINE = ("AnswerRelevancyMetric", "FaithfulnessMetric", "SummarizationMetric", "TurnFaithfulnessMetric")
UNCOUNTED = {family.cls for family in LISTS if not family.counted}
PER_ITEM = ("contextual_relevancy", "turn_contextual_relevancy")

GOOD_FORMS = ("**{}**", "`{}`", '"{}"', "{}.", "{}, because it says so", "{} - see above", "({})", " {} ")
UNUSABLE = (None, 1, 0, "", "maybe", "violation", "yes and no", "No doubt, yes it did", "n/a", "Definitely yes", [], {})


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


def _odd_word(word: str) -> st.SearchStrategy[Any]:
    forms = st.sampled_from(GOOD_FORMS).map(lambda form: form.format(word))
    return st.one_of(forms, st.just(word.upper()), st.just({"yes": True, "no": False}.get(word, word)))


@st.composite
def _one_change(
    draw: st.DrawFn, verdicts: list[Any], single: bool, length: bool = True, counted: bool = True
) -> list[Any]:
    """Drops, repeats, relabels, decorates or breaks one verdict of a list."""
    changed = copy.deepcopy(verdicts)
    kinds = ["unusable", "odd", "no word", "no object"]
    kinds += [] if single or not length else ["drop", "repeat", "drop all"] if counted else ["drop all"]
    kind = draw(st.sampled_from(kinds))
    if not changed:
        return changed
    place = draw(st.integers(0, len(changed) - 1))
    word = changed[place].get("verdict") if isinstance(changed[place], dict) else None
    if kind == "drop":
        del changed[place]
    elif kind == "repeat":
        changed.insert(place, copy.deepcopy(changed[place]))
    elif kind == "drop all":
        changed.clear()
    elif kind == "no object":
        changed[place] = draw(st.sampled_from(["text", 3, None, ["yes"]])) if not single else {"error": "x"}
    elif not isinstance(changed[place], dict):
        pass
    elif kind == "unusable":
        changed[place]["verdict"] = draw(st.sampled_from(UNUSABLE))
    elif kind == "odd" and isinstance(word, str):
        changed[place]["verdict"] = draw(_odd_word(word))
    elif kind == "no word":
        changed[place].pop("verdict", None)
        changed[place]["statement"] = draw(st.sampled_from(["s", item(0), 3]))
    return changed


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
    return case, worse


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


__all__ = ["LISTED", "SINGLES", "complete", "damaged", "odd_but_plain", "second"]
