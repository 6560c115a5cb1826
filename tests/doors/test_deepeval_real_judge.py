"""Replies that real models gave, put to deepeval's metrics again through its class for models behind a base URL."""

from __future__ import annotations

import inspect

import pytest

models = pytest.importorskip("deepeval.models", reason="deepeval is not installed")
if "base_url" not in inspect.signature(models.LocalModel.__init__).parameters:
    pytest.skip("this deepeval's LocalModel takes no base URL", allow_module_level=True)

import deepeval  # noqa: E402

from tests.realjudge import replay  # noqa: E402
from tests.realjudge.evidence import facts  # noqa: E402

pytestmark = pytest.mark.door

METRICS = ("PromptAlignmentMetric", "RoleViolationMetric", "FaithfulnessMetric", "GEval")
FOUND = replay.recorded(METRICS)
SAME = all(facts(one.model)["releases"]["deepeval"] == deepeval.__version__ for one in FOUND)


def test_no_false_pass_with_the_fixes() -> None:
    outcomes = replay.again(FOUND, fixed=True)
    assert replay.false_passes(FOUND, outcomes) == []
    if SAME:
        assert replay.differences(FOUND, outcomes, replay.FIXED) == []


@pytest.mark.skipif(not SAME, reason="recorded on another deepeval")
def test_upstream_reads_them_as_recorded() -> None:
    assert replay.differences(FOUND, replay.again(FOUND, fixed=False), "upstream") == []
