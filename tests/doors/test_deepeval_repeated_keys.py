"""Replies that give one key two values: asked again, through deepeval's own class for models, and in graphs."""

from __future__ import annotations

import inspect
import os
from typing import Any

import pytest

import evalfixes
from evalfixes.fixes.deepeval._families import LISTS, SINGLES, Family
from evalfixes.releases import in_range
from tests.forked import forked

pytest.importorskip("deepeval.metrics", reason="deepeval is not installed")
pytestmark = [pytest.mark.door, pytest.mark.slow]

import deepeval  # noqa: E402
import deepeval.models  # noqa: E402

QAG = in_range(deepeval.__version__, "4.2.4..")
LISTED = ("faithfulness", "prompt_alignment", "pii_leakage", "contextual_recall")
HERE = [family for family in LISTS if family.name in LISTED] + (list(SINGLES) if QAG else [])
WAYS = [("json", "sync"), ("json", "async"), ("loaded", "sync"), ("loaded", "async")]


def reply(family: Family, *words: str) -> dict[str, Any]:
    """A reply with one verdict, in which the key stands as often as there are words."""
    verdict = ", ".join(f'"verdict": "{word}"' for word in words)
    if family in SINGLES:
        return {"text": f'{{{verdict}, "reason": "r"}}'}
    return {"text": f'{{"verdicts": [{{{verdict}, "reason": "r", "statement": "s"}}]}}'}


def outcomes(cases: list[dict[str, Any]], **options: Any) -> Any:
    evalfixes.apply(**options)
    from evalfixes.fixes.deepeval._harness import evaluate

    return [evaluate(case) for case in cases]


def outcomes_of_one_call(cases: list[dict[str, Any]]) -> Any:
    return outcomes(cases, rejudge=0)


@pytest.mark.parametrize(("path", "mode"), WAYS)
@pytest.mark.parametrize("family", HERE, ids=lambda family: family.cls)
def test_such_a_reply_is_asked_for_once_more(family: Family, path: str, mode: str) -> None:
    good, bad = family.good, family.bad
    rounds = [[odd, second] for odd in ((bad, good), (good, bad)) for second in ((good,), (bad,), odd)]
    cases = [
        {
            "metric": family.cls,
            "items": 1,
            "path": path,
            "mode": mode,
            "replies": [{"rounds": [reply(family, *words) for words in each]}],
        }
        for each in rounds
    ]
    expected = [(1.0, "PASSED"), (0.0, "FAILED"), (None, "ERROR")] * 2
    seen = forked(outcomes, cases)
    assert [(one["score"], one["status"]) for one in seen] == expected
    assert {one["calls"] for one in seen} == {2}
    assert {(one["status"], one["calls"]) for one in forked(outcomes_of_one_call, cases)} == {("ERROR", 1)}


@pytest.mark.parametrize(("path", "mode"), WAYS)
def test_what_is_to_be_judged_is_asked_for_once_more(path: str, mode: str) -> None:
    odd = {"text": '{"extracted_pii": ["a name"], "extracted_pii": []}'}
    case = {"metric": "PIILeakageMetric", "items": 1, "path": path, "mode": mode}
    case["replies"] = [{"verdicts": [{"verdict": "yes", "reason": "r"}]}]
    given = [[odd, {"extracted_pii": ["a name"]}], [odd]]
    seen = forked(outcomes, [{**case, "extracted": {"ExtractedPII": replies}} for replies in given])
    assert [one["status"] for one in seen] == ["FAILED", "ERROR"]


def _through_the_class_for_models(apply: bool) -> Any:
    from deepeval.metrics import GEval

    from tests.realjudge.judge import Judge

    if apply:
        evalfixes.apply()
    with Judge("", folder=None) as judge:
        judge.queues["GEval.two.m"] = ['{"score": 1, "score": 10, "reason": "r"}']
        judge.queues["GEval.one.m"] = ['{"score": 10, "score": 10, "reason": "r", "reason": "another"}']
        return [_measured(GEval, _local_model(name, judge.base_url)) for name in judge.queues]


def _local_model(name: str, url: str) -> Any:
    cls = deepeval.models.LocalModel
    if "base_url" in inspect.signature(cls.__init__).parameters:
        return cls(model=name, base_url=url, api_key="none")
    # Older releases read these from a file in the working folder, and make a client first.
    os.environ["OPENAI_API_KEY"] = "none"
    model = cls()
    model.model_name, model.base_url, model.local_model_api_key = name, url, "none"
    return model


def _measured(cls: Any, model: Any) -> Any:
    import deepeval.test_case as cases

    params = getattr(cases, "SingleTurnParams", None) or cases.LLMTestCaseParams
    metric = cls(
        name="g", evaluation_steps=["s"], evaluation_params=[params.ACTUAL_OUTPUT], model=model, async_mode=False
    )
    return _outcome(metric, cases.LLMTestCase(input="q", actual_output="a"))


def _outcome(metric: Any, case: Any) -> Any:
    try:
        metric.measure(case, _show_indicator=False)
    except Exception as error:
        return str(error)
    return [metric.score, metric.is_successful()]


def test_a_model_behind_a_base_url() -> None:
    assert forked(_through_the_class_for_models, False) == [[1.0, True], [1.0, True]]
    refused, same = forked(_through_the_class_for_models, True)
    assert "two different values for `score`" in refused
    assert same == [1.0, True]


def _in_a_graph(apply: bool) -> Any:
    import deepeval.test_case as cases
    from deepeval.metrics import DAGMetric
    from deepeval.metrics.dag import BinaryJudgementNode, DeepAcyclicGraph, VerdictNode
    from deepeval.models import DeepEvalBaseLLM

    class Judge(DeepEvalBaseLLM):  # type: ignore[misc, unused-ignore]
        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def get_model_name(self, *args: Any, **kwargs: Any) -> str:
            return "scripted"

        def generate(self, prompt: Any, **kwargs: Any) -> Any:
            if kwargs.get("schema") is not None:
                raise TypeError("no schema here")
            return '{"verdict": false, "verdict": true, "reason": "r"}'

        async def a_generate(self, prompt: Any, **kwargs: Any) -> Any:
            return self.generate(prompt, **kwargs)

    if apply:
        evalfixes.apply()
    found = []
    for async_mode in (False, True):
        params = getattr(cases, "SingleTurnParams", None) or cases.LLMTestCaseParams
        verdicts = [VerdictNode(verdict=False, score=0), VerdictNode(verdict=True, score=10)]
        root = BinaryJudgementNode(criteria="c", children=verdicts, evaluation_params=[params.ACTUAL_OUTPUT])
        graph = DeepAcyclicGraph(root_nodes=[root])
        metric = DAGMetric(name="g", dag=graph, model=Judge("j"), async_mode=async_mode, include_reason=False)
        found.append(_outcome(metric, cases.LLMTestCase(input="q", actual_output="a")))
    return found


def test_a_judgement_in_a_graph() -> None:
    assert forked(_in_a_graph, False) == [[1.0, True], [1.0, True]]
    assert ["two different values for `verdict`" in said for said in forked(_in_a_graph, True)] == [True, True]
