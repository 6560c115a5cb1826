"""Repaired metric classes give what upstream's give after `apply()`, and upstream's stay as they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import evalfixes
from evalfixes import catalog
from evalfixes.errors import OptionError
from evalfixes.evaluators.repaired import deepeval_metric
from evalfixes.fix import Fix, matches
from evalfixes.fixes.deepeval import _harness as harness
from evalfixes.probing import scenarios
from evalfixes.runtime import options
from evalfixes.runtime.decide import FAULTY, decide
from tests.forked import forked
from tests.generated import generate

pytest.importorskip("deepeval.metrics", reason="deepeval is not installed")

FIXES = [fix for fix in catalog.fixes("deepeval") if decide(fix).state == FAULTY]


def _outcome(fix: Fix, case: Any) -> Any:
    try:
        return fix.evaluate(case)
    except Exception as error:
        return {"score": None, "status": "ERROR", "error": type(error).__name__}


def _applied(fix: Fix, cases: list[Any]) -> list[Any]:
    evalfixes.apply(rejudge=0, strict=True)
    return [_outcome(fix, case) for case in cases]


def _named(fix: Fix, cases: list[Any]) -> list[Any]:
    made: dict[str, Any] = {}

    def repaired(name: str) -> Any:
        if name not in made:
            made[name] = deepeval_metric(name)
        return made[name]

    harness.metric_class = repaired  # type: ignore[assignment]
    options.current = options.Options(rejudge=0)
    return [_outcome(fix, case) for case in cases]


def _of_the_metric(case: Any) -> bool:
    """Whether the metric reads its judge's text, and not the class for models."""
    return bool(case.get("path") != "loaded")


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix.id)
def test_scenarios_are_right(fix: Fix) -> None:
    chosen = [s for s in scenarios(fix, decide(fix).release) if _of_the_metric(s.case)]
    for scenario, seen in zip(chosen, forked(_named, fix, [s.case for s in chosen]), strict=True):
        assert matches(scenario.right, seen), (scenario.name, seen)


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix.id)
def test_generated_cases_end_as_after_apply(fix: Fix) -> None:
    module = import_module(f"tests.strategies.{fix.id.replace('-', '_')}")
    cases = [case for case in generate(module.well_formed) + generate(module.any_reply) if _of_the_metric(case)]
    applied, named = forked(_applied, fix, cases), forked(_named, fix, cases)
    assert [(c, a, n) for c, a, n in zip(cases, applied, named, strict=True) if a != n][:1] == []


def _kept(name: str) -> list[Any]:
    upstream = harness.metric_class(name)
    before, module = dict(vars(upstream)), dict(vars(import_module(upstream.__module__)))
    made = deepeval_metric(name)
    traced = [
        method
        for method, value in before.items()
        if getattr(value, "_is_deepeval_observed", False)
        and not any(getattr(f, "_is_deepeval_observed", False) for f in _chain(vars(made)[method]))
    ]
    same = dict(vars(upstream)) == before and dict(vars(import_module(upstream.__module__))) == module
    return [made.__name__, made.__module__ == upstream.__module__, made.__mro__[1] is upstream, same, traced]


def _chain(function: Any) -> list[Any]:
    found = [function]
    while hasattr(found[-1], "__wrapped__"):
        found.append(found[-1].__wrapped__)
    return found


@pytest.mark.parametrize("name", ["BiasMetric", "TurnRelevancyMetric", "GEval", "RoleViolationMetric"])
def test_upstream_stays_as_it_is(name: str) -> None:
    if not hasattr(import_module("deepeval.metrics"), name):
        pytest.skip(f"this deepeval has no {name}")
    assert forked(_kept, name) == [name, True, True, True, []]


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(OptionError, match="BiasMetrik"):
        deepeval_metric("BiasMetrik")
