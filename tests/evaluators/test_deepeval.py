"""The deepeval metric, sync and async, alone and through deepeval's own runners."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("deepeval", reason="deepeval is not installed")

from deepeval.errors import MissingTestCaseParamsError
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

from evalfixes.errors import OptionError, UnscoredError
from evalfixes.evaluators.deepeval_metrics import CorrectnessMetric, measure_all
from tests.correctness.judges import Script, claim, reply

RIGHT = reply(claim())
WRONG = reply(claim("contradicted", "Lyon", "Paris"))


class Judge(DeepEvalBaseLLM):
    def __init__(self, *replies: Any) -> None:
        self.script = Script(*replies)

    def load_model(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def get_model_name(self, *args: Any, **kwargs: Any) -> str:
        return "scripted"

    def generate(self, prompt: str, *args: Any, **kwargs: Any) -> Any:
        return self.script(prompt)

    async def a_generate(self, prompt: str, *args: Any, **kwargs: Any) -> Any:
        return self.script(prompt)


def case(answer: str | None = "Paris", reference: str | None = "Paris") -> LLMTestCase:
    return LLMTestCase(input="Capital?", actual_output=answer, expected_output=reference)


def measured(metric: CorrectnessMetric, test_case: LLMTestCase, how: str) -> Any:
    if how == "a_measure":
        return asyncio.run(metric.a_measure(test_case, _show_indicator=False))
    return metric.measure(test_case, _show_indicator=False)


HOW = pytest.mark.parametrize(("how", "async_mode"), [("measure", True), ("measure", False), ("a_measure", True)])


@HOW
@pytest.mark.parametrize(("answer", "judged", "score"), [("Paris", RIGHT, 1.0), ("Lyon", WRONG, 0.0)])
def test_scores(how: str, async_mode: bool, answer: str, judged: str, score: float) -> None:
    metric = CorrectnessMetric(threshold=0.8, model=Judge(judged), async_mode=async_mode)
    assert measured(metric, case(answer), how) == score
    assert (metric.score, metric.is_successful(), metric.success, metric.error) == (
        score,
        score == 1.0,
        score == 1.0,
        None,
    )
    assert score == 1.0 or 'the answer says "Lyon"' in metric.reason


@HOW
@pytest.mark.parametrize(
    ("answer", "reference", "judged", "status"),
    [
        ("Paris", None, RIGHT, "no_reference"),
        ("Paris", " ", RIGHT, "no_reference"),
        ("", "Paris", RIGHT, "empty_answer"),
        ("Paris", "Paris", "?", "unreadable"),
        ("Paris", "Paris", RuntimeError("401"), "unreadable"),
        ("Paris", "Paris", reply(), "no_claim"),
    ],
)
def test_unscored_is_an_error_and_never_a_success(
    how: str, async_mode: bool, answer: str, reference: Any, judged: Any, status: str
) -> None:
    metric = CorrectnessMetric(threshold=0.0, model=Judge(judged), async_mode=async_mode)
    with pytest.raises(UnscoredError, match=status) as caught:
        measured(metric, case(answer, reference), how)
    assert isinstance(caught.value, ValueError)
    assert (metric.score, metric.is_successful(), metric.result.status) == (None, False, status)
    assert status in metric.error
    metric.model.script = Script(RIGHT)
    assert measured(metric, case(), how) == 1.0
    assert metric.is_successful()


def test_skipping_is_deepevals_to_do() -> None:
    metric = CorrectnessMetric(model=Judge(RIGHT), unscored="skip")
    with pytest.raises(MissingTestCaseParamsError):
        metric.measure(case(reference=None), _show_indicator=False)
    assert metric.is_successful() is False


def test_options() -> None:
    assert CorrectnessMetric(model=Judge(RIGHT), empty_answer="wrong").measure(case(""), _show_indicator=False) == 0.0
    half = reply(claim(), claim("contradicted", "1998", "1989", central=False))
    strict = CorrectnessMetric(model=Judge(half), strict_mode=True)
    assert strict.measure(case("Paris 1998", "Paris 1989"), _show_indicator=False) == 0.0
    with pytest.raises(OptionError):
        CorrectnessMetric(model=Judge(RIGHT), unscored="pass")
    with pytest.raises(OptionError):
        CorrectnessMetric(model=Judge(RIGHT), num_samples=0)


def test_copies_keep_the_options() -> None:
    from deepeval.metrics.utils import copy_metrics

    metric = CorrectnessMetric(threshold=0.9, model=Judge(RIGHT), num_samples=3, empty_answer="wrong", unscored="skip")
    (copied,) = copy_metrics([metric])
    assert (copied.threshold, copied.num_samples, copied.empty_answer, copied.unscored) == (0.9, 3, "wrong", "skip")


def test_many_cases_without_exceptions() -> None:
    results = measure_all(CorrectnessMetric(model=Judge(RIGHT)), [case(), case(reference="")])
    assert [result.status for result in results] == ["scored", "no_reference"]


def evaluated(judged: Any, test_case: LLMTestCase, run_async: bool, **options: Any) -> Any:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig

    result = evaluate(
        [test_case],
        [CorrectnessMetric(threshold=0.8, model=Judge(judged), **options)],
        async_config=AsyncConfig(run_async=run_async),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True, skip_on_missing_params="unscored" in options),
    )
    return result.test_results[0]


@pytest.mark.parametrize("run_async", [True, False])
def test_through_evaluate(run_async: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    pytest.importorskip("deepeval.evaluate.configs")
    (tmp_path / ".deepeval").mkdir()
    monkeypatch.chdir(tmp_path)
    assert evaluated(RIGHT, case(), run_async).success is True
    assert evaluated(WRONG, case("Lyon"), run_async).success is False
    recorded = evaluated(RIGHT, case(reference=None), run_async)
    assert recorded.success is False
    assert "no_reference" in recorded.metrics_data[0].error
    skipped = evaluated(RIGHT, case(reference=None), run_async, unscored="skip")
    assert not skipped.metrics_data


def test_through_assert_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from deepeval import assert_test

    (tmp_path / ".deepeval").mkdir()
    monkeypatch.chdir(tmp_path)
    assert_test(case(), [CorrectnessMetric(threshold=0.8, model=Judge(RIGHT))])
    with pytest.raises(AssertionError):
        assert_test(case("Lyon"), [CorrectnessMetric(threshold=0.8, model=Judge(WRONG))])
    with pytest.raises(ValueError, match="no_reference"):
        assert_test(case(reference=None), [CorrectnessMetric(threshold=0.8, model=Judge(RIGHT))])
