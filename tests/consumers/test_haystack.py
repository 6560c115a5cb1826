"""deepeval-haystack: metrics bound by name when it is imported, evaluated on the async path."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import pytest

from tests.consumers.batch import outcomes
from tests.consumers.judges import for_prompt

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("haystack_integrations") is None, reason="deepeval-haystack is not installed"
)


def _load() -> None:
    os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", OPENAI_API_KEY="none")
    import haystack_integrations.components.evaluators.deepeval  # noqa: F401


def _evaluate(answer: Any) -> Any:
    from deepeval.models import DeepEvalBaseLLM
    from haystack_integrations.components.evaluators.deepeval import DeepEvalEvaluator, DeepEvalMetric

    class TextOnly(DeepEvalBaseLLM):
        def __init__(self) -> None:
            super().__init__("scripted")

        def load_model(self) -> Any:
            return self

        def get_model_name(self) -> str:
            return "scripted"

        def generate(self, prompt: str) -> str:
            if isinstance(answer, str):
                return answer if "verdict" in prompt else for_prompt(prompt)
            return for_prompt(prompt, verdicts=[{"verdict": verdict, "reason": "r"} for verdict in answer])

        async def a_generate(self, prompt: str) -> str:
            return self.generate(prompt)

    evaluator = DeepEvalEvaluator(DeepEvalMetric.ANSWER_RELEVANCY, metric_params={"model": TextOnly()})
    try:
        found = evaluator.run(questions=["q"], responses=["a"], contexts=[["c"]])
    except ValueError:
        return "ValueError"
    return found["results"][0][0]["score"]


# answer, bare, applied
CASES: dict[str, tuple[Any, Any, Any]] = {
    "no verdicts at all": ("{}", 1.0, "ValueError"),
    "dressed up": (["**no**"] * 3, 1.0, 0.0),
    # haystack sets the threshold to 0, which any score reaches, so what is missing decides nothing.
    "one of three": (["yes"], 1.0, 1 / 3),
    "all no": (["no", "no", "no"], 0.0, 0.0),
    "all yes": (["yes", "yes", "yes"], 1.0, 1.0),
}


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    return outcomes(_load, _evaluate, {name: (row[0],) for name, row in CASES.items()})


@pytest.mark.parametrize("name", CASES)
def test_answer_relevancy(seen: dict[str, dict[str, Any]], name: str) -> None:
    assert seen["bare"][name] == CASES[name][1]
    assert seen["before"][name] == seen["after"][name] == CASES[name][2]
