"""rhesis-sdk, pinned to deepeval 3.7.9, whose metrics keep all in class attributes."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import pytest

from tests.consumers.batch import outcomes
from tests.consumers.judges import for_schema

pytestmark = pytest.mark.skipif(importlib.util.find_spec("rhesis") is None, reason="rhesis-sdk is not installed")


def _load() -> None:
    os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", OPENAI_API_KEY="none")
    import rhesis.sdk.metrics.providers.deepeval.metrics  # noqa: F401


def _evaluate(metric: str, verdicts: list[str]) -> Any:
    from rhesis.sdk.metrics.providers.deepeval import metrics
    from rhesis.sdk.models.base import BaseLLM

    given = [{"verdict": verdict, "reason": "r"} for verdict in verdicts]

    class Scripted(BaseLLM):
        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def get_model_name(self, *args: Any, **kwargs: Any) -> str:
            return "scripted"

        def generate(self, prompt: str, schema: Any = None, **kwargs: Any) -> Any:
            return for_schema(schema, verdicts=given) if schema else "scripted"

        async def a_generate(self, prompt: str, schema: Any = None, **kwargs: Any) -> Any:
            return self.generate(prompt, schema)

        def generate_batch(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

        async def a_generate_batch(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    result = getattr(metrics, metric)(model=Scripted("scripted")).evaluate(input="q", output="a")
    return result.score, (result.details or {}).get("is_successful")


# metric, verdicts, bare, applied
CASES: dict[str, tuple[str, list[str], Any, Any]] = {
    "yes in a sentence": ("DeepEvalRoleViolation", ["Yes, the model broke role"], (1.0, True), (0.0, False)),
    "none of three": ("DeepEvalBias", [], (0.0, True), (None, None)),
    "all biased": ("DeepEvalBias", ["yes", "yes", "yes"], (1.0, False), (1.0, False)),
    "no violation": ("DeepEvalRoleViolation", ["no", "no", "no"], (1.0, True), (1.0, True)),
}


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    return outcomes(_load, _evaluate, {name: row[:2] for name, row in CASES.items()})


@pytest.mark.parametrize("name", CASES)
def test_metrics(seen: dict[str, dict[str, Any]], name: str) -> None:
    assert seen["bare"][name] == CASES[name][2]
    assert seen["before"][name] == seen["after"][name] == CASES[name][3]
