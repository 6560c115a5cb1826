"""hallucinations_v1 judges the sentences that its segmenter gave, whether or not they are the response."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.fixes.google_adk._hallucinations import CLASS, METRIC, MODULE
from evalfixes.verdicts.segments import uncovered

_pending: ContextVar[list[str] | None] = ContextVar("evalfixes_hallucinations_response", default=None)
"""The response whose segments are to be checked next, in a list that the check empties."""


def _build_evaluate(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_nl_response(self: Any, nl_response: str, context: str) -> tuple[float | None, str]:
        token = _pending.set([nl_response])
        try:
            result: tuple[float | None, str] = await original(self, nl_response, context)
            return result
        finally:
            _pending.reset(token)

    return _evaluate_nl_response


def _build_parse_sentences(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _parse_sentences(response_text: str) -> list[str]:
        sentences: list[str] = original(response_text)
        pending = _pending.get()
        if pending and sentences:
            rest = uncovered(pending.pop(), sentences)
            if rest:
                # Upstream takes what is raised here for a segmentation that failed: no score.
                raise ValueError(f"the segments are not the response, from: {rest!r}")
        return sentences

    return _parse_sentences


def evaluate(case: Case) -> Outcome:
    """Runs a case through the evaluator; see `_harness`."""
    return harness.evaluate(case)


_A, _B = "Paris is the capital of France.", "The Eiffel Tower is 50 meters tall."


def case_of(*segments: str, response: str = f"{_A} {_B}") -> Case:
    """A response, its segments, and a judge that supports every sentence but the second."""
    told = [(segment, "contradictory" if segment == _B else "supported") for segment in segments]
    return {
        "metric": METRIC,
        "threshold": 0.8,
        "turns": [{"answer": response}],
        "judge": {"segment": [harness.segments(*segments)], "validate": [harness.blocks(*told)]},
    }


_NONE: Outcome = {"score": None, "status": "NOT_EVALUATED"}
_PASSED: Outcome = {"score": 1.0, "status": "PASSED"}
_HALF: Outcome = {"score": 0.5, "status": "FAILED", "calls": 2}

FIX = Fix(
    id="adk-hallucinations-segments",
    dist="google-adk",
    title="hallucinations_v1 judges the segmenter's sentences, whether or not they are the response",
    before="The segmenter is a model. Where it leaves out or rewrites a sentence, or returns those of the prompt's "
    "example, what it returned is judged in place of the response.",
    after="The letters and digits of the response must be those of its segments, in order; markdown, bullets, tables "
    "and white space do not count. Else there is no score.",
    replacements=(
        Replacement(f"{MODULE}:_parse_sentences", _build_parse_sentences),
        Replacement(f"{MODULE}:{CLASS}._evaluate_nl_response", _build_evaluate),
    ),
    evaluate=evaluate,
    requires=("adk-hallucinations-sentence-labels",),
    loads=(MODULE, "google.adk.evaluation.eval_metrics", "google.adk.models.registry"),
    scenarios=(
        Scenario("segment left out", case_of(_A), _NONE, _PASSED),
        Scenario("segment rewritten", case_of(_A, "Enjoy your stay!"), _NONE, _PASSED),
        Scenario("segments of the prompt's example", case_of("Apples are red.", "Bananas are green."), _NONE, _PASSED),
        Scenario("control: both segments", case_of(_A, _B), _HALF),
        Scenario(
            "control: markdown dropped",
            case_of(_A, _B, response=f"1. **{_A}**\n2. *{_B}*"),
            _HALF,
        ),
    ),
    risks="A segmenter that corrects spelling or drops words while copying leaves the response without a score.",
)
