"""Runs all cases of a consumer in one child process per state, since importing it costs more than the cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import evalfixes
from tests.forked import forked

STATES = ("bare", "before", "after")
"""Without fixes; applied before the consumer is imported; applied after."""


def outcomes(
    load: Callable[[], Any], evaluate: Callable[..., Any], cases: Mapping[str, Sequence[Any]]
) -> dict[str, dict[str, Any]]:
    """The outcome of each case by state."""
    return {state: forked(_all, state, load, evaluate, cases) for state in STATES}


def _all(
    state: str, load: Callable[[], Any], evaluate: Callable[..., Any], cases: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    if state == "before":
        evalfixes.apply()
    load()
    if state == "after":
        evalfixes.apply()
    return {name: evaluate(*arguments) for name, arguments in cases.items()}
