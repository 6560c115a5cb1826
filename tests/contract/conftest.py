"""The fixes that the contract is checked for: those whose upstream is installed here.

``EVALFIXES_PIN_DIST`` and ``EVALFIXES_PIN_RELEASE`` name the pinned environment; then exactly that
release must be installed, and only fixes of that distribution are checked.
"""

from __future__ import annotations

import os

import pytest

from evalfixes import catalog
from evalfixes.facts import upstream
from evalfixes.fix import Fix
from evalfixes.probing import load
from evalfixes.runtime import fingerprint
from evalfixes.runtime.decide import FAULTY, FIXED, NOT_INSTALLED, UNKNOWN, Decision, decide

DIST = os.environ.get("EVALFIXES_PIN_DIST")
DECISIONS: dict[str, Decision] = {
    fix.id: decide(fix) for fix in catalog.fixes(DIST) if fingerprint.source_file(upstream(fix.dist)["package"])
}


def ids_in(*states: str) -> list[str]:
    """Ids of fixes of installed upstreams that are in one of the states."""
    return [fix_id for fix_id, found in DECISIONS.items() if found.state in states]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, states in (("faulty", (FAULTY,)), ("fixed", (FIXED,)), ("judged", (FAULTY, FIXED))):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, ids_in(*states), indirect=True)


def _loaded(fix_id: str) -> Fix:
    fix = catalog.get(fix_id)
    load(fix)
    return fix


@pytest.fixture
def faulty(request: pytest.FixtureRequest) -> Fix:
    return _loaded(request.param)


@pytest.fixture
def fixed(request: pytest.FixtureRequest) -> Fix:
    return _loaded(request.param)


@pytest.fixture
def judged(request: pytest.FixtureRequest) -> Fix:
    return _loaded(request.param)


@pytest.fixture(scope="session")
def decisions() -> dict[str, Decision]:
    return DECISIONS


__all__ = ["DECISIONS", "NOT_INSTALLED", "UNKNOWN"]
