"""mlflow's google-adk and deepeval scorers, called as mlflow's users call them."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import pytest

from tests.consumers.batch import outcomes
from tests.consumers.judges import ANSWER, adk_judge, for_prompt, labels

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mlflow") is None, reason="mlflow is not installed")


def _load() -> None:
    os.environ.update(OPENAI_API_KEY="none", DEEPEVAL_TELEMETRY_OPT_OUT="YES", MLFLOW_TRACKING_URI="sqlite://")
    import mlflow.genai.scorers.deepeval
    import mlflow.genai.scorers.google_adk  # noqa: F401


def _evaluate(kind: str, *arguments: Any) -> Any:
    return _adk(*arguments) if kind == "adk" else _deepeval(*arguments)


def _adk(scorer: str, thoughts: str, kind: str, *reply: str) -> Any:
    from mlflow.genai.scorers import google_adk

    text = labels(*reply) if kind == "labels" else lambda prompt: reply[0]
    model = adk_judge(text, thoughts)
    made = getattr(google_adk, scorer)(model=model, threshold=0.8, num_samples=1)
    feedback = made(
        inputs={"question": "What is the capital of France?"},
        outputs=ANSWER,
        expectations={"expected_response": "Paris is the capital of France."},
    )
    return feedback.error is not None, str(feedback.value), (feedback.metadata or {}).get("score")


def _deepeval(metric: str, verdicts: list[str]) -> Any:
    from mlflow.genai.scorers.deepeval import get_scorer
    from mlflow.genai.scorers.llm_backend import ScorerLLMClient

    given = [{"verdict": verdict, "reason": "r"} for verdict in verdicts]
    ScorerLLMClient.is_native = property(lambda self: True)
    ScorerLLMClient.complete_prompt = lambda self, prompt, **more: for_prompt(prompt, verdicts=given)
    feedback = get_scorer(metric, model="openai:/scripted", threshold=0.5)(inputs="q", outputs="a")
    return feedback.error is not None, str(feedback.value), (feedback.metadata or {}).get("score")


INVALID = '{"reasoning": "r", "is_the_agent_response_valid": "invalid"}'
VALID = '{"reasoning": "r", "is_the_agent_response_valid": "valid"}'
UNKNOWN = '{"reasoning": "r", "is_the_agent_response_invalid": "unknown"}'

# name: arguments, before, after
ADK: dict[str, tuple[tuple[Any, ...], str, str]] = {
    "second sentence left out": (("Hallucination", "", "labels", "supported"), "yes", "no"),
    "verdict under another name": (("ResponseEvaluation", "", "text", UNKNOWN), "yes", "no"),
    "draft in a thought": (("ResponseEvaluation", VALID, "text", INVALID), "yes", "no"),
    "complete, one unsupported": (("Hallucination", "", "labels", "supported", "unsupported"), "no", "no"),
    "complete, all supported": (("Hallucination", "", "labels", "supported", "supported"), "yes", "yes"),
    "valid": (("ResponseEvaluation", "", "text", VALID), "yes", "yes"),
    "invalid": (("ResponseEvaluation", "", "text", INVALID), "no", "no"),
}
METRICS = {"PIILeakage": ("no", "yes"), "AnswerRelevancy": ("yes", "no"), "Bias": ("no", "yes")}
DEEPEVAL = {
    f"{metric}, {len(verdicts)} verdicts": (metric, verdicts)
    for metric, (good, bad) in METRICS.items()
    for verdicts in ([], [good], [good, good, bad])
}


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    cases: dict[str, tuple[Any, ...]] = {name: ("adk", *row[0]) for name, row in ADK.items()}
    cases |= {name: ("deepeval", *row) for name, row in DEEPEVAL.items()}
    return outcomes(_load, _evaluate, cases)


@pytest.mark.parametrize("name", ADK)
def test_google_adk_scorers(seen: dict[str, dict[str, Any]], name: str) -> None:
    _, before, after = ADK[name]
    assert seen["bare"][name][:2] == (False, before)
    for state in ("before", "after"):
        error, value, _ = seen[state][name]
        assert value == after or (error and after == "no"), (state, seen[state][name])
        if before == after:
            assert seen[state][name] == seen["bare"][name]


@pytest.mark.parametrize("name", DEEPEVAL)
def test_deepeval_scorers(seen: dict[str, dict[str, Any]], name: str) -> None:
    for state in ("before", "after"):
        if len(DEEPEVAL[name][1]) == 3:
            assert seen[state][name] == seen["bare"][name]
        else:
            assert seen["bare"][name][:2] == (False, "yes")
            assert seen[state][name][:2] == (True, "None"), "mlflow shows the row as an error"
