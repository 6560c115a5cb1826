"""Turns a hypothesis strategy into a list of cases, so that two processes can be given the same ones."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

COUNT = int(os.environ.get("EVALFIXES_CASES", "40"))


def generate(strategy: SearchStrategy[Any], count: int = COUNT) -> list[Any]:
    """The same list for the same strategy, on every machine with the same hypothesis."""
    found: list[Any] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(case: Any) -> None:
        found.append(case)

    collect()
    return found
