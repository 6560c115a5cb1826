"""deepeval's TurnRelevancyMetric takes a verdict that is no bare "no" as a good one, before 4.2.4."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._families import SINGLES
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._scoring import replacements
from evalfixes.fixes.deepeval._words import build_single
from evalfixes.verdicts.yesno import YES_NO, read

_FAMILY = next(family for family in SINGLES if family.name == "turn_relevancy")
_PLACE = f"{_FAMILY.module}:{_FAMILY.cls}."
_PASSED = {"score": 1.0, "status": "PASSED"}
_EXACT = "..4.0.7"
"""Up to here whatever is not "no" counts as good; from 4.0.8 on it is left out of the mean."""


def _build_reader(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # From 4.0.8 on upstream cuts the judge's answer down to its first word before the metric sees it:
    # "yes and no" is a yes by then. Nothing else in deepeval reads with this function.
    def verdict_from_json(data: Any, verdict_cls: Any, allowed: tuple[str, ...] = YES_NO) -> Any:
        word = read(data.get("verdict"), allowed)
        return None if word is None else verdict_cls(verdict=word, reason=data.get("reason"))

    return verdict_from_json


def _scenarios() -> tuple[Scenario, ...]:
    found = []

    def case(*words: str | None, mode: str = "sync", **more: object) -> dict[str, object]:
        replies = [{"verdict": word, "reason": "r"} for word in words]
        return {"metric": _FAMILY.cls, "items": len(words), "replies": replies, "mode": mode, **more}

    for mode in ("sync", "async"):
        found += [
            Scenario(
                f"a reason behind the word, {mode}",
                case("No, it is off-topic.", mode=mode),
                right={"score": 0.0, "status": "FAILED"},
                wrong=_PASSED,
                releases=f"3.3.5{_EXACT}",
            ),
            Scenario(
                f"an unknown word, {mode}",
                case("irrelevant", mode=mode),
                right={"score": None, "status": "ERROR"},
                wrong=_PASSED,
                releases="3.3.5..4.2.3",
            ),
            Scenario(
                f"one of four unknown, {mode}",
                case("yes", "yes", "yes", "irrelevant", mode=mode),
                right={"score": 0.75, "status": "PASSED"},
                wrong=_PASSED,
                releases="3.3.5..4.2.3",
            ),
            Scenario(
                f"control: a reason behind the word, {mode}",
                case("No, it is off-topic.", mode=mode),
                right={"score": 0.0, "status": "FAILED"},
                releases="4.0.8..",
            ),
            Scenario(
                f"one of two contradicts itself, {mode}",
                case("yes", "yes and no", mode=mode, kwargs={"threshold": 0.8}),
                right={"score": None, "status": "ERROR"},
                wrong=_PASSED,
                releases="3.3.5..4.2.3",
            ),
            Scenario(
                f"a reason that takes the word back, {mode}",
                case("Yes. No, I mean no.", mode=mode),
                right={"score": None, "status": "ERROR"},
                wrong=_PASSED,
                releases="3.3.5..4.2.3",
            ),
            Scenario(
                f"one of two unknown, {mode}",
                case("yes", "No doubt, yes", mode=mode, kwargs={"threshold": 0.8}),
                right={"score": None, "status": "ERROR"},
                wrong=_PASSED,
                releases=f"3.3.5{_EXACT}",
            ),
            Scenario(f"control: good, {mode}", case("yes", mode=mode), right=_PASSED),
            Scenario(f"control: good and bad, {mode}", case("yes", "no", mode=mode), right={"score": 0.5}),
            Scenario(f"control: a schema, {mode}", case("no", mode=mode, path="schema"), right={"score": 0.0}),
        ]
    return tuple(found)


FIX = Fix(
    id="deepeval-turn-relevancy-verdicts",
    dist="deepeval",
    title="TurnRelevancyMetric passes on a verdict that it cannot read",
    before='Up to 4.0.7 whatever is not the bare word "no" counts as relevant ("No, it is off-topic" scores 1.0); '
    "from then to 4.2.3 what is outside the vocabulary is left out, and where nothing is left the score is 1.",
    after="The leading word decides; a verdict without one is missing: asked for once more, then decided if it cannot "
    "change the outcome, else the metric is unscored.",
    replacements=(
        Replacement(f"{_PLACE}_generate_verdict", build_single),
        Replacement(f"{_PLACE}_a_generate_verdict", build_single),
        Replacement("deepeval.metrics.utils:verdict_from_json", _build_reader, optional=True),
        *replacements((_FAMILY,)),
    ),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=_scenarios(),
)
