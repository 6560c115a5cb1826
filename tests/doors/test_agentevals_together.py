"""All fixes on at once, those of google-adk among them, as plain `apply()` puts them in place."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import evalfixes
from evalfixes import catalog
from evalfixes.fix import matches
from evalfixes.probing import scenarios
from evalfixes.runtime.decide import FAULTY, FIXED, decide
from tests.forked import forked

pytest.importorskip("agentevals", reason="agentevals-cli is not installed")

pytestmark = pytest.mark.door


def _wrong() -> tuple[int, list[Any]]:
    chosen = [fix for fix in catalog.fixes("agentevals-cli") if fix.default]
    found = {fix.id: decide(fix) for fix in chosen}
    evalfixes.apply(strict=True)
    seen, wrong = 0, []
    for fix in chosen:
        if found[fix.id].state not in (FAULTY, FIXED):
            continue
        for module in fix.loads:
            import_module(module)
        for scenario in scenarios(fix, found[fix.id].release):
            outcome = fix.evaluate(scenario.case)
            seen += 1
            if not matches(scenario.right, outcome):
                wrong.append((fix.id, scenario.name, outcome))
    return seen, wrong


def test_all_scenarios_are_right() -> None:
    seen, wrong = forked(_wrong)
    assert seen > 0
    assert wrong == []
