"""ROUGE `response_match_score` counts the agent's private thoughts as part of the answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk._content import without_thoughts

_MODULE = "google.adk.evaluation.final_response_match_v1"


def _build(original: Callable[..., str], module: ModuleType) -> Callable[..., str]:
    def _get_text_from_content(content: Any) -> str:
        return original(without_thoughts(content))

    return _get_text_from_content


def evaluate(case: Case) -> Outcome:
    """Scores turns with ``response_match_score``.

    Args:
        case: ``threshold``, and ``turns``: pairs of the actual and the expected answer, each a list
            of parts (a string, or a table with ``text`` and ``thought``) or None for no answer.
    """
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric
    from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
    from google.genai import types

    def content(parts: Any, role: str = "model") -> Any:
        if parts is None:
            return None
        tables = [{"text": part} if isinstance(part, str) else part for part in parts]
        return types.Content(role=role, parts=[types.Part(**table) for table in tables])

    def invocation(answer: Any) -> Any:
        return Invocation(user_content=content(["q"], "user"), final_response=content(answer))

    metric = EvalMetric(metric_name="response_match_score", threshold=case["threshold"])
    result = RougeEvaluator(metric).evaluate_invocations(
        [invocation(actual) for actual, _ in case["turns"]], [invocation(expected) for _, expected in case["turns"]]
    )
    if inspect.isawaitable(result):
        raise TypeError("RougeEvaluator.evaluate_invocations has become asynchronous")
    return {
        "score": result.overall_score,
        "status": result.overall_eval_status.name,
        "turns": [[turn.score, turn.eval_status.name] for turn in result.per_invocation_results],
    }


def _scenario(name: str, actual: Any, expected: Any, right: float, wrong: float | None) -> Scenario:
    def outcome(score: float) -> Outcome:
        return {"score": score, "status": "PASSED" if score >= 0.8 else "FAILED"}

    case = {"threshold": 0.8, "turns": [[actual, expected]]}
    return Scenario(name, case, outcome(right), None if wrong is None else outcome(wrong))


_THOUGHT = {"text": "Consider Paris, the capital of France.", "thought": True}

FIX = Fix(
    id="adk-response-match-thoughts",
    dist="google-adk",
    title="response_match_score counts private thoughts as the answer",
    before="Parts marked as thought are joined with the answer and with the reference before ROUGE compares them: "
    "a wrong answer behind the same thought scores 0.86 and passes, an agent that only thought of the answer scores 1.",
    after="Thoughts are left out on both sides; the words that the user saw are compared.",
    replacements=(Replacement(f"{_MODULE}:_get_text_from_content", _build),),
    evaluate=evaluate,
    loads=(_MODULE, "google.adk.evaluation.eval_case", "google.adk.evaluation.eval_metrics"),
    scenarios=(
        _scenario("thought then right answer", [_THOUGHT, "Paris"], ["Paris"], 1.0, 0.25),
        _scenario("thought then wrong answer", [_THOUGHT, "London"], ["Paris"], 0.0, 0.25),
        _scenario("thought in the reference", ["Paris"], [_THOUGHT, "Paris"], 1.0, 0.25),
        _scenario("same thought, wrong answer", [_THOUGHT, "London"], [_THOUGHT, "Paris"], 0.0, 6 / 7),
        _scenario("nothing but a thought", [{"text": "Paris", "thought": True}], ["Paris"], 0.0, 1.0),
        _scenario("control: right answer", ["Paris"], ["Paris"], 1.0, None),
        _scenario("control: wrong answer", ["London"], ["Paris"], 0.0, None),
        _scenario("control: half of the words", ["Paris is nice"], ["Paris was nice"], 2 / 3, None),
        _scenario("control: thought=False", [{"text": "Paris", "thought": False}], ["Paris"], 1.0, None),
        _scenario("control: no answer", None, ["Paris"], 0.0, None),
    ),
    risks="Scores of agents that emit thoughts change in both directions; stored baselines may need an update.",
)
