"""Replies that real models gave, put to google-adk's metrics again through LiteLlm."""

from __future__ import annotations

import importlib.util

import pytest

pytest.importorskip("google.adk.evaluation.hallucinations_v1", reason="this google-adk has no hallucinations_v1")
if importlib.util.find_spec("litellm") is None:
    pytest.skip("LiteLLM is not installed", allow_module_level=True)

from evalfixes.fixes.google_adk._harness import EVALUATORS, PACKAGE
from tests.realjudge import replay

pytestmark = pytest.mark.door


def _present(metric: str) -> bool:
    module = EVALUATORS.get(metric.partition(" ")[0], "").partition(":")[0]
    return bool(module) and importlib.util.find_spec(PACKAGE + module) is not None


METRICS = ("hallucinations_v1", "hallucinations_v1 segments given", "final_response_match_v2")
METRICS += ("rubric_based_final_response_quality_v1",)
FOUND = replay.recorded([metric for metric in METRICS if _present(metric)])


def test_no_false_pass_with_the_fixes() -> None:
    replay.check(FOUND, "google-adk")
