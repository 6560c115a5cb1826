"""A result of google-adk says which fixes scored it, and keeps saying so when it is read and written again."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import pytest
from packaging.version import Version

from tests.forked import forked


def _there() -> bool:
    try:
        return Version(metadata.version("google-adk")) >= Version("1.16.0")
    except metadata.PackageNotFoundError:
        return False


pytestmark = [
    pytest.mark.door,
    pytest.mark.skipif(not _there(), reason="results have a criterion from google-adk 1.16.0 on"),
]


def _written() -> dict[str, Any]:
    import json
    import tempfile
    from pathlib import Path

    from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetricResult
    from google.adk.evaluation.eval_result import EvalCaseResult
    from google.adk.evaluation.evaluator import EvalStatus
    from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager

    import evalfixes
    from evalfixes.fixes.google_adk import _stamp

    evalfixes.apply()
    import google.adk.evaluation.local_eval_service  # noqa: F401

    shared = BaseCriterion(threshold=0.5)
    metric = EvalMetricResult(
        metric_name="m", threshold=0.5, criterion=shared, score=1.0, eval_status=EvalStatus.PASSED
    )
    case = EvalCaseResult(
        eval_set_id="s",
        eval_id="c",
        final_eval_status=EvalStatus.PASSED,
        overall_eval_metric_results=[metric],
        eval_metric_result_per_invocation=[],
        session_id="x",
    )
    with tempfile.TemporaryDirectory() as folder:
        manager = LocalEvalSetResultsManager(folder)
        manager.save_eval_set_result("app", "s", [_stamp.case_result(case)])
        name = manager.list_eval_set_results("app")[0]
        read = manager.get_eval_set_result("app", name)
        manager.save_eval_set_result("again", "s", read.eval_case_results)
        second = next(Path(folder, "again").rglob("*.json"))
        written = json.loads(second.read_text())
        written = json.loads(written) if isinstance(written, str) else written
    result = written["eval_case_results"][0]["overall_eval_metric_results"][0]
    return {"criterion": result["criterion"], "shared": shared.model_dump(), "score": result["score"]}


def test_the_stamp_survives_a_round_trip() -> None:
    seen = forked(_written)
    stamp = seen["criterion"]["evalfixes"]
    assert stamp["version"]
    assert "adk-gate-unscored" in stamp["fixes"]
    assert all(fix_id.startswith("adk-") for fix_id in stamp["fixes"])
    assert "evalfixes" not in seen["shared"], "the run's own configuration is left alone"
    assert seen["score"] == 1.0
