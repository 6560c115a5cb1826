"""All fixes together: no operator of `evalfixes.testing` makes an outcome better, on drawn cases and thresholds."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import strategies as st

import evalfixes
from evalfixes import catalog
from evalfixes.probing import load
from evalfixes.releases import in_range
from evalfixes.runtime.decide import Decision
from evalfixes.testing import KEEPS, LOSES, OPERATORS, Outcome, classify, operator
from evalfixes.testing.outcome import GREENER
from evalfixes.testing.strategies import mutants
from tests.forked import forked
from tests.generated import generate

TEXT = [one for one in OPERATORS if one.name != "draft-in-thought"]
UNCOUNTED = [one for one in TEXT if one.name not in ("drop-item", "duplicate-item", "contradict-item", "drop-line")]
"""Operators for the metrics whose number of answers nobody knows but the judge."""


def _of_deepeval() -> Any:
    from evalfixes.fixes.deepeval._families import LISTS
    from tests.strategies.deepeval_cases import LISTED, SINGLES, complete

    uncounted = {family.cls for family in LISTS if not family.counted}

    @st.composite
    def pairs(draw: st.DrawFn) -> tuple[Any, Any, str]:
        case = draw(complete(draw(st.sampled_from([LISTED, SINGLES]))))
        case = {**case, "path": "json", "include_reason": False}
        worse = copy.deepcopy(case)
        place = draw(st.integers(0, len(case["replies"]) - 1))
        chosen = UNCOUNTED if case["metric"] in uncounted else TEXT
        mutant = draw(mutants(json.dumps(case["replies"][place]), [o for o in chosen if not _no_text(o.name)]))
        worse["replies"][place] = {"text": mutant.reply.text}
        return case, worse, mutant.group

    return pairs()


def _no_text(name: str) -> bool:
    """Whether the mutant is no text, which a case of deepeval cannot hold."""
    return name in ("exception", "lost-call")


def _of_google_adk() -> Any:
    from tests.strategies import adk_hallucinations_sentence_labels as labels
    from tests.strategies import adk_rubric_answers as rubrics
    from tests.strategies._google_adk import scripted
    from tests.strategies.google_adk import THRESHOLDS, match_case

    votes = st.lists(
        st.sampled_from(["valid", "invalid"]).map(
            lambda label: f'{{"reasoning": "r", "is_the_agent_response_valid": "{label}"}}'
        ),
        min_size=1,
        max_size=3,
    )
    cases = st.one_of(labels.well_formed, rubrics.well_formed, st.builds(match_case, votes, THRESHOLDS))

    @st.composite
    def pairs(draw: st.DrawFn) -> tuple[Any, Any, str]:
        case = draw(cases)
        worse = copy.deepcopy(case)
        pattern = draw(st.sampled_from(sorted(worse["judge"])))
        replies = worse["judge"][pattern]
        place = draw(st.integers(0, len(replies) - 1))
        mutant = draw(mutants(replies[place]))
        replies[place] = scripted(mutant.reply)
        return case, worse, mutant.group

    return pairs()


PAIRS = {
    "deepeval": ("4.2.9..", "deepeval-verdict-count", _of_deepeval),
    "google-adk": ("2.8.0..", "adk-hallucinations-steps", _of_google_adk),
}
"""Releases in which all faults are repaired, a fix that evaluates the cases, and the pairs."""


def _run_all(fix_id: str, cases: list[Any], apply: bool) -> list[Outcome]:
    if apply:
        evalfixes.apply(rejudge=0)
    evaluate = catalog.get(fix_id).evaluate
    found = []
    for case in cases:
        try:
            seen = evaluate(case)
        except Exception:
            seen = {"score": None, "status": "ERROR"}
        found.append(Outcome(seen["score"], seen["status"] == "PASSED"))
    return found


def _kinds(dist: str, decisions: dict[str, Decision], apply: bool) -> list[tuple[str, Any]]:
    """What each drawn mutant is, and the pair of cases with their outcomes."""
    span, fix_id, make = PAIRS[dist]
    if fix_id not in decisions or not in_range(decisions[fix_id].release, span):
        pytest.skip(f"no {dist} {span} is installed")
    load(catalog.get(fix_id))
    pairs = generate(make())
    intact = forked(_run_all, fix_id, [pair[0] for pair in pairs], apply)
    mutated = forked(_run_all, fix_id, [pair[1] for pair in pairs], apply)
    return [
        (classify(old, new, pair[2]), (pair, old, new)) for pair, old, new in zip(pairs, intact, mutated, strict=True)
    ]


@pytest.mark.parametrize("dist", PAIRS)
def test_no_mutant_makes_an_outcome_better(dist: str, decisions: dict[str, Decision]) -> None:
    assert [seen for kind, seen in _kinds(dist, decisions, True) if kind == GREENER][:1] == []


@pytest.mark.parametrize("dist", PAIRS)
def test_bare_upstream_is_found_out(dist: str, decisions: dict[str, Decision]) -> None:
    """The same pairs have greener mutants without the fixes: the test above can fail."""
    assert GREENER in [kind for kind, _ in _kinds(dist, decisions, False)]


def test_every_group_is_drawn_from() -> None:
    assert {one.group for one in TEXT} == {one.group for one in UNCOUNTED} == {KEEPS, LOSES}
    assert operator("draft-in-thought") not in TEXT
