"""Upstream's evaluator classes with the fixes in them, for those who do not replace functions in place.

A repaired class is a subclass of upstream's under the same name. Its methods run in a copy of their
modules' namespaces in which the replaced functions are the corrected ones; upstream's own class, and
everybody who uses it, stays as it is.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from evalfixes import catalog
from evalfixes.errors import OptionError
from evalfixes.fix import Fix, Replacement
from evalfixes.runtime.decide import FAULTY, decide
from evalfixes.runtime.slot import dress

GOOGLE_ADK = {
    "hallucinations_v1": "hallucinations_v1:HallucinationsV1Evaluator",
    "final_response_match_v2": "final_response_match_v2:FinalResponseMatchV2Evaluator",
    "response_match_score": "final_response_match_v1:RougeEvaluator",
    "rubric_based_final_response_quality_v1": (
        "rubric_based_final_response_quality_v1:RubricBasedFinalResponseQualityV1Evaluator"
    ),
    "rubric_based_tool_use_quality_v1": "rubric_based_tool_use_quality_v1:RubricBasedToolUseV1Evaluator",
}
"""Classes by metric name."""

_PACKAGE = "google.adk.evaluation."

_DEEPEVAL = "deepeval.metrics."


def google_adk_evaluator(metric: str) -> Any:
    """The repaired evaluator class of a google-adk metric.

    Args:
        metric: Its name, a key of `GOOGLE_ADK`.

    Returns:
        A subclass of upstream's class, to be registered in its place or used directly. On a release
        without the faults it differs in nothing.

    Raises:
        OptionError: There is no such metric here.
    """
    if metric not in GOOGLE_ADK:
        raise OptionError(f"no repaired evaluator for {metric!r}; there are {', '.join(GOOGLE_ADK)}")
    module, _, name = GOOGLE_ADK[metric].partition(":")
    return repair(getattr(import_module(_PACKAGE + module), name), _faulty("google-adk"), _PACKAGE)


def deepeval_metric(name: str) -> Any:
    """The repaired class of a deepeval metric.

    Args:
        name: The class, such as ``BiasMetric``: one of `deepeval.metrics`.

    Returns:
        A subclass of upstream's class, under the same name, by which deepeval finds its prompts, and
        with its tracing spans. On a release without the faults it differs in nothing. What a class for models
        makes of its text before the metric sees it is not the metric's, and stays as it is: of
        ``deepeval-repeated-keys`` it has what metrics read.

    Raises:
        OptionError: The installed deepeval has no such metric.
    """
    metrics = import_module("deepeval.metrics")
    original = getattr(metrics, name, None)
    if not isinstance(original, type) or not original.__module__.startswith(_DEEPEVAL):
        raise OptionError(f"deepeval.metrics has no metric {name!r}")
    return repair(original, _faulty("deepeval"), _DEEPEVAL)


def repair(original: type, fixes: Iterable[Fix], package: str) -> Any:
    """Makes a repaired subclass.

    Args:
        original: Upstream's class.
        fixes: What to put into it, in the order in which they are to be laid one on the other.
        package: Only classes and functions of modules that begin with this are touched.

    Returns:
        The subclass.
    """
    spaces: dict[str, dict[str, Any]] = {}
    made = type(original.__name__, (original,), {"__module__": original.__module__, "__doc__": original.__doc__})
    owners = [owner for owner in reversed(original.__mro__) if owner.__module__.startswith(package)]
    for owner in owners:
        space = spaces.setdefault(owner.__module__, dict(vars(sys.modules[owner.__module__])))
        for name, value in vars(owner).items():
            moved = _moved(value, space)
            if moved is not None:
                setattr(made, name, moved)
    replaced = []
    for fix in fixes:
        for replacement in fix.replacements:
            module = sys.modules.get(replacement.module)
            if module is None or replacement.needless(module):
                continue
            head, _, method = replacement.qualname.rpartition(".")
            build = _dressed(replacement, fix.id)
            if not head:
                _replace_function(build, module, method, spaces)
                replaced.append((module, method))
            elif any(owner.__module__ == module.__name__ and owner.__qualname__ == head for owner in owners):
                _replace_method(build, module, method, made)
    _carry_on(replaced, spaces, package)
    return made


def _dressed(replacement: Replacement, fix_id: str) -> Callable[..., Any]:
    """A replacement's `build`, whose functions say what they stand for, as the runtime's do."""

    def build(original: Callable[..., Any], module: Any) -> Callable[..., Any]:
        return dress(replacement.build(original, module), original, fix_id, replacement.target)

    return build


def _replace_function(build: Callable[..., Any], module: Any, name: str, spaces: dict[str, dict[str, Any]]) -> None:
    """Binds the replacement wherever a namespace holds the original, under whatever name."""
    original = getattr(module, name, None)
    if original is None:
        return
    # The function itself may call others of its module, or come back to itself.
    home = spaces.setdefault(module.__name__, dict(vars(module)))
    held = home[name]
    moved = _moved(held, home) if held is original else None
    built = build(held if moved is None else moved, module)
    for space in spaces.values():
        for bound, value in list(space.items()):
            if value is original or value is held:
                space[bound] = built


def _carry_on(replaced: Iterable[tuple[Any, str]], spaces: dict[str, dict[str, Any]], package: str) -> None:
    """Moves the functions, wherever they are defined, through which the others come to a replaced one."""
    new: dict[Any, Any] = {}
    for module, name in replaced:
        if hasattr(module, name):
            new[getattr(module, name)] = spaces[module.__name__][name]
    while new:
        found = {}
        for space in list(spaces.values()):
            for bound, value in list(space.items()):
                if not isinstance(value, FunctionType):
                    continue
                if value in new:
                    space[bound] = new[value]
                elif value.__module__.startswith(package) and _reads(value, new):
                    home = sys.modules[value.__module__]
                    if value.__globals__ is vars(home):
                        found[value] = _moved(value, spaces.setdefault(home.__name__, dict(vars(home))))
        if not found:
            return
        new |= found


def _reads(function: FunctionType, functions: Collection[Any]) -> bool:
    """Whether a function looks one of others up in its module."""
    codes = [function.__code__]
    for code in codes:
        codes += [held for held in code.co_consts if isinstance(held, CodeType)]
    names = {name for code in codes for name in code.co_names}
    held = (function.__globals__.get(name) for name in names)
    return any(isinstance(value, FunctionType) and value in functions for value in held)


def _replace_method(build: Callable[..., Any], module: Any, name: str, made: Any) -> None:
    for owner in made.__mro__:
        if name in vars(owner):
            bound = vars(owner)[name]
            kind = type(bound) if isinstance(bound, (staticmethod, classmethod)) else None
            built = build(bound.__func__ if kind else bound, module)
            setattr(made, name, kind(built) if kind else built)
            return


def _moved(value: Any, space: dict[str, Any]) -> Any:
    """A method whose global names are looked up in another namespace; None for what is no function."""
    if isinstance(value, (staticmethod, classmethod)):
        inner = _moved(value.__func__, space)
        return None if inner is None else type(value)(inner)
    if not isinstance(value, FunctionType) or value.__name__.startswith("__"):
        return None
    if getattr(value, "_is_deepeval_observed", False):
        return _observed(_moved(inspect.unwrap(value), space))
    if value.__globals__.get("__name__") != space.get("__name__"):
        return None  # somebody's decorator; what it wraps is out of reach
    moved = FunctionType(value.__code__, space, value.__name__, value.__defaults__, value.__closure__)
    moved.__kwdefaults__, moved.__annotations__ = value.__kwdefaults__, value.__annotations__
    moved.__dict__.update(value.__dict__)
    moved.__doc__, moved.__qualname__ = value.__doc__, value.__qualname__
    return moved


def _observed(method: Any) -> Any:
    """A method in a tracing span of its own, as deepeval puts each method of a metric into one."""
    holder = type("holder", (), {method.__name__: method})
    import_module("deepeval.tracing.internal").observe_methods(holder)
    return vars(holder)[method.__name__]


def _faulty(dist: str) -> list[Fix]:
    """The fixes that the installed release needs, required ones first."""
    needed = {fix.id: fix for fix in catalog.fixes(dist) if fix.default and decide(fix).state == FAULTY}
    return [needed[fix_id] for fix_id in catalog.closure(needed) if fix_id in needed]
