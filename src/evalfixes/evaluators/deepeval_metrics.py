"""correctness_v1 as a deepeval metric."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import deepeval.test_case as test_cases
from deepeval.errors import MissingTestCaseParamsError
from deepeval.metrics import BaseMetric
from deepeval.metrics import utils as metric_utils
from deepeval.metrics.indicator import metric_progress_indicator

from evalfixes.correctness import Correctness, Judge, Result, prompt
from evalfixes.errors import OptionError, UnscoredError

_Params = getattr(test_cases, "SingleTurnParams", None) or test_cases.LLMTestCaseParams
_UNSCORED = ("fail", "skip")


class SkippableError(UnscoredError, MissingTestCaseParamsError):
    """A case without a score, to be left out where deepeval is told to leave out what lacks parameters."""


class CorrectnessMetric(BaseMetric):
    """Judges ``actual_output`` against ``expected_output``.

    A case without a score raises an `evalfixes.errors.UnscoredError` and leaves ``error`` set, as
    deepeval's own metrics do for a reply that they cannot read: under ``ignore_errors`` it is
    recorded, and it is never a success. ``unscored="skip"`` raises what deepeval leaves out of the
    case under ``skip_on_missing_params`` (``deepeval test run -s``), and treats as an error without it.

    Attributes:
        result: The whole result of the last case.
    """

    # Declared anew: upstream's annotations do not allow what it does with them itself.
    error: Any = None
    score: Any = None
    reason: Any = None
    score_breakdown: Any = None
    success: Any = None
    skipped: Any = False
    evaluation_cost: Any = None
    verbose_logs: Any = None
    result: Result | None = None

    def __init__(
        self,
        threshold: float = 0.5,
        model: Any = None,
        num_samples: int = 1,
        min_samples: int = 0,
        unscored: str = "fail",
        empty_answer: str = "unscored",
        unverified: str = "unscored",
        numeric: str = "hint",
        prompt_template: str = prompt.TEMPLATE,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        include_reason: bool = True,
    ) -> None:
        """Makes the metric.

        Args:
            threshold: What a score must reach.
            model: The judge: a deepeval model, or the name of one.
            num_samples: How often it is asked.
            min_samples: How many judgements need a score; 0 for more than half.
            unscored: ``fail`` or ``skip``, for a case without a score.
            empty_answer: ``wrong`` scores empty answers and refusals as 0.
            unverified: See `evalfixes.correctness.Correctness`.
            numeric: As above.
            prompt_template: As above.
            async_mode: Whether `measure` runs the judge's async method.
            strict_mode: Whether anything short of 1 is 0.
            verbose_mode: Whether the claims are printed.
            include_reason: Whether `reason` is set.
        """
        if unscored not in _UNSCORED:
            raise OptionError(f"correctness: unscored={unscored!r} is not one of {', '.join(_UNSCORED)}")
        self.threshold = 1.0 if strict_mode else threshold
        self.model, self.using_native_model = metric_utils.initialize_model(model)
        self.evaluation_model = self.model.get_model_name()
        self.unscored = unscored
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.include_reason = include_reason
        self.evaluation_cost = 0 if self.using_native_model else None
        # deepeval makes one metric per case of what it finds under the names of the parameters.
        self.num_samples = num_samples
        self.min_samples = min_samples
        self.empty_answer = empty_answer
        self.unverified = unverified
        self.numeric = numeric
        self.prompt_template = prompt_template
        self._metric(self._ask)

    def _metric(self, judge: Judge) -> Correctness:
        return Correctness(
            judge,
            num_samples=self.num_samples,
            min_samples=self.min_samples,
            empty_answer=self.empty_answer,
            unverified=self.unverified,
            numeric=self.numeric,
            prompt=self.prompt_template,
        )

    def measure(
        self, test_case: Any, _show_indicator: bool = True, _in_component: bool = False, **_ignored: Any
    ) -> float:
        """Judges a case.

        Args:
            test_case: The case.

        Returns:
            The score.

        Raises:
            UnscoredError: There is no score.
        """
        self._reset()
        with metric_progress_indicator(self, _show_indicator=_show_indicator, _in_component=_in_component):
            metric = self._metric(self._a_ask if self.async_mode else self._ask)
            return self._conclude(metric.evaluate(**_arguments(test_case)))

    async def a_measure(
        self, test_case: Any, _show_indicator: bool = True, _in_component: bool = False, **_ignored: Any
    ) -> float:
        """Judges a case; see `measure`."""
        self._reset()
        with metric_progress_indicator(
            self, async_mode=True, _show_indicator=_show_indicator, _in_component=_in_component
        ):
            metric = self._metric(self._a_ask)
            return self._conclude(await metric.aevaluate(**_arguments(test_case)))

    def is_successful(self) -> bool:
        """Whether the last case passed; a case without a score did not."""
        self.success = self.error is None and self.score is not None and bool(self.score >= self.threshold)
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Correctness"

    def _reset(self) -> None:
        self.score = None
        self.reason = None
        self.success = None
        self.error = None
        self.skipped = False
        self.result = None
        self.score_breakdown = None
        self.evaluation_cost = 0 if self.using_native_model else None

    def _conclude(self, result: Result) -> float:
        self.result = result
        self.verbose_logs = f"{result.status}: {result.reason}"
        if result.score is None:
            message = f"CorrectnessMetric is unscored: {result.status}: {result.reason}"
            self.error = message
            self.success = False
            kind = SkippableError if self.unscored == "skip" else UnscoredError
            raise kind(message, "CorrectnessMetric", result.total - result.scored, result.total)
        self.score = result.score if not self.strict_mode or result.score == 1.0 else 0.0
        self.score_breakdown = {"contradictions": float(len(result.contradictions))}
        self.reason = f"{result.status}: {result.reason}" if self.include_reason else None
        self.is_successful()
        if self.verbose_mode:
            print(self.verbose_logs)  # noqa: T201
        return float(self.score)

    def _ask(self, text: str) -> str | Awaitable[str]:
        reply = self.model.generate(text)
        return self._text(reply)

    async def _a_ask(self, text: str) -> str:
        return self._text(await self.model.a_generate(text))

    def _text(self, reply: Any) -> str:
        """The text of what a model returns; native models return it with its cost."""
        if isinstance(reply, tuple):
            reply, cost = reply[0], reply[1]
            if self.evaluation_cost is not None and cost is not None:
                self.evaluation_cost += getattr(cost, "value", cost)
        return reply  # type: ignore[no-any-return]


CorrectnessMetric._required_params = [_Params.INPUT, _Params.ACTUAL_OUTPUT]


def _arguments(test_case: Any) -> dict[str, Any]:
    return {
        "answer": test_case.actual_output,
        "reference": test_case.expected_output,
        "question": test_case.input or "",
    }


def measure_all(metric: CorrectnessMetric, cases: list[Any]) -> list[Result]:
    """Results of many cases without exceptions, for those who want the statuses.

    Args:
        metric: The metric.
        cases: The cases.

    Returns:
        One result per case.
    """

    async def run() -> list[Result]:
        judge = metric._metric(metric._a_ask)
        return list(await asyncio.gather(*(judge.aevaluate(**_arguments(case)) for case in cases)))

    return asyncio.run(run())
