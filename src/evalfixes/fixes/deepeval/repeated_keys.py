"""deepeval reads the last of two values that a judge's reply gives for one key.

Both functions that make a table of a judge's text are covered: the one of the metrics, and the one of the
classes for models, which make a schema's object of it. A reply that contradicts itself is put to upstream
as what it is, a text without an answer. So it ends in upstream's own error for a reply that is no JSON,
and what the other fixes do about such a reply they do about this one: the lists, single verdicts and
extractions are asked for once more, and then the metric is unscored. No reply is mended here; which of
two answers was meant nobody knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NoReturn

from evalfixes.fix import Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.deepeval._families import LISTS, SINGLES, Family
from evalfixes.fixes.deepeval._harness import evaluate, item
from evalfixes.fixes.deepeval._told import FAILED, PASSED, UNSCORED, spans, told
from evalfixes.fixes.deepeval.missing_extractions import _ASKED, _GREEN
from evalfixes.fixes.deepeval.score_scale import _METRICS
from evalfixes.verdicts.repeated import contradicted_key

_NO_JSON = ""


def _refuse(key: str, read: Callable[[], Any], metric: Any = None) -> NoReturn:
    """Raises what upstream raises over a reply that is no JSON, with the reason.

    Args:
        key: What the reply gives two values for.
        read: Has upstream read such a reply.
        metric: Takes the error, as upstream leaves it there; None where there is none at hand.

    Raises:
        ValueError: Always; from 3.7.6 on that of the classes for models is a DeepEvalError too, as upstream's is.
    """
    try:
        read()
    except Exception as error:
        kind = type(error)
        message = f"{error} It gives two different values for `{key:.100}`."
    else:
        raise AssertionError("an empty text was read")
    if metric is not None:
        metric.error = message
    if not issubclass(kind, ValueError):
        kind = type(kind.__name__, (kind, ValueError), {"__module__": kind.__module__})
    raise kind(message)


def _contradicted(text: Any) -> str | None:
    return contradicted_key(text) if isinstance(text, str) else None


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def trimAndLoadJson(input_string: Any, metric: Any = None) -> Any:  # noqa: N802 - upstream's name
        key = _contradicted(input_string)
        if key is None:
            return original(input_string, metric)
        _refuse(key, lambda: original(_NO_JSON, metric), metric)

    return trimAndLoadJson


def _build_of_models(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def trim_and_load_json(input_string: Any) -> Any:
        key = _contradicted(input_string)
        if key is None:
            return original(input_string)
        _refuse(key, lambda: original(_NO_JSON))

    return trim_and_load_json


def _twice(key: str, first: Any, second: Any, **more: Any) -> str:
    """An object that gives a key twice."""
    rest = "".join(f", {json.dumps(name)}: {json.dumps(value)}" for name, value in more.items())
    return f"{{{json.dumps(key)}: {json.dumps(first)}, {json.dumps(key)}: {json.dumps(second)}{rest}}}"


_WAYS = (("json", "sync"), ("json", "async"), ("loaded", "sync"), ("loaded", "async"))


def _way(path: str, mode: str) -> str:
    return f"{'schema' if path == 'loaded' else path}, {mode}"


def _lists(family: Family) -> Iterator[Scenario]:
    name = family.cls
    good = {"verdict": family.good, "reason": "r", "statement": "s"}
    bad = {**good, "verdict": family.bad}
    rest = {"reason": "r", "statement": "s"}
    for path, mode in _WAYS:

        def case(text: str, _path: str = path, _mode: str = mode) -> dict[str, Any]:
            return {"metric": name, "items": 1, "replies": [{"text": text}], "path": _path, "mode": _mode}

        def one(text: str) -> dict[str, Any]:
            return case(f'{{"verdicts": [{text}]}}')

        way = _way(path, mode)
        yield from told(
            family,
            f"{name}: the bad verdict, then the good one in one object, {way}",
            one(_twice("verdict", family.bad, family.good, **rest)),
            right=UNSCORED,
            wrong=PASSED,
        )
        yield from told(
            family,
            f"{name}: a bad list of verdicts, then a good one, {way}",
            case(_twice("verdicts", [bad], [good])),
            right=UNSCORED,
            wrong=PASSED,
        )
        yield from told(
            family,
            f"control: {name}: one verdict twice, {way}",
            one(_twice("verdict", family.bad, family.bad, **rest)),
            right=FAILED,
        )
        yield from told(
            family,
            f"control: {name}: two reasons for one verdict, {way}",
            one(_twice("reason", "r", "another", verdict=family.good, statement="s")),
            right=PASSED,
        )
    yield from told(
        family,
        f"{name}: the good verdict, then the bad one in one object",
        {**one(_twice("verdict", family.good, family.bad, **rest)), "path": "json", "mode": "sync"},
        right=UNSCORED,
        wrong=FAILED,
    )


def _singles(family: Family) -> Iterator[Scenario]:
    name = family.cls
    for path, mode in _WAYS:

        def case(text: str, _path: str = path, _mode: str = mode) -> dict[str, Any]:
            return {"metric": name, "items": 1, "replies": [{"text": text}], "path": _path, "mode": _mode}

        way = _way(path, mode)
        yield Scenario(
            f"{name}: the bad verdict, then the good one in one object, {way}",
            case(_twice("verdict", family.bad, family.good, reason="r")),
            right=UNSCORED,
            wrong=PASSED,
            releases=spans(family, path),
        )
        yield Scenario(
            f"control: {name}: one verdict twice, {way}",
            case(_twice("verdict", family.bad, family.bad, reason="r")),
            right=FAILED,
            releases=spans(family, path),
        )


def _extractions() -> Iterator[Scenario]:
    for asked in _ASKED:
        family = asked.family
        if family.name not in _GREEN or asked.key == "truths":
            continue
        for path, mode in _WAYS:

            def case(
                first: Any, second: Any, _cls: str = family.cls, _word: str = family.bad, _asked: Any = asked,
                _path: str = path, _mode: str = mode,
            ) -> dict[str, Any]:  # fmt: skip
                return {
                    "metric": _cls,
                    "items": 1,
                    "replies": [{"verdicts": [{"verdict": _word, "reason": "r"}]}],
                    "extracted": {_asked.schema: {"text": _twice(_asked.key, first, second)}},
                    "path": _path,
                    "mode": _mode,
                }

            way = _way(path, mode)
            yield from told(
                family,
                f"{family.cls}: {asked.key}, then none, {way}",
                case([item(0)], []),
                right=UNSCORED,
                wrong=PASSED,
            )
            yield from told(
                family,
                f"control: {family.cls}: the {asked.key} twice, {way}",
                case([item(0)], [item(0)]),
                right=FAILED,
            )


def _scores() -> Iterator[Scenario]:
    for metric in _METRICS:
        name = metric.cls
        key = "verdict" if name == "TaskCompletionMetric" else "score"
        top = 10 if name in ("GEval", "ConversationalGEval") else 1
        for path, mode in _WAYS:

            def case(
                first: Any, second: Any, _cls: str = name, _key: str = key, _path: str = path, _mode: str = mode
            ) -> dict[str, Any]:
                text = _twice(_key, first, second, reason="r")
                return {"metric": _cls, "items": 1, "replies": [{"text": text}], "path": _path, "mode": _mode}

            def scenario(what: str, given: Any, right: Outcome, wrong: Outcome | None = None) -> Scenario:
                releases = f"{metric.since}.." if metric.since else ""  # noqa: B023 - called in this round
                return Scenario(what, given, right, wrong, releases=releases)

            way = _way(path, mode)
            yield scenario(
                f"{name}: score {top // 10}, then {top}, {way}",
                case(top // 10, top),
                UNSCORED,
                PASSED,
            )
            yield scenario(f"control: {name}: 0 twice, {way}", case(0, 0), FAILED)


def _scenarios() -> Iterator[Scenario]:
    for family in LISTS:
        yield from _lists(family)
    for family in SINGLES:
        yield from _singles(family)
    yield from _extractions()
    yield from _scores()


_METRIC_UTILS = "deepeval.metrics.utils"

FIX = Fix(
    id="deepeval-repeated-keys",
    dist="deepeval",
    title="of two values that one object gives for a key the last one counts",
    before='A judge that contradicts itself inside one object (`{"verdict": "no", "verdict": "yes"}`, '
    '`{"score": 1, "score": 10}`, a list of bad verdicts and behind it an empty one) is read by what it says last, '
    "and passes.",
    after="Such a reply is read as one that is no JSON: asked for once more where the other fixes do that, else the "
    "metric is unscored. A key repeated with the same value, and a reason in two wordings, cost nothing.",
    replacements=(
        # From 4.2.4 on it is defined in a module of the package of that name.
        Replacement(f"{_METRIC_UTILS}:trimAndLoadJson", _build, optional=True, unless="generation"),
        Replacement(f"{_METRIC_UTILS}.generation:trimAndLoadJson", _build, optional=True),
        Replacement("deepeval.models.llms.utils:trim_and_load_json", _build_of_models),
    ),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=tuple(_scenarios()),
    risks="deepeval's synthesizer and simulator read their model's replies by the same functions: one that contradicts "
    "itself ends in the error of a reply that is no JSON there too.",
)
