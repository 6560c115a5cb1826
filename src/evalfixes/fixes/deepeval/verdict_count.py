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
from evalfixes.fixes.deepeval._told import FAILED, PASSED, UNSCORED, told

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


def _of(family: Family) -> Iterator[Scenario]:
    name = family.cls
    good = {"verdict": family.good, "reason": "r", "statement": "s"}
    bad = {**good, "verdict": family.bad}

    def case(verdicts: list[Any], items: int = 3, **more: Any) -> dict[str, Any]:
        return {"metric": name, "items": items, "replies": [{"verdicts": verdicts}], **more}

    zero = family.name in ("contextual_recall", "contextual_relevancy", "contextual_precision", "summarization")
    for path, mode in (("json", "sync"), ("json", "async"), ("schema", "sync"), ("schema", "async")):
        where: dict[str, Any] = {"path": path, "mode": mode}
        label = f"{path}, {mode}"
        nodes = {"turn_contextual_relevancy": ("two nodes", 2), "contextual_relevancy": ("three nodes", 3)}
        if family.name in nodes:
            # With a good answer on another node those without one vanish.
            of, items = nodes[family.name]
            replies = [{"verdicts": []}, {"verdicts": [good]}]
            yield from told(
                family,
                f"{name}: none on one of {of}, {label}",
                {**case([], items=items, **where), "replies": replies if items == 2 else replies[::-1]},
                right=UNSCORED,
                wrong=PASSED,
            )
        yield from told(
            family,
            f"{name}: none, {label}",
            case([], **where),
            right=UNSCORED,
            wrong=FAILED if zero else PASSED,
            # Before 3.9.9 an empty list is an error in this one metric.
            releases=("3.9.9.." if path == "schema" else "4.2.4..") if family.name == "turn_faithfulness" else "",
        )
        if family.counted:
            for how, given in (("one of three", [good]), ("four of three", [good] * 4)):
                yield from told(family, f"{name}: {how}, {label}", case(given, **where), right=UNSCORED, wrong=PASSED)
    if family.counted:
        yield from told(family, f"control: {name}, a bad one of one", case([bad], items=1), right=FAILED)
        if not family.ranked:
            violation = family.name == "role_violation"
            share = FAILED if violation else {"score": 2 / 3, "status": "PASSED"}
            yield from told(family, f"control: {name}, one bad of three", case([good, bad, good]), right=share)
            yield from told(
                family,
                f"{name}: a good majority with one missing",
                case([good] * 3, items=4),
                right=UNSCORED if violation else {"score": 0.75, "status": "PASSED"},
                wrong=PASSED,
            )
    yield from told(family, f"control: {name}, all good", case([good] * 3, mode="async"), right=PASSED)


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
        *(scenario for family in LISTS for scenario in _of(family)),
        Scenario(
            "FaithfulnessMetric: four verdicts that repeat their claims",
            {"metric": "FaithfulnessMetric", "items": 3, "replies": [{"verdicts": _ECHOED}]},
            right={"score": 2 / 3, "status": "PASSED"},
            wrong={"score": 0.75, "status": "PASSED"},
            releases="4.2.4..",
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
            releases="4.2.4..",
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
