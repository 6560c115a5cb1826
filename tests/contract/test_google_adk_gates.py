"""google-adk's two gates on any pattern of missing metrics, turns and runs, against what they should say.

The scores are given, so that nothing but the gates decides: a gate passes exactly what passes with every
missing score read as the worst one of its metric.
"""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import strategies as st

from evalfixes import catalog
from evalfixes.fixes.google_adk._evidence import scale
from evalfixes.releases import in_range
from evalfixes.runtime.decide import FAULTY, Decision
from tests.contract.test_contract import run_all
from tests.forked import forked
from tests.generated import COUNT, generate

FIX = "adk-gate-unscored"
METRICS = ("safety_v1", "response_match_score", "response_evaluation_score", "tool_trajectory_avg_score", "own_metric")


@st.composite
def _cases(draw: st.DrawFn, doors: list[str]) -> dict[str, Any]:
    door = draw(st.sampled_from(doors))
    turns = draw(st.integers(1, 3))
    runs = draw(st.integers(1, 3)) if door == "agent" else 1
    metrics = []
    for name in draw(st.lists(st.sampled_from(METRICS), min_size=1, max_size=3, unique=True)):
        bad, good = scale(name) if name != "own_metric" else (0.0, 1.0)
        score = st.sampled_from([good, good, good, (good + bad) / 2, bad, None])
        scores = draw(st.lists(score, min_size=turns * runs, max_size=turns * runs))
        threshold = bad + (good - bad) * draw(st.sampled_from([0.25, 0.5, 0.8, 1.0]))
        metrics.append({"metric": name, "threshold": threshold, "scores": scores})
    asked = [{"user": f"Question {n}?", "answer": "a", "expected": "a"} for n in range(turns)]
    return {"door": door, "metrics": metrics, "turns": asked, "judge": [], "runs": runs}


def _passes(case: dict[str, Any]) -> bool:
    """Whether every metric passes with what is missing read as bad."""
    return all(_metric_passes(metric, len(case["turns"])) for metric in case["metrics"])


def _metric_passes(metric: dict[str, Any], turns: int) -> bool:
    scores = metric["scores"]
    if metric["metric"] == "own_metric":
        # Nobody told us its scale: a run of which it scored any turn is what the metric made of it.
        runs = [scores[start : start + turns] for start in range(0, len(scores), turns)]
        known = [[score for score in run if score is not None] for run in runs]
        return all(known) and statistics.mean([score for run in known for score in run]) >= metric["threshold"]
    if all(score is None for score in scores):
        return False
    bad = scale(metric["metric"])[0]
    return statistics.mean([bad if score is None else score for score in scores]) >= metric["threshold"]


def _complete(case: dict[str, Any]) -> bool:
    return all(None not in metric["scores"] for metric in case["metrics"])


def test_gates_pass_what_cannot_fail(decisions: dict[str, Decision]) -> None:
    found = decisions.get(FIX)
    if found is None or found.state != FAULTY:
        pytest.skip("no faulty google-adk is installed")
    fix = catalog.get(FIX)
    for module in fix.loads:
        pytest.importorskip(module)
    doors = ["service", "agent"] if in_range(found.release, "1.9.0..") else ["service"]
    zeros_dropped = in_range(found.release, "1.9.0..1.16.0")  # by AgentEvaluator: part of the fault
    cases = generate(_cases(doors), min(COUNT, 100))
    bare, applied = forked(run_all, fix, cases, False), forked(run_all, fix, cases, True)
    for case, old, new in zip(cases, bare, applied, strict=True):
        assert "ERROR" not in (old["status"], new["status"]), (case, old, new)
        if case["door"] == "agent":
            assert (new["status"] == "PASSED") == _passes(case), (case, new)
        else:
            unscored = any(status == "NOT_EVALUATED" for _, status in new["metrics"].values())
            failed = any(status == "FAILED" for _, status in new["metrics"].values())
            assert new["status"] == ("FAILED" if failed else "NOT_EVALUATED" if unscored else "PASSED"), (case, new)
        assert new["status"] != "PASSED" or old["status"] == "PASSED", (case, old, new)
        if _complete(case) and not zeros_dropped:
            assert new == old, (case, old, new)
