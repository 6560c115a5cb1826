"""deepeval's metrics that ask for one verdict at a time drop the answers that they cannot read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._asking import single_verdict
from evalfixes.fixes.deepeval._calls import Call, Conversation, both_ways
from evalfixes.fixes.deepeval._families import SINGLES
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._lenient import lenient
from evalfixes.fixes.deepeval._replies import Reader, cell
from evalfixes.fixes.deepeval._scoring import replacements

_QAG = "deepeval.metrics.utils.qag"


def _build_reader(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def verdict_from_json(data: Any, verdict_cls: Any, allowed: Any = module.YES_NO) -> Any:
        opened = cell.get()
        if opened is None:
            return original(data, verdict_cls, allowed)
        opened.seen = True
        opened.entries = [data]
        opened.text = repr(data)[:200]
        return None

    return verdict_from_json


def _converse(original: Callable[..., Any], module: ModuleType) -> Conversation:
    def generate_qag_verdict(metric: Any, prompt: Any, *, verdict_cls: Any, **more: Any) -> Generator[Call, Any, Any]:
        def ask(prompt: Any) -> Any:
            return original(metric, prompt, verdict_cls=lenient(verdict_cls), **more)

        reader = Reader(verdict_cls, module.Verdict, more.get("allowed", module.YES_NO))
        return single_verdict(reader, metric, ask, prompt)

    return generate_qag_verdict


_build = both_ways(_converse)


_PASSED = {"score": 1.0, "status": "PASSED"}
_FAILED = {"score": 0.0, "status": "FAILED"}
_UNSCORED = {"score": None, "status": "ERROR"}


def _scenarios() -> tuple[Scenario, ...]:
    found = []
    for family in SINGLES:
        name = family.cls
        good, bad = {"verdict": family.good, "reason": "r"}, {"verdict": family.bad, "reason": "r"}

        def case(*replies: Any, _name: str = name, **more: Any) -> dict[str, Any]:
            return {"metric": _name, "items": len(replies), "replies": list(replies), **more}

        for mode in ("sync", "async"):
            found += [
                Scenario(
                    f"{name}: bold bad word, {mode}",
                    case({**bad, "verdict": f"**{family.bad}**"}, mode=mode),
                    right=_FAILED,
                    wrong=_PASSED,
                ),
                Scenario(
                    f"{name}: null, {mode}", case({**bad, "verdict": None}, mode=mode), right=_UNSCORED, wrong=_PASSED
                ),
                Scenario(
                    f"{name}: one good, one error, {mode}",
                    case(good, {"error": "rate limited"}, mode=mode, kwargs={"threshold": 0.8}),
                    right=_UNSCORED,
                    wrong=_PASSED,
                ),
                Scenario(
                    f"{name}: three good, one unknown word, {mode}",
                    case(good, good, good, {**good, "verdict": "violation"}, mode=mode),
                    right={"score": 0.75, "status": "PASSED"},
                    wrong=_PASSED,
                ),
            ]
        for path in ("json", "schema"):
            found += [
                Scenario(f"control: {name}, good and bad, {path}", case(good, bad, path=path), right={"score": 0.5}),
                Scenario(f"control: {name}, good, {path}", case(good, path=path, mode="async"), right=_PASSED),
            ]
    found.append(
        Scenario(
            "KnowledgeRetentionMetric: unusable, with a reason to write",
            {
                "metric": "KnowledgeRetentionMetric",
                "items": 4,
                "replies": [*[{"verdict": "no"}] * 3, {"verdict": "violation"}],
                "include_reason": True,
            },
            right={"score": 0.75, "status": "PASSED"},
            wrong=_UNSCORED,
        )
    )
    return tuple(found)


FIX = Fix(
    id="deepeval-single-verdicts",
    dist="deepeval",
    title="one unusable verdict of several is left out of the mean",
    before="Conversation completeness, turn relevancy and knowledge retention ask for one verdict per intention or "
    "turn. An unusable reply is dropped: one good and one error object score 1.0; with nothing left the score is 1. "
    "Knowledge retention then crashes where it writes the reason.",
    after="It is missing: asked for once more, then decided if it cannot change the outcome, else the metric is "
    "unscored.",
    replacements=(
        Replacement(f"{_QAG}:verdict_from_json", _build_reader),
        Replacement(f"{_QAG}:generate_qag_verdict", _build),
        Replacement(f"{_QAG}:a_generate_qag_verdict", _build),
        *replacements(SINGLES),
    ),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=_scenarios(),
    risks="As for deepeval-missing-verdicts.",
)
