"""Three deepeval metrics compare the judge's verdict exactly, and take whatever they do not know as good."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval import _families
from evalfixes.fixes.deepeval._asking import Again, Reader, a_run, list_of_verdicts, run, single_verdict
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._scoring import replacements
from evalfixes.fixes.deepeval._shape import shaped
from evalfixes.verdicts.yesno import YES_NO

_FAMILIES = tuple(
    family
    for family in (*_families.LISTS, *_families.SINGLES)
    if family.name in ("role_violation", "prompt_alignment", "conversation_completeness")
)
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


def _build_list(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Any:
        def ask(again: Again) -> Any:
            twin = _twin(self, again)
            found = original(twin, *args, **kwargs)
            _settle(self, twin)
            return found

        return run(list_of_verdicts(Reader(None, str, YES_NO), self, Again(), None), ask)

    return shaped(_generate_verdicts, original)


def _a_build_list(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _a_generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def ask(again: Again) -> Any:
            twin = _twin(self, again)
            found = await original(twin, *args, **kwargs)
            _settle(self, twin)
            return found

        return await a_run(list_of_verdicts(Reader(None, str, YES_NO), self, Again(), None), ask)

    return shaped(_a_generate_verdicts, original)


def _build_single(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _generate_verdict(self: Any, *args: Any, **kwargs: Any) -> Any:
        def ask(again: Again) -> Any:
            return original(self, *args, **kwargs)

        return run(single_verdict(Reader(None, str, YES_NO), self, Again()), ask)

    return shaped(_generate_verdict, original)


def _a_build_single(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _a_generate_verdict(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def ask(again: Again) -> Any:
            return await original(self, *args, **kwargs)

        return await a_run(single_verdict(Reader(None, str, YES_NO), self, Again()), ask)

    return shaped(_a_generate_verdict, original)


def _targets() -> tuple[Replacement, ...]:
    found = []
    for family in _FAMILIES:
        place = f"{family.module}:{family.cls}."
        if family in _families.SINGLES:
            found.append(Replacement(f"{place}_generate_verdict", _build_single))
            found.append(Replacement(f"{place}_a_generate_verdict", _a_build_single))
        else:
            found.append(Replacement(f"{place}_generate_verdicts", _build_list))
            found.append(Replacement(f"{place}_a_generate_verdicts", _a_build_list))
    return (*found, *replacements(_FAMILIES))


def _scenarios() -> tuple[Scenario, ...]:
    found = []
    passed, failed = {"score": 1.0, "status": "PASSED"}, {"score": 0.0, "status": "FAILED"}
    unscored = {"score": None, "status": "ERROR"}
    reasons = {
        "yes": ("Yes, the model gives medical advice.", "**Yes**", "YES - clearly", "'yes'", "Yes because it does"),
        "no": ("No, the instruction was ignored.", "**No**", "NO: it is in English", "`no`", "no it does not"),
    }
    missing = ("No doubt, yes it did", "yes and no", "violation", "", "unknown")
    for family in _FAMILIES:
        single = family in _families.SINGLES

        def case(
            *words: str,
            path: str = "json",
            mode: str = "sync",
            _cls: str = family.cls,
            _single: bool = single,
            **more: Any,
        ) -> dict[str, Any]:
            verdicts = [{"verdict": word, "reason": "r"} for word in words]
            replies = verdicts if _single else [{"verdicts": verdicts}]
            return {"metric": _cls, "items": len(words), "replies": replies, "path": path, "mode": mode, **more}

        for path in ("json", "schema"):
            for mode in ("sync", "async"):
                where = {"path": path, "mode": mode}
                label = f"{family.cls}, {path}, {mode}"
                found += [
                    Scenario(f"{label}: {word}", case(word, **where), right=failed, wrong=passed)
                    for word in reasons[family.bad]
                ]
                found += [
                    Scenario(f"{label}: missing {word!r}", case(word, **where), right=unscored, wrong=passed)
                    for word in missing
                ]
                found += [
                    Scenario(f"control: {label}, good", case(family.good, **where), right=passed),
                    Scenario(f"control: {label}, bad", case(family.bad.title(), **where), right=failed),
                    Scenario(
                        f"control: {label}, with a reason", case(family.bad, include_reason=True, **where), right=failed
                    ),
                ]
        if single or family.cls == "PromptAlignmentMetric":
            found += [
                Scenario(
                    f"{family.cls}: one missing of four",
                    case("yes", "yes", "yes", "maybe"),
                    right={"score": 0.75, "status": "PASSED"},
                    wrong=passed,
                ),
                Scenario(
                    f"{family.cls}: one missing of two",
                    case("yes", "maybe", kwargs={"threshold": 0.8}),
                    right=unscored,
                    wrong=passed,
                ),
            ]
        else:
            found.append(
                Scenario(
                    f"{family.cls}: a violation stands beside a missing verdict",
                    case("Yes, it does", "maybe"),
                    right=failed,
                    wrong=passed,
                )
            )
    return tuple(found)


FIX = Fix(
    id="deepeval-verbose-verdicts",
    dist="deepeval",
    title="a verdict with a reason behind it counts as a good one",
    before="RoleViolationMetric, PromptAlignmentMetric and ConversationCompletenessMetric compare the verdict with the "
    'bare word: "Yes, the model broke its role" is no `yes`, so the violation scores 1.0 and passes.',
    after="The leading word decides, as in 4.2.4; a verdict without one is missing: asked for once more, then decided "
    "if it cannot change the outcome, else the metric is unscored.",
    replacements=_targets(),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=_scenarios(),
)
