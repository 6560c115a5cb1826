"""deepeval: its stored test runs, ``.deepeval/.latest_test_run.json`` and what is exported like it.

A test run holds no judge's replies, but a metric that ran with ``verbose_mode`` has left the verdicts
and the items they are about in ``verboseLogs``. From these the score is made again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from evalfixes.fixes.deepeval._families import LISTS, Family
from evalfixes.rescoring.fields import DamagedError, get, listed, number, text
from evalfixes.rescoring.formats.stored import Stored
from evalfixes.rescoring.records import FAILED, NOT_EVALUATED, PASSED, MetricChange, Options, Record, Rescored
from evalfixes.verdicts import yesno
from evalfixes.verdicts.aggregate import Decision, decide, read_twice
from evalfixes.verdicts.lists import Answer, assign

UNLOGGED = "the file holds no verdicts of this metric; deepeval logs them with verbose_mode=True"
_FAMILIES = {family.name: family for family in LISTS if not family.ranked and not family.turns}
_EXTRA = {"summarization", "role_violation", "transcription_accuracy"}
_BORDERLINE = {"answer_relevancy", "faithfulness"}
_HEADING = re.compile(r"^([A-Z][A-Za-z ]*?)(?: \(limit=[^)]*\))?:[ \t]*$", re.MULTILINE)
_ITEMS = re.compile(r"Statements|Claims|Opinions|Prompt Instructions|Misuses|Advices|Extracted PII|Tool ?Calls", re.I)


def cases(document: Any) -> Iterator[tuple[str, Any]]:
    """The test cases of a run, each with its position."""
    run = get(document, "test_run_data")
    run = document if run is None else run
    for field in ("test_cases", "conversational_test_cases"):
        for index, case in enumerate(listed(run, field)):
            yield f"{field}[{index}]", case


def rescore(record: Record, options: Options) -> Rescored:
    """Says what of a stored test case can be said without its judge.

    Raises:
        DamagedError: The case does not hold what the format promises.
    """
    case = record.data
    old = _status(get(case, "success"))
    metrics = listed(case, "metrics_data")
    changes = tuple(_metric(metric, case, options) for metric in metrics)
    gating = [c for c, metric in zip(changes, metrics, strict=True) if not get(metric, "flaky")]
    new, why = old, tuple[str, ...]()
    if old == PASSED or any(change.changed for change in gating):
        new, why = _case_status(old, gating)
    question = text(case, "input") or text(case, "scenario")
    return Rescored("deepeval", record.place, text(case, "name") or "?", old, new, changes, why, "", question)


def _status(success: Any) -> str:
    if success is not None and not isinstance(success, bool):
        raise DamagedError(f"success is {success!r}, not true or false")
    return {None: NOT_EVALUATED, True: PASSED, False: FAILED}[success]


def _case_status(old: str, gating: Sequence[MetricChange]) -> tuple[str, tuple[str, ...]]:
    if any(change.new_status == FAILED for change in gating):
        return FAILED, ()
    unscored = [change.metric for change in gating if change.new_status == NOT_EVALUATED]
    if unscored:
        why = f"passed although {', '.join(unscored)} has no score"
        return NOT_EVALUATED, (why,) if old == PASSED else ()
    if not gating:
        return NOT_EVALUATED, ("passed without any metric that could fail",) if old == PASSED else ()
    return PASSED, ()


def _metric(metric: Any, case: Any, options: Options) -> MetricChange:
    name = text(metric, "name")
    score = number(metric, "score")
    threshold = number(metric, "threshold")
    status = _status(get(metric, "success"))
    stored = Stored(name, score, status, threshold, options.incomplete)
    error = text(metric, "error")
    if status == PASSED and error:
        return stored.to(None, f"passed although the metric failed with: {error[:200]}", "deepeval-metric-recovers")
    if score is None:
        return stored.to(None, "passed without a score") if status == PASSED else stored.keep(error, known=True)
    if not 0 <= score <= 1:
        return stored.to(None, f"the score {score:g} lies off the scale from 0 to 1", "deepeval-score-scale")
    family = _FAMILIES.get(re.sub(r"\W+", "_", name.lower()).strip("_"))
    lists = _logged(text(metric, "verbose_logs"))
    if family is None or family.name in _EXTRA or "Verdicts" not in lists:
        return stored.keep(UNLOGGED if family is not None else "the file does not hold what the judge replied")
    return _verdicts(stored, family, lists, case, bool(get(metric, "strict_mode")))


def _verdicts(stored: Stored, family: Family, lists: dict[str, list[Any]], case: Any, strict: bool) -> MetricChange:
    """A metric whose verdicts were logged: the share of good ones, over all items that were asked about."""
    words = (*yesno.YES_NO, "borderline")
    entries = [entry for entry in lists["Verdicts"] if isinstance(entry, dict)]
    answers = [
        Answer(
            yesno.read(entry.get("verdict"), words),
            tuple(value for key, value in entry.items() if key not in ("verdict", "reason") and isinstance(value, str)),
        )
        for entry in entries
    ]
    passing = {family.good, "borderline"} if family.name in _BORDERLINE else {family.good}
    # What upstream counted: the whole list, or what of it is in the vocabulary.
    shares, inverse = _shares(entries, passing, 1.0), _shares(entries, {family.bad}, 0.0)
    limit = stored.threshold
    passed = stored.status == PASSED
    clamped = strict and stored.score == 0 and not passed
    if (stored.score in shares and stored.passes(stored.score) == passed) or clamped:
        passes, good, bad = stored.passes, family.good, family.bad
    elif (
        stored.score in inverse and (stored.score <= limit) == passed
    ):  # up to deepeval 3 the score of harm counts the harm, and low is good

        def passes(score: float) -> bool:
            return score <= limit

        passing, good, bad = {family.bad}, family.good, family.bad
    else:
        return stored.keep("the logged verdicts do not give the stored score")
    if math.isnan(stored.threshold):
        return stored.keep("the file does not hold the threshold")
    items = _items(family, lists, case)
    if items is None:
        return stored.keep("the log does not say what the judge was asked about")
    if not items and not entries:
        return stored.keep("there was nothing to judge", known=True)
    assignment = assign(answers, [item if isinstance(item, str) else "" for item in items])
    if assignment.matched:
        given = [None if i is None else answers[i].word for i in assignment.answer_of]
    else:  # nobody knows which answer is missing, so none is taken for an item
        given = [None] * len(items)
    if None not in given:
        return stored.keep("", known=True)

    def score_of(verdicts: Sequence[str]) -> float:
        return sum(1 for verdict in verdicts if verdict in passing) / len(verdicts) if verdicts else 0.0

    decision: Decision = decide(read_twice(given, score_of, bad=bad, good=good), passes, stored.policy)
    absent = given.count(None)
    why = f"{absent} of {len(items)} items have no usable verdict of their own ({len(entries)} verdicts were counted)"
    return stored.to(decision.score, why, "deepeval-missing-verdicts", decision.passed)


def _shares(entries: Sequence[dict[str, Any]], passing: set[str], empty: float) -> set[float]:
    words = [str(entry.get("verdict")).strip().lower() for entry in entries]
    words = ["borderline" if word == "idk" else word for word in words]
    known = [word for word in words if word in ("yes", "no", "borderline")]
    lists = [listed for listed in (words, known) if listed]
    return {sum(1 for word in listed if word in passing) / len(listed) for listed in lists} or {empty}


def _items(family: Family, lists: dict[str, list[Any]], case: Any) -> list[Any] | None:
    """What the judge was asked about."""
    if family.name == "hallucination":
        return listed(case, "context") or None
    if family.name == "argument_correctness":
        return listed(case, "tools_called") or None
    if not family.counted:
        return None
    return next((items for heading, items in reversed(lists.items()) if _ITEMS.fullmatch(heading)), None)


def _logged(logs: str) -> dict[str, list[Any]]:
    """The lists of a verbose log by their headings; what is no JSON is left out."""
    found: dict[str, list[Any]] = {}
    decoder = json.JSONDecoder(strict=False)
    for heading in _HEADING.finditer(logs):
        rest = logs[heading.end() :].lstrip()
        try:
            value, _ = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list):
            found[heading.group(1)] = value
    return found
