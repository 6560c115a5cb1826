"""deepeval's list metrics drop what the judge did not answer usably, and an empty list scores 1."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._asking import list_of_verdicts
from evalfixes.fixes.deepeval._calls import Call, Conversation, both_ways
from evalfixes.fixes.deepeval._families import LISTS, Family
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._lenient import lenient
from evalfixes.fixes.deepeval._replies import Reader, cell
from evalfixes.fixes.deepeval._scoring import replacements, without
from evalfixes.fixes.deepeval._told import FAILED, PASSED, UNSCORED, before_qag, from_qag, told
from evalfixes.fixes.deepeval._words import build_list

_QAG = "deepeval.metrics.utils.qag"
_VERBOSE = "deepeval-verbose-verdicts"  # does the same for some metrics, as far as it can without hearing the judge


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


def _converse(original: Callable[..., Any], module: ModuleType) -> Conversation:
    def generate_qag_verdicts(
        metric: Any, prompt: Any, *, verdict_cls: Any, verdicts_cls: Any, **more: Any
    ) -> Generator[Call, Any, Any]:
        def ask(prompt: Any) -> Any:
            return original(metric, prompt, verdict_cls=verdict_cls, verdicts_cls=lenient(verdicts_cls), **more)

        system_one = more.get("system_one")
        reader = Reader(verdict_cls, module.Verdict, more.get("allowed", module.YES_NO))
        items = None if system_one is None else system_one.items
        return list_of_verdicts(reader, metric, ask, prompt, items)

    return generate_qag_verdicts


_build = both_ways(_converse)


def _before_qag() -> Iterator[Replacement]:
    """The releases in which each metric asks by itself."""
    for family in LISTS:
        for name in (family.asks, f"_a{family.asks}"):
            target = f"{family.module}:{family.cls}.{name}"
            yield Replacement(target, without(_VERBOSE, build_list), optional=True, unless="generate_qag_verdicts")


def _of(family: Family) -> Iterator[Scenario]:
    # What upstream makes of an empty list.
    empty_fails = family.name in ("contextual_recall", "contextual_relevancy", "contextual_precision", "summarization")
    nothing = FAILED if empty_fails else PASSED
    bad = {"verdict": family.bad, "reason": "r", "statement": "s"}
    good = {"verdict": family.good, "reason": "r", "statement": "s"}
    # One node each for the metric that asks node by node.
    per_node = family.name in ("contextual_relevancy", "turn_contextual_relevancy")
    on = from_qag(family)

    def case(*verdicts: Any, **more: Any) -> dict[str, Any]:
        replies = more.pop("replies", [{"verdicts": list(verdicts)}])
        return {"metric": family.cls, "items": 1 if per_node else len(verdicts) or 1, "replies": replies, **more}

    label = family.cls
    odd, word, value = ("good", family.good, PASSED) if empty_fails else ("bad", family.bad, FAILED)
    plain = {**bad, "verdict": f"**{word}**"}
    for mode in ("sync", "async"):
        yield Scenario(
            f"{label}: no verdicts key, {mode}",
            case(replies=[{"error": "content filtered"}], mode=mode),
            right=UNSCORED,
            wrong=nothing,
            releases=on,
        )
        yield Scenario(
            f"{label}: bold {odd} word, {mode}", case(plain, mode=mode), right=value, wrong=nothing, releases=on
        )
        for how, given in (
            ("bold", plain["verdict"]),
            ("a reason behind it", f"{word}, because"),
            ("boolean", word == "yes"),
        ):
            yield Scenario(
                f"{label}: {odd} word, {how}, schema, {mode}",
                case({**bad, "verdict": given}, path="schema", mode=mode),
                right=value,
                wrong=UNSCORED,
                releases=on,
            )
        if family.items and family.name != "turn_faithfulness":  # there it is an error
            yield from told(
                family,
                f"{label}: an object for a list, {mode}",
                case(replies=[{"verdicts": {}}], mode=mode),
                right=UNSCORED,
                wrong=nothing,
                releases=before_qag(family, "json"),
            )
    for name, odd_word in (
        ("null", None),
        ("unknown word", "violation"),
        ("number", 1),
        ("qualified", "Definitely yes"),
    ):
        yield Scenario(
            f"{label}: {name}", case({**bad, "verdict": odd_word}), right=UNSCORED, wrong=nothing, releases=on
        )
    misread = "No doubt, this is a clear violation" if family.bad == "yes" else "Yes and no, it is contradicted"
    yield Scenario(
        f"{label}: misread leading word", case({**bad, "verdict": misread}), right=UNSCORED, wrong=PASSED, releases=on
    )
    yield Scenario(
        f"{label}: null list", case(replies=[{"verdicts": None}]), right=UNSCORED, wrong=nothing, releases=on
    )
    yield Scenario(
        f"{label}: the boolean of JSON",
        case({**bad, "verdict": word == "yes"}),
        right=value,
        wrong=nothing,
        releases=on,
    )
    for path in ("json", "schema"):
        yield from told(family, f"control: {label}, good, {path}", case(good, path=path), right=PASSED)
        yield from told(family, f"control: {label}, bad, {path}", case(bad, path=path, mode="async"), right=FAILED)


_NODE = {"verdict": "no", "reason": "r", "statement": "s"}
_LAST_NODE = Scenario(
    "control: ContextualRelevancyMetric, a text for the verdicts on the last of three nodes",
    {
        "metric": "ContextualRelevancyMetric",
        "items": 3,
        "replies": [
            {"verdicts": [_NODE, _NODE]},
            {"verdicts": [{**_NODE, "verdict": "yes"}] * 2},
            {"verdicts": "text"},
        ],
        "kwargs": {"threshold": 0.8},
    },
    right=UNSCORED,
    releases="4.2.4..",
)

FIX = Fix(
    id="deepeval-missing-verdicts",
    dist="deepeval",
    title="what the judge did not answer usably is dropped, and an empty list scores 1",
    before='From 4.2.4 on, a reply without a list of verdicts (`{"error": "content filtered"}`), or with verdicts '
    "outside the vocabulary (`**yes**`, `true`, `violation`, null), leaves the denominator; where nothing is left, "
    'eleven metrics score 1.0 and pass. A leading word is taken out of its sentence ("No doubt, this is a violation" '
    "is a no). Up to 4.2.3 an empty object in place of the list passes. What a schema refuses ends in an error, "
    "however plain it is.",
    after="Plain but odd forms are read; anything else is missing: asked for once more, then decided if it cannot "
    "change the outcome, else the metric is unscored.",
    replacements=(
        Replacement(f"{_QAG}:_verdicts_from_json", _build_reader, optional=True),
        Replacement(f"{_QAG}:generate_qag_verdicts", _build, optional=True),
        Replacement(f"{_QAG}:a_generate_qag_verdicts", _build, optional=True),
        *_before_qag(),
        *replacements(LISTS, instead_of=_VERBOSE),
    ),
    # Strict mode: as for the verbose verdicts, a violation that decides must not pass.
    requires=("deepeval-metric-recovers", "deepeval-role-violation-strict", _VERBOSE),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=(*(scenario for family in LISTS for scenario in _of(family)), _LAST_NODE),
    risks="Runs that were green without a judge's answer end in an UnscoredError, which aborts `evaluate()` unless "
    '`ignore_errors` is set; `apply(deepeval_errors="record")` records it instead.',
)
