"""Repaired classes give the right value where upstream's give the wrong one, and upstream's stay as they are."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.evaluator", reason="google-adk is not installed")
pytest.importorskip("google.adk.evaluation.hallucinations_v1", reason="this google-adk has no hallucinations_v1")

from evalfixes import catalog
from evalfixes.errors import OptionError
from evalfixes.evaluators.repaired import GOOGLE_ADK, google_adk_evaluator
from evalfixes.fix import matches
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.probing import scenarios
from evalfixes.runtime import options
from evalfixes.runtime.decide import FAULTY, decide

# Corrects a method of the data that evaluators are given, which is no part of an evaluator.
NOT_OF_A_CLASS = {"adk-rubric-author"}


def cases() -> list[Any]:
    found = []
    for fix in catalog.fixes("google-adk"):
        decision = decide(fix)
        if decision.state != FAULTY or fix.evaluate is not harness.evaluate or fix.id in NOT_OF_A_CLASS:
            continue
        for scenario in scenarios(fix, decision.release):
            if scenario.case.get("metric") in GOOGLE_ADK:
                found.append(pytest.param(fix, scenario, id=f"{fix.id}: {scenario.name}"))
    return found


@pytest.fixture
def repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "evaluator_class", google_adk_evaluator)
    monkeypatch.setattr(options, "current", options.Options(rejudge=0))


@pytest.mark.parametrize(("fix", "scenario"), cases())
def test_right_value(repaired: None, fix: Any, scenario: Any) -> None:
    seen = fix.evaluate(scenario.case)
    assert matches(scenario.right, seen), (scenario.right, seen)


def test_upstream_stays_as_it_is() -> None:
    upstream = harness.evaluator_class("hallucinations_v1")
    before = dict(vars(upstream))
    made = google_adk_evaluator("hallucinations_v1")
    assert (made.__name__, made.__mro__[1]) == ("HallucinationsV1Evaluator", upstream)
    assert dict(vars(upstream)) == before


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(OptionError, match="hallucinations_v1"):
        google_adk_evaluator("hallucination_v1")
