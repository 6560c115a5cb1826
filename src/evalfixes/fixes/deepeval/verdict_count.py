"""deepeval's list metrics take however many verdicts the judge returns for the items it was asked about."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._calls import Call, Conversation, both_ways
from evalfixes.fixes.deepeval._families import LISTS, Family
from evalfixes.fixes.deepeval._harness import evaluate, item
from evalfixes.fixes.deepeval._slots import counting

_QAG = "deepeval.metrics.utils.qag"


def _converse(original: Callable[..., Any], module: ModuleType) -> Conversation:
    def _generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Generator[Call, Any, Any]:
        token = counting.set(True)
        try:
            found = yield lambda: original(self, *args, **kwargs)
        finally:
            counting.reset(token)
        return found

    return _generate_verdicts


_build = both_ways(_converse)


def _asking() -> Iterator[Replacement]:
    for family in LISTS:
        for name in (family.asks, f"_a{family.asks}"):
            yield Replacement(f"{family.module}:{family.cls}.{name}", _build, optional=True)


_PASSED: dict[str, Any] = {"score": 1.0, "status": "PASSED"}
_UNSCORED: dict[str, Any] = {"score": None, "status": "ERROR"}


def _of(family: Family) -> list[Scenario]:
    name = family.cls
    found: list[Scenario] = []
    good = {"verdict": family.good, "reason": "r", "statement": "s"}
    bad = {**good, "verdict": family.bad}

    def case(verdicts: list[Any], items: int = 3, **more: Any) -> dict[str, Any]:
        return {"metric": name, "items": items, "replies": [{"verdicts": verdicts}], **more}

    zero = name in (
        "ContextualRecallMetric",
        "ContextualRelevancyMetric",
        "ContextualPrecisionMetric",
        "SummarizationMetric",
    )
    for path, mode in (("json", "sync"), ("json", "async"), ("schema", "sync"), ("schema", "async")):
        where: dict[str, Any] = {"path": path, "mode": mode}
        label = f"{path}, {mode}"
        empty = {"score": 0.0, "status": "FAILED"} if zero else _PASSED
        if family.name == "turn_contextual_relevancy":
            # With a good answer on the second node the first one vanishes.
            found.append(
                Scenario(
                    f"{name}: empty on one of two nodes, {label}",
                    {**case([], items=2, **where), "replies": [{"verdicts": []}, {"verdicts": [good]}]},
                    right=_UNSCORED,
                    wrong=_PASSED,
                )
            )
        elif family.name == "contextual_relevancy":
            found.append(
                Scenario(
                    f"{name}: empty on two of three nodes, {label}",
                    {**case([], **where), "replies": [{"verdicts": [good]}, {"verdicts": []}]},
                    right=_UNSCORED,
                    wrong=_PASSED,
                )
            )
        found.append(Scenario(f"{name}: none, {label}", case([], **where), right=_UNSCORED, wrong=empty))
        if family.counted:
            found += [
                Scenario(f"{name}: one of three, {label}", case([good], **where), right=_UNSCORED, wrong=_PASSED),
                Scenario(f"{name}: four of three, {label}", case([good] * 4, **where), right=_UNSCORED, wrong=_PASSED),
            ]
    if family.counted:
        wrong = {"score": 0.0, "status": "FAILED"}
        found.append(
            Scenario(f"control: {name}, a bad one of one", case([bad], items=1), right=wrong),
        )
        if not family.ranked:
            score = 0.0 if name == "RoleViolationMetric" else 2 / 3
            found.append(
                Scenario(
                    f"control: {name}, one bad of three",
                    case([good, bad, good]),
                    right={"score": score, "status": "PASSED" if score >= 0.5 else "FAILED"},
                )
            )
            found.append(
                Scenario(
                    f"{name}: a good majority with one missing",
                    case([good] * 3, items=4),
                    right=_UNSCORED if name == "RoleViolationMetric" else {"score": 0.75, "status": "PASSED"},
                    wrong=_PASSED,
                )
            )
    found.append(Scenario(f"control: {name}, all good", case([good] * 3, mode="async"), right=_PASSED))
    return found


_ECHOED = [
    {"verdict": "no", "reason": "r", "claim": item(2)},
    {"verdict": "yes", "reason": "r", "claim": item(0)},
    {"verdict": "yes", "reason": "r", "claim": item(1)},
    {"verdict": "yes", "reason": "r", "claim": item(1)},
]
_RANKS = [{"verdict": word, "reason": "r"} for word in ("no", "no", "yes")]

FIX = Fix(
    id="deepeval-verdict-count",
    dist="deepeval",
    title="fewer or more verdicts than items are taken for the whole",
    before="Three items are sent, the judge returns none, one or four verdicts, and the score is the share among "
    "those: 1.0 for one good of three. Contexts without a verdict vanish, later nodes move up a rank.",
    after="Verdicts are counted against the items wherever their number is known. Missing ones are asked for once "
    "more, then decided if they cannot change the outcome, else the metric is unscored.",
    replacements=tuple(_asking()),
    requires=("deepeval-missing-verdicts",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=(
        *(s for family in LISTS if family.name != "transcription_accuracy" for s in _of(family)),
        Scenario(
            "FaithfulnessMetric: four verdicts that repeat their claims",
            {"metric": "FaithfulnessMetric", "items": 3, "replies": [{"verdicts": _ECHOED}]},
            right={"score": 2 / 3, "status": "PASSED"},
            wrong={"score": 0.75, "status": "PASSED"},
        ),
        Scenario(
            "FaithfulnessMetric: the bad verdict is given twice",
            {
                "metric": "FaithfulnessMetric",
                "items": 3,
                "replies": [{"verdicts": [_ECHOED[0], *_ECHOED[:3]]}],
                "kwargs": {"threshold": 0.6},
            },
            right={"score": 2 / 3, "status": "PASSED"},
            wrong={"score": 0.5, "status": "FAILED"},
        ),
        Scenario(
            "control: ContextualPrecisionMetric, the third node of three",
            {"metric": "ContextualPrecisionMetric", "items": 3, "replies": [{"verdicts": _RANKS}]},
            right={"score": 1 / 3, "status": "FAILED"},
        ),
        Scenario(
            "ContextualPrecisionMetric: the first verdict is left out",
            {"metric": "ContextualPrecisionMetric", "items": 3, "replies": [{"verdicts": _RANKS[1:]}]},
            right={"score": None, "status": "ERROR"},
            wrong={"score": 0.5, "status": "PASSED"},
        ),
    ),
    watches=tuple(
        f"{_QAG}:{name}" for name in ("generate_qag_verdicts", "a_generate_qag_verdicts", "_verdicts_from_json")
    ),
    risks="As for deepeval-missing-verdicts.",
)
