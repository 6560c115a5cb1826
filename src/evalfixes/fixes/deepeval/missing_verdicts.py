"""deepeval's list metrics drop what the judge did not answer usably, and an empty list scores 1."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._asking import a_run, list_of_verdicts, run
from evalfixes.fixes.deepeval._families import LISTS
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._replies import Reader, cell
from evalfixes.fixes.deepeval._scoring import replacements

_QAG = "deepeval.metrics.utils.qag"


def _build_reader(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _verdicts_from_json(data: Any, verdict_cls: Any, allowed: Any) -> Any:
        opened = cell.get()
        if opened is None:
            return original(data, verdict_cls, allowed)
        entries = data.get("verdicts") if isinstance(data, dict) else None
        opened.seen = True
        opened.entries = list(entries) if isinstance(entries, list) else None
        opened.text = repr(data)[:200]
        opened.broken = bool(entries) and not isinstance(entries, list)
        return []

    return _verdicts_from_json


def _build_sync(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def generate_qag_verdicts(
        metric: Any,
        prompt: Any,
        *,
        verdict_cls: Any,
        verdicts_cls: Any,
        allowed: Any = module.YES_NO,
        system_one: Any = None,
    ) -> Any:
        def ask(prompt: Any) -> Any:
            return original(
                metric,
                prompt,
                verdict_cls=verdict_cls,
                verdicts_cls=verdicts_cls,
                allowed=allowed,
                system_one=system_one,
            )

        items = None if system_one is None else system_one.items
        return run(list_of_verdicts(Reader(verdict_cls, module.Verdict, allowed), metric, prompt, items), ask)

    return generate_qag_verdicts


def _build_async(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def a_generate_qag_verdicts(
        metric: Any,
        prompt: Any,
        *,
        verdict_cls: Any,
        verdicts_cls: Any,
        allowed: Any = module.YES_NO,
        system_one: Any = None,
    ) -> Any:
        async def ask(prompt: Any) -> Any:
            return await original(
                metric,
                prompt,
                verdict_cls=verdict_cls,
                verdicts_cls=verdicts_cls,
                allowed=allowed,
                system_one=system_one,
            )

        items = None if system_one is None else system_one.items
        return await a_run(list_of_verdicts(Reader(verdict_cls, module.Verdict, allowed), metric, prompt, items), ask)

    return a_generate_qag_verdicts


def _scenarios() -> tuple[Scenario, ...]:
    found = []
    passed, failed, unscored = (
        {"score": 1.0, "status": "PASSED"},
        {"score": 0.0, "status": "FAILED"},
        {"score": None, "status": "ERROR"},
    )
    for family in LISTS:
        if family.name == "transcription_accuracy":  # it listens to a recording first
            continue
        # What upstream makes of an empty list.
        empty_fails = family.name in (
            "contextual_recall",
            "contextual_relevancy",
            "contextual_precision",
            "summarization",
        )
        nothing = {"score": 0.0, "status": "FAILED"} if empty_fails else passed
        bad = {"verdict": family.bad, "reason": "r", "statement": "s"}
        good = {"verdict": family.good, "reason": "r", "statement": "s"}

        def case(*verdicts: Any, _family: Any = family, **more: Any) -> dict[str, Any]:
            replies = more.pop("replies", [{"verdicts": list(verdicts)}])
            # One node each for the metric that asks node by node.
            items = 1 if _family.name in ("contextual_relevancy", "turn_contextual_relevancy") else len(verdicts) or 1
            return {"metric": _family.cls, "items": items, "replies": replies, **more}

        label = family.cls
        for mode in ("sync", "async"):
            found += [
                Scenario(
                    f"{label}: no verdicts key, {mode}",
                    case(replies=[{"error": "content filtered"}], mode=mode),
                    right=unscored,
                    wrong=nothing,
                ),
                Scenario(
                    f"{label}: bold bad word, {mode}",
                    case({**bad, "verdict": f"**{family.bad}**"}, mode=mode),
                    right=failed,
                    wrong=nothing,
                )
                if not empty_fails
                else Scenario(
                    f"{label}: bold good word, {mode}",
                    case({**good, "verdict": f"**{family.good}**"}, mode=mode),
                    right=passed,
                    wrong=nothing,
                ),
            ]
        for name, word in (
            ("null", None),
            ("unknown word", "violation"),
            ("number", 1),
            ("qualified", "Definitely yes"),
        ):
            found.append(Scenario(f"{label}: {name}", case({**bad, "verdict": word}), right=unscored, wrong=nothing))
        misread = "No doubt, this is a clear violation" if family.bad == "yes" else "Yes and no, it is contradicted"
        found += [
            Scenario(f"{label}: misread leading word", case({**bad, "verdict": misread}), right=unscored, wrong=passed),
            Scenario(f"{label}: null list", case(replies=[{"verdicts": None}]), right=unscored, wrong=nothing),
            Scenario(
                f"{label}: the boolean of JSON",
                case({**bad, "verdict": family.bad == "yes"}),
                right={**failed},
                wrong=nothing,
            )
            if not empty_fails
            else Scenario(
                f"{label}: the boolean of JSON",
                case({**good, "verdict": family.good == "yes"}),
                right=passed,
                wrong=nothing,
            ),
        ]
        for path in ("json", "schema"):
            found += [
                Scenario(f"control: {label}, good, {path}", case(good, path=path), right=passed),
                Scenario(f"control: {label}, bad, {path}", case(bad, path=path, mode="async"), right=failed),
            ]
    node = {"verdict": "no", "reason": "r", "statement": "s"}
    found.append(
        Scenario(
            "control: ContextualRelevancyMetric, a text for the verdicts on the last of three nodes",
            {
                "metric": "ContextualRelevancyMetric",
                "items": 3,
                "replies": [
                    {"verdicts": [node, node]},
                    {"verdicts": [{**node, "verdict": "yes"}] * 2},
                    {"verdicts": "text"},
                ],
                "kwargs": {"threshold": 0.8},
            },
            right=unscored,
        )
    )
    return tuple(found)


FIX = Fix(
    id="deepeval-missing-verdicts",
    dist="deepeval",
    title="what the judge did not answer usably is dropped, and an empty list scores 1",
    before='A reply without a list of verdicts (`{"error": "content filtered"}`), or with verdicts outside the '
    "vocabulary (`**yes**`, `true`, `violation`, null), leaves the denominator; where nothing is left, eleven metrics "
    'score 1.0 and pass. A leading word is taken out of its sentence ("No doubt, this is a violation" is a no).',
    after="Plain but odd forms are read; anything else is missing: asked for once more, then decided if it cannot "
    "change the outcome, else the metric is unscored.",
    replacements=(
        Replacement(f"{_QAG}:_verdicts_from_json", _build_reader),
        Replacement(f"{_QAG}:generate_qag_verdicts", _build_sync),
        Replacement(f"{_QAG}:a_generate_qag_verdicts", _build_async),
        *replacements(LISTS),
    ),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=_scenarios(),
    risks="Runs that were green without a judge's answer end in an UnscoredError, which aborts `evaluate()` unless "
    '`ignore_errors` is set; `apply(deepeval_errors="record")` records it instead.',
)
