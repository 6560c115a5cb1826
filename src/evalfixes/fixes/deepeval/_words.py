"""Verdicts in the releases before 4.2.4, where each metric asks for them by itself, in plain strings."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fixes.deepeval import _families
from evalfixes.fixes.deepeval._asking import a_run, list_of_verdicts, run, single_verdict
from evalfixes.fixes.deepeval._replies import Again, Reader
from evalfixes.fixes.deepeval._shape import shaped
from evalfixes.verdicts.yesno import YES_NO

_ITEMS = {"RoleViolationMetric": "role_violations", "PromptAlignmentMetric": "prompt_instructions"}
_COUNTERS = ("evaluation_cost", "input_tokens", "output_tokens")


def _twin(metric: Any, again: Again) -> Any:
    """The metric to ask with: itself at first, then a copy that has only the items still missing."""
    if not again.missing:
        return metric
    twin = copy.copy(metric)
    attribute = _ITEMS[_family(metric).cls]
    items = getattr(metric, attribute)
    if len(items) == again.count:
        setattr(twin, attribute, [items[i] for i in again.missing])
    return twin


def _settle(metric: Any, twin: Any) -> None:
    """Puts what a copy has spent on the metric's account."""
    for name in _COUNTERS:
        if twin is not metric and hasattr(twin, name):
            setattr(metric, name, getattr(twin, name))


def _family(metric: Any) -> _families.Family:
    family = _families.of(metric)
    assert family is not None  # the replacement sits on that class
    return family


# The signatures of these private methods differ between the releases, hence *args.


def build_list(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Any:
        def ask(again: Again) -> Any:
            twin = _twin(self, again)
            found = original(twin, *args, **kwargs)
            _settle(self, twin)
            return found

        return run(list_of_verdicts(Reader(None, str, YES_NO), self, Again(), None), ask)

    return shaped(_generate_verdicts, original)


def a_build_list(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _a_generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def ask(again: Again) -> Any:
            twin = _twin(self, again)
            found = await original(twin, *args, **kwargs)
            _settle(self, twin)
            return found

        return await a_run(list_of_verdicts(Reader(None, str, YES_NO), self, Again(), None), ask)

    return shaped(_a_generate_verdicts, original)


def build_single(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _generate_verdict(self: Any, *args: Any, **kwargs: Any) -> Any:
        def ask(again: Again) -> Any:
            return original(self, *args, **kwargs)

        return run(single_verdict(Reader(None, str, YES_NO), self, Again()), ask)

    return shaped(_generate_verdict, original)


def a_build_single(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _a_generate_verdict(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def ask(again: Again) -> Any:
            return await original(self, *args, **kwargs)

        return await a_run(single_verdict(Reader(None, str, YES_NO), self, Again()), ask)

    return shaped(_a_generate_verdict, original)
