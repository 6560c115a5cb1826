"""deepeval's SummarizationMetric drops the questions to which the original's answer is no exact yes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._unscored import below, conclude
from evalfixes.runtime import options
from evalfixes.verdicts.yesno import read

_CLASS = "deepeval.metrics.summarization.summarization:SummarizationMetric"
_MISSING = "evalfixes: the judge gave no usable answer to this"
_MOST_TRIED = 8
"""Up to so many missing answers, every way to fill them is tried."""


def _words(answers: Any, questions: Sequence[str] | None) -> list[str]:
    """One answer per question: yes, no, or the mark of a missing one."""
    if questions is None:
        return list(answers)
    found = [read(answer, ("yes", "no")) for answer in answers] if isinstance(answers, list) else []
    if len(found) != len(questions):  # nobody knows which one is missing
        found = [None] * len(questions)
    return [_MISSING if word is None else word for word in found]


def _merged(first: list[str], second: list[str]) -> list[str]:
    return [new if old == _MISSING else old for old, new in zip(first, second, strict=True)]


def _build_sync(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _generate_answers(self: Any, text: str) -> list[str]:
        found = _words(original(self, text), self.assessment_questions)
        for _ in range(options.current.rejudge):
            if _MISSING not in found:
                break
            found = _merged(found, _words(original(self, text), self.assessment_questions))
        return found

    return _generate_answers


def _build_async(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _a_generate_answers(self: Any, text: str) -> list[str]:
        found = _words(await original(self, text), self.assessment_questions)
        for _ in range(options.current.rejudge):
            if _MISSING not in found:
                break
            found = _merged(found, _words(await original(self, text), self.assessment_questions))
        return found

    return _a_generate_answers


def _build_score(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _calculate_score(self: Any, score_type: Any) -> Any:
        places = _missing(self) if score_type.name == "COVERAGE" else []
        if not places:
            return original(self, score_type)
        upstream = below(original)

        def with_words(words: Sequence[str]) -> float:
            for (verdict, field), word in zip(places, words, strict=True):
                setattr(verdict, field, word)
            return float(upstream(self, score_type))

        if len(places) <= _MOST_TRIED:
            ways = itertools.product(("no", "yes"), repeat=len(places))
            worst, words = min((with_words(words), words) for words in ways)
            best = max(with_words(words) for words in itertools.product(("no", "yes"), repeat=len(places)))
        else:
            worst, best, words = 0.0, 1.0, ("no",) * len(places)
        with_words(words)
        given = 2 * len(self.coverage_verdicts) - len(places)
        conclude(self, worst, best, len(places), given, "answers on the coverage")
        return worst

    return _calculate_score


def _missing(metric: Any) -> list[tuple[Any, str]]:
    """The fields of the verdicts on coverage that have no answer."""
    return [
        (verdict, field)
        for verdict in getattr(metric, "coverage_verdicts", None) or ()
        for field in ("original_verdict", "summary_verdict")
        if getattr(verdict, field) == _MISSING
    ]


def _case(original: Any, summary: Any, **more: Any) -> dict[str, Any]:
    return {
        "metric": "SummarizationMetric",
        "items": 1,
        "replies": [{"verdicts": [{"verdict": "yes", "reason": "r"}]}],
        "extracted": {"Answers": [{"answers": original}, {"answers": summary}]},
        "kwargs": {"threshold": 0.8},
        **more,
    }


_PASSED = {"score": 1.0, "status": "PASSED"}
_HALF = {"score": 0.5, "status": "FAILED"}
_UNSCORED = {"score": None, "status": "ERROR"}

FIX = Fix(
    id="deepeval-summary-coverage",
    dist="deepeval",
    title="a question of a summary's coverage drops out when the answer on the original is no exact yes",
    before="SummarizationMetric puts the same questions to the judge about the original and the summary. What is "
    "not exactly `yes` for the original (`**yes**`, `Yes, it does`, an empty text) counts as not to be covered: a "
    "question that the summary leaves open vanishes and the coverage rises from 0.5 to 1.0. Two short lists of one "
    "length are taken for all questions.",
    after="Plain but odd forms are read. A missing answer is asked for once more, then tried as yes and as no: if "
    "that cannot change the outcome the worse score stands, else the metric is unscored.",
    replacements=(
        Replacement(f"{_CLASS}._generate_answers", _build_sync),
        Replacement(f"{_CLASS}._a_generate_answers", _build_async),
        Replacement(f"{_CLASS}._calculate_score", _build_score),
    ),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=(
        *(
            scenario
            for mode in ("sync", "async")
            for scenario in (
                Scenario(
                    f"bold answer on the original, {mode}",
                    _case(["**yes**", "yes"], ["no", "yes"], mode=mode),
                    right=_HALF,
                    wrong=_PASSED,
                ),
                Scenario(
                    f"unknown word on the original, {mode}",
                    _case(["unclear", "yes"], ["no", "yes"], mode=mode),
                    right=_UNSCORED,
                    wrong=_PASSED,
                ),
                Scenario(
                    f"one answer to two questions, {mode}",
                    _case(["yes"], ["yes"], mode=mode),
                    right=_UNSCORED,
                    wrong=_PASSED,
                ),
                Scenario(
                    f"control: one of two is covered, {mode}",
                    _case(["yes", "yes"], ["no", "yes"], mode=mode),
                    right=_HALF,
                ),
            )
        ),
        Scenario(
            "bold answers on a good summary",
            _case(["yes", "yes"], ["**yes**", "yes."]),
            right=_PASSED,
            wrong={**_HALF, "score": 0.0},
        ),
        Scenario(
            "control: an answer that cannot change the outcome",
            _case(["yes", "yes"], ["no", "perhaps"]),
            right={"score": 0.0, "status": "FAILED"},
        ),
        Scenario("control: the original answers one with no", _case(["yes", "no"], ["yes", "yes"]), right=_PASSED),
        Scenario(
            "control: all is covered, by schema", _case(["yes", "yes"], ["yes", "yes"], path="schema"), right=_PASSED
        ),
    ),
    risks="As for deepeval-missing-verdicts.",
)
