"""Three deepeval metrics compare the judge's verdict exactly, and take whatever they do not know as good."""

from __future__ import annotations

from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval import _families
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._scoring import replacements
from evalfixes.fixes.deepeval._words import build_objects, build_single

_FAMILIES = tuple(
    family
    for family in (*_families.LISTS, *_families.SINGLES)
    if family.name in ("role_violation", "prompt_alignment", "conversation_completeness")
)


def _targets() -> tuple[Replacement, ...]:
    found = []
    for family in _FAMILIES:
        place = f"{family.module}:{family.cls}."
        if family in _families.SINGLES:
            found.append(Replacement(f"{place}_generate_verdict", build_single))
            found.append(Replacement(f"{place}_a_generate_verdict", build_single))
        else:
            found.append(Replacement(f"{place}_generate_verdicts", build_objects))
            found.append(Replacement(f"{place}_a_generate_verdicts", build_objects))
    return (*found, *replacements(_FAMILIES))


_RANGE = "3.2.5..4.2.3"
"""Where the words below the leading one do harm; from 4.2.4 on other fixes see to them."""


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
            replies: list[Any] = list(verdicts) if _single else [{"verdicts": verdicts}]
            return {"metric": _cls, "items": len(words), "replies": replies, "path": path, "mode": mode, **more}

        for path in ("json", "schema"):
            for mode in ("sync", "async"):
                where: dict[str, Any] = {"path": path, "mode": mode}
                label = f"{family.cls}, {path}, {mode}"
                found += [
                    Scenario(
                        f"{label}: {word}",
                        case(word, **where),
                        right=failed,
                        wrong=passed,
                        # From 4.2.4 on a leading word is read out of JSON; a schema takes bare words only.
                        releases="" if path == "json" and word[0].isalpha() else _RANGE,
                    )
                    for word in reasons[family.bad]
                ]
                found += [
                    Scenario(
                        f"{label}: missing {word!r}", case(word, **where), right=unscored, wrong=passed, releases=_RANGE
                    )
                    for word in missing
                ]
                found += [
                    Scenario(f"control: {label}, good", case(family.good, **where), right=passed),
                    Scenario(f"control: {label}, bad", case(family.bad, **where), right=failed),
                    Scenario(
                        f"control: {label}, capitals", case(family.bad.title(), **where), right=failed, releases=_RANGE
                    ),
                    Scenario(
                        f"control: {label}, with a reason to write",
                        case(family.bad, include_reason=True, **where),
                        right=failed,
                    ),
                ]
        if single or family.cls == "PromptAlignmentMetric":
            found += [
                Scenario(
                    f"{family.cls}: one missing of four",
                    case("yes", "yes", "yes", "maybe"),
                    right={"score": 0.75, "status": "PASSED"},
                    wrong=passed,
                    releases=_RANGE,
                ),
                Scenario(
                    f"{family.cls}: one missing of two",
                    case("yes", "maybe", kwargs={"threshold": 0.8}),
                    right=unscored,
                    wrong=passed,
                    releases=_RANGE,
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
    # A violation among verdicts that are missing is decided: in strict mode that must not mean a pass.
    requires=("deepeval-metric-recovers", "deepeval-role-violation-strict"),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=_scenarios(),
)
