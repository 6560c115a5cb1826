"""The evaluator class: turns, thresholds, options."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.evaluator", reason="google-adk is not installed")

from evalfixes.errors import OptionError
from evalfixes.evaluators import google_adk as adapter
from evalfixes.fixes.google_adk import _harness as harness
from tests.correctness.judges import claim, reply

RIGHT = reply(claim())
WRONG = reply(claim("contradicted", "Lyon", "Paris"))


def run(turns: list[dict[str, Any]], replies: Any, threshold: float = 0.8, samples: int = 1, **fields: Any) -> Any:
    from google.adk.evaluation import eval_metrics

    if "criterion" not in eval_metrics.EvalMetric.model_fields:
        pytest.skip("this google-adk has no criteria")
    with harness.scripted(replies) as (model, scripted):
        options = {"judge_model": model, "num_samples": samples, "judge_model_config": {}}
        criterion = eval_metrics.BaseCriterion(threshold=threshold, judge_model_options=options, **fields)
        metric = eval_metrics.EvalMetric(metric_name="correctness_v1", threshold=threshold, criterion=criterion)
        actual, expected = harness.invocations(turns)
        result = asyncio.run(adapter.correctness_v1(metric, actual, expected, None))
    assert len(result.per_invocation_results) == len(turns)
    return harness.outcome(result), scripted, result


PARIS = {"answer": "Paris", "expected": "Paris"}
LYON = {"answer": "Lyon", "expected": "Paris"}
NONE = {"answer": "Paris", "expected": None}


@pytest.mark.parametrize(
    ("turns", "replies", "score", "status"),
    [
        ([PARIS], [RIGHT], 1.0, "PASSED"),
        ([LYON], [WRONG], 0.0, "FAILED"),
        ([NONE], [RIGHT], None, "NOT_EVALUATED"),
        ([{"answer": "Paris"}], [RIGHT], None, "NOT_EVALUATED"),
        ([PARIS], ["?"], None, "NOT_EVALUATED"),
        ([PARIS], [{"raise": "401"}], None, "NOT_EVALUATED"),
        ([PARIS], [{"empty": True}], None, "NOT_EVALUATED"),
        ([PARIS, NONE], [RIGHT], None, "NOT_EVALUATED"),
        ([PARIS, LYON], [RIGHT, WRONG], 0.5, "FAILED"),
        ([LYON, NONE], [WRONG], 0.0, "FAILED"),
        ([{"answer": [{"thought": "Paris"}], "expected": "Paris"}], [RIGHT], None, "NOT_EVALUATED"),
    ],
)
def test_turns(turns: Any, replies: Any, score: float | None, status: str) -> None:
    seen, _, _ = run(turns, replies)
    assert (seen["score"], seen["status"]) == (score, status)


def test_the_threshold_is_the_criterions() -> None:
    assert run([PARIS, LYON], [RIGHT, WRONG], threshold=0.5)[0]["status"] == "PASSED"


def test_thoughts_reach_neither_prompt_nor_verdict() -> None:
    turn = {"answer": [{"thought": "SECRET"}, "Paris"], "expected": [{"thought": "SECRET"}, "Paris"]}
    seen, scripted, _ = run([turn], [[{"thought": WRONG}, RIGHT]])
    assert seen["score"] == 1.0
    assert "SECRET" not in scripted.prompts[0]


def test_samples_and_options_of_the_criterion() -> None:
    seen, scripted, _ = run([PARIS], [RIGHT, {"raise": "503"}, RIGHT], samples=3)
    assert (seen["score"], len(scripted.prompts)) == (1.0, 3)
    assert run([{"answer": "", "expected": "Paris"}], [RIGHT], empty_answer="wrong")[0]["score"] == 0.0
    assert run([PARIS, NONE], [RIGHT], turns_without_reference="skip")[0]["score"] == 1.0
    assert run([NONE], [RIGHT], turns_without_reference="skip")[0]["status"] == "NOT_EVALUATED"


@pytest.mark.parametrize(
    "fields", [{"empty_answers": "wrong"}, {"numeric": "perhaps"}, {"turns_without_reference": "x"}]
)
def test_options_that_mean_nothing_are_refused(fields: Any) -> None:
    with pytest.raises(OptionError):
        run([PARIS], [RIGHT], **fields)


def test_contradictions_are_kept_as_rationales() -> None:
    result = run([LYON], [WRONG])[2]
    if not hasattr(result.per_invocation_results[0], "rubric_scores"):
        pytest.skip("this google-adk keeps no rationales")
    rationales = [row.rationale for row in result.per_invocation_results[0].rubric_scores]
    assert 'the answer says "Lyon", the reference says "Paris"' in rationales
    json.dumps(result.model_dump(mode="json"))
