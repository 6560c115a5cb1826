"""Replies that real models gave, put to deepeval's metrics again through its class for models behind a base URL."""

from __future__ import annotations

import inspect

import pytest

models = pytest.importorskip("deepeval.models", reason="deepeval is not installed")
if "base_url" not in inspect.signature(models.LocalModel.__init__).parameters:
    pytest.skip("this deepeval's LocalModel takes no base URL", allow_module_level=True)

from tests.realjudge import replay  # noqa: E402

pytestmark = pytest.mark.door

METRICS = ("PromptAlignmentMetric", "RoleViolationMetric", "FaithfulnessMetric", "GEval")
FOUND = replay.recorded(METRICS)


def test_no_false_pass_with_the_fixes() -> None:
    replay.check(FOUND, "deepeval")
