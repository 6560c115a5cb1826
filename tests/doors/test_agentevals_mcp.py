"""The MCP tool `evaluate_traces`, called as a client calls it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import evalfixes
from evalfixes import catalog
from evalfixes.fix import matches
from evalfixes.probing import scenarios
from evalfixes.runtime.decide import FAULTY, decide
from tests.forked import forked

pytest.importorskip("agentevals", reason="agentevals-cli is not installed")

pytestmark = pytest.mark.door

FIX = catalog.get("agentevals-mcp-passed")


def _answers(apply: bool) -> list[Any]:
    if apply:
        evalfixes.apply(FIX.id, strict=True)
    return [FIX.evaluate(s.case) for s in scenarios(FIX, decide(FIX).release)]


def test_passed_only_if_every_metric_passed() -> None:
    pytest.importorskip("mcp", reason="the MCP library is not installed")
    if decide(FIX).state != FAULTY:
        pytest.skip("this agentevals is not affected")
    for module in FIX.loads:  # once for both children
        import_module(module)
    before, after = forked(_answers, False), forked(_answers, True)
    for scenario, old, new in zip(scenarios(FIX, decide(FIX).release), before, after, strict=True):
        assert matches(scenario.right if scenario.wrong is None else scenario.wrong, old), scenario.name
        assert matches(scenario.right, new), scenario.name
