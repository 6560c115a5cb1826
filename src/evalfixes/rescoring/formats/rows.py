"""Plain rows, JSON Lines or CSV: question, answer, and what else is known of them."""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from evalfixes.errors import OptionError
from evalfixes.rescoring.fields import DamagedError
from evalfixes.rescoring.records import FAILED, NOT_EVALUATED, PASSED, MetricChange, Options, Record, Rescored
from evalfixes.rescoring.rouge import rouge_1

QUESTIONS = ("question", "input", "query", "prompt", "question_id", "id", "category")
ANSWERS = ("answer", "output", "actual_output", "response", "prediction")
REFERENCES = ("reference", "expected", "expected_output", "golden_answer", "gold", "ground_truth", "reference_answer")
MODELS = ("model", "system", "answerer", "agent")
RUNS = ("run", "run_id", "trial", "seed", "replicate")
OLD = ("old_score", "score", "old")
METRICS = ("exact_match", "response_match_score", "correctness_v1")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def is_row(row: Any) -> bool:
    """Whether a table looks like a row: it has a question or an answer."""
    return isinstance(row, dict) and any(name in row for name in (*QUESTIONS, *ANSWERS))


def rescore(record: Record, options: Options) -> Rescored:
    """Scores a row anew by a metric, or by the field that holds the new score.

    Raises:
        DamagedError: The row lacks what the metric needs.
        OptionError: An option names a field or metric that cannot be.
    """
    row = record.data
    question = _first(row, QUESTIONS)
    metric = options.metric or "exact_match"
    new, why = _value(row, metric, options)
    if options.old:
        old, _ = _value(row, options.old, options)
    else:
        old = next((_score(row, name) for name in OLD if name in row), None)
    old_status, new_status = _status(old, options.threshold), _status(new, options.threshold)
    name = metric if not options.old or metric == options.old else f"{options.old} -> {metric}"
    change = MetricChange(name, old, old_status, new, new_status, new is not None, why)
    return Rescored(
        "rows", record.place, question or str(record.place), old_status, new_status, (change,), (),
        _first(row, MODELS), question, _first(row, RUNS),
    )  # fmt: skip


def _value(row: Mapping[str, Any], name: str, options: Options) -> tuple[float | None, str]:
    """A field's value, or where there is no such field the metric of that name; and why there is none."""
    if name in METRICS and name not in row:
        question, reference = reference_of(row)
        return _computed(
            name, row, question, options.references.get(question) if reference is None else reference, options
        )
    score = _score(row, name)
    return score, f"{name} has no value" if score is None else ""


def reference_of(row: Mapping[str, Any]) -> tuple[str, Any]:
    """A row's question and its reference; None if it has none."""
    return _first(row, QUESTIONS), next((row[name] for name in REFERENCES if row.get(name) not in (None, "")), None)


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(row[name]) for name in names if row.get(name) not in (None, "")), "")


def _score(row: Mapping[str, Any], name: str) -> float | None:
    """A score of a row; an empty cell, null and NaN are none, and true and false are 1 and 0.

    Raises:
        DamagedError: The row has no such field, or it is no number.
    """
    if name not in row:
        raise DamagedError(f"there is no field {name!r}; there are {', '.join(sorted(map(str, row)))[:200]}")
    value = row[name]
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "none", "null", "nan")):
        return None
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return float(value.strip().lower() == "true")
    if not isinstance(value, (int, float, str)):
        raise DamagedError(f"{name} is {value!r}, not a number")
    try:
        score = float(value)
    except (ValueError, OverflowError):
        raise DamagedError(f"{name} is {value!r}, not a number")
    return score if math.isfinite(score) else None


def _status(score: float | None, threshold: float) -> str:
    return NOT_EVALUATED if score is None else PASSED if score >= threshold else FAILED


def _computed(
    metric: str, row: Mapping[str, Any], question: str, reference: Any, options: Options
) -> tuple[float | None, str]:
    answer = next((row[name] for name in ANSWERS if row.get(name) is not None), None)
    if metric == "correctness_v1":
        if not options.judge:
            raise OptionError("correctness_v1 needs a judge: --judge MODULE:FUNCTION")
        result = correctness(options.judge).evaluate(
            None if answer is None else str(answer), reference, question, row.get("error")
        )
        return result.score, f"{result.status}: {result.reason}"
    if reference is None:
        return None, "there is no reference"
    references = [str(text) for text in reference] if isinstance(reference, (list, tuple)) else [str(reference)]
    given = "" if answer is None else str(answer)
    if metric == "exact_match":
        return float(plain(given) in {plain(text) for text in references}), ""
    return max((rouge_1(given, text) for text in references), default=0.0), ""


@lru_cache(maxsize=4)
def correctness(judge: str) -> Any:
    """The metric with the judge of that name (``module:function``).

    Raises:
        OptionError: There is no such judge.
    """
    from importlib import import_module

    from evalfixes.correctness import Correctness

    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # a console script does not look where it is started
    module, _, name = judge.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f"no judge {judge!r}: {error}")
    return Correctness(found)


def plain(text: str) -> str:
    """A text as exact match compares it: without case, punctuation, articles and spare white space."""
    folded = "".join(" " if unicodedata.category(c).startswith("P") else c for c in text.lower())
    return " ".join(_ARTICLES.sub(" ", folded).split())
