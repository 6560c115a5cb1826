"""correctness_v1 for google-adk: an evaluator class, and a function for ``custom_metrics``.

By configuration alone, in an eval config or ``test_config.json``::

    {"criteria": {"correctness_v1": {"threshold": 0.8, "judge_model_options": {"judge_model": "..."}}},
     "custom_metrics": {"correctness_v1": {"code_config": {"name": "evalfixes.evaluators.google_adk.correctness_v1"}}}}

or as a metric like any other, from code that runs before the evaluation::

    from evalfixes.evaluators.google_adk import register
    register()

Fields of the criterion beside ``threshold`` and ``judge_model_options``: the options of
`evalfixes.correctness.Correctness` (``empty_answer``, ``unverified``, ``numeric``, ``min_samples``,
``prompt``), and ``turns_without_reference``: ``unscored`` (default) or ``skip``.

A turn without a score is not evaluated. The whole is, only if that cannot change whether the
threshold is reached; its score is then the worse one. The reason and each contradiction are kept as
rubric scores, which is where google-adk keeps rationales.
"""

from __future__ import annotations

import inspect
import statistics
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, ClassVar

from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, Evaluator, PerInvocationResult
from google.adk.models.llm_request import LlmRequest
from google.adk.models.registry import LLMRegistry
from google.genai import types

from evalfixes.correctness import Correctness, Result, Status
from evalfixes.errors import OptionError
from evalfixes.runtime import options as runtime_options
from evalfixes.verdicts.aggregate import Part, combine, decide, known, missing

NAME = "correctness_v1"
_OPTIONS = ("empty_answer", "unverified", "numeric", "min_samples", "prompt", "prompt_version")
_OTHER = ("threshold", "judge_model_options", "turns_without_reference", "include_intermediate_responses_in_final")


class CorrectnessV1Evaluator(Evaluator):
    """Judges final responses against expected ones.

    Attributes:
        metric: The metric with its judge and options.
        threshold: What a score must reach.
        defaults: Fields of the criterion for where it does not give them.
    """

    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, eval_metric: EvalMetric) -> None:
        criterion = _criterion({**self.defaults, **_given(eval_metric)})
        self.threshold = _threshold(eval_metric, criterion)
        options = criterion.get("judge_model_options") or getattr(eval_metric, "judge_model_options", None) or {}
        if not isinstance(options, dict):
            options = options.model_dump()
        # google-adk and agentevals set both: a judge with credentials of its own goes in here.
        self._judge_model_options = _judge_options(options)
        self._judge_model = _model(self._judge_model_options.judge_model)
        self._turns_without_reference = criterion.get("turns_without_reference", "unscored")
        if self._turns_without_reference not in ("unscored", "skip"):
            raise OptionError(
                f"{NAME}: turns_without_reference={self._turns_without_reference!r} is not unscored or skip"
            )
        self.metric = Correctness(
            self._ask,
            num_samples=self._judge_model_options.num_samples,
            parallel=getattr(self._judge_model_options, "parallelism_limit", None) or 1,
            **{name: criterion[name] for name in _OPTIONS if criterion.get(name) is not None},
        )

    async def evaluate_invocations(
        self,
        actual_invocations: list[Any],
        expected_invocations: list[Any] | None = None,
        conversation_scenario: Any = None,
    ) -> EvaluationResult:
        """Judges each turn, and the whole by what of it has a score.

        Args:
            actual_invocations: The turns of the agent.
            expected_invocations: The turns with the references, in the same order.
            conversation_scenario: Not used.

        Returns:
            The result.

        Raises:
            ValueError: There are not as many expected turns as actual ones.
        """
        expected: Sequence[Any] = expected_invocations or [None] * len(actual_invocations)
        if len(expected) != len(actual_invocations):
            raise ValueError(
                f"{NAME}: {len(actual_invocations)} turns and {len(expected)} expected ones; they have to correspond"
            )
        results = []
        for actual, reference in zip(actual_invocations, expected, strict=True):
            results.append(
                await self.metric.aevaluate(
                    text_of(actual.final_response),
                    text_of(getattr(reference, "final_response", None)),
                    text_of(actual.user_content) or "",
                )
            )
        turns = [
            _turn(actual, reference, result, self.threshold)
            for actual, reference, result in zip(actual_invocations, expected, results, strict=True)
        ]
        return self._whole(results, turns)

    def _whole(self, results: Sequence[Result], turns: list[Any]) -> EvaluationResult:
        parts: list[Part] = []
        for result in results:
            if result.status is Status.NO_REFERENCE and self._turns_without_reference == "skip":
                continue
            parts.append(missing() if result.score is None else known(result.score))
        if not parts:
            return EvaluationResult(per_invocation_results=turns)
        decision = decide(
            combine(parts, statistics.fmean),
            lambda score: score >= self.threshold,
            runtime_options.current.incomplete,
        )
        rubrics = [rubric for turn in turns for rubric in getattr(turn, "rubric_scores", None) or []]
        return EvaluationResult(
            overall_score=decision.score,
            overall_eval_status=EvalStatus.NOT_EVALUATED if decision.passed is None else _status(decision.passed),
            per_invocation_results=turns,
            overall_rubric_scores=rubrics or None,
        )

    async def _ask(self, prompt: str) -> str:
        config = self._judge_model_options.judge_model_config
        request = LlmRequest(
            model=self._judge_model_options.judge_model,
            contents=[types.Content(role="user", parts=[types.Part(text=prompt)])],
            config=config if isinstance(config, types.GenerateContentConfig) else types.GenerateContentConfig(),
        )
        replies: AsyncGenerator[Any, None] = self._judge_model.generate_content_async(request)
        async with aclosing(replies):
            async for reply in replies:
                if getattr(reply, "error_code", None):
                    raise RuntimeError(f"{reply.error_code}: {reply.error_message}")
                return text_of(reply.content) or ""
        raise RuntimeError("the judge model returned nothing")


async def correctness_v1(
    eval_metric: EvalMetric, actual: list[Any], expected: list[Any] | None = None, scenario: Any = None
) -> EvaluationResult:
    """The metric as google-adk calls a custom one.

    Args:
        eval_metric: The metric; its criterion holds threshold and options.
        actual: The turns of the agent.
        expected: The turns with the references.
        scenario: Not used.

    Returns:
        The result, with its status set.
    """
    return await CorrectnessV1Evaluator(eval_metric).evaluate_invocations(actual, expected, scenario)


def register(registry: Any = None, name: str = NAME, **defaults: Any) -> None:
    """Adds the metric to a registry of google-adk, where ``adk eval``, tests and agentevals look it up.

    Args:
        registry: A ``MetricEvaluatorRegistry``; the default one if it is left out.
        name: The name for configurations.
        **defaults: Fields of the criterion for where a configuration does not give them, such as
            ``judge_model_options={"judge_model": "..."}``; agentevals passes a threshold only.
    """
    from google.adk.evaluation import metric_evaluator_registry as module
    from google.adk.evaluation.eval_metrics import Interval, MetricInfo, MetricValueInfo

    info = MetricInfo(
        metric_name=name,
        description="Whether the final response contradicts its reference; extra detail does not count.",
        metric_value_info=MetricValueInfo(interval=Interval(min_value=0.0, max_value=1.0)),
    )
    kind = type("CorrectnessV1Evaluator", (CorrectnessV1Evaluator,), {"defaults": defaults})
    (registry or module.DEFAULT_METRIC_EVALUATOR_REGISTRY).register_evaluator(info, kind)


def text_of(content: Any) -> str | None:
    """The visible text of a content: no thoughts, no calls; None if it has none."""
    parts = getattr(content, "parts", None) or []
    texts = [part.text for part in parts if part.text and not getattr(part, "thought", None)]
    return "\n".join(texts) if texts else None


def _given(eval_metric: EvalMetric) -> dict[str, Any]:
    criterion = getattr(eval_metric, "criterion", None)
    return criterion.model_dump() if criterion is not None else {}


def _criterion(given: dict[str, Any]) -> dict[str, Any]:
    table = {_snake(name): value for name, value in given.items()}
    unknown = sorted(set(table) - set(_OPTIONS) - set(_OTHER) - {"rubrics", "evaluate_intermediate_nl_responses"})
    if unknown:
        raise OptionError(f"{NAME}: the criterion has no field {', '.join(unknown)}")
    return table


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)


def _threshold(eval_metric: EvalMetric, criterion: dict[str, Any]) -> float:
    threshold = criterion.get("threshold")
    if threshold is None:
        threshold = getattr(eval_metric, "threshold", None)
    if threshold is None:
        raise OptionError(f"{NAME}: neither the criterion nor the metric has a threshold")
    return float(threshold)


def _judge_options(table: dict[str, Any]) -> Any:
    from google.adk.evaluation.eval_metrics import JudgeModelOptions

    table = {_snake(name): value for name, value in table.items()}
    config = table.get("judge_model_config")
    # Up to 1.20 the default is the class itself, which cannot be validated again.
    if config is None or inspect.isclass(config):
        table["judge_model_config"] = types.GenerateContentConfig()
    return JudgeModelOptions.model_validate(table)


def _model(name: str) -> Any:
    return LLMRegistry().resolve(name)(model=name)


def _status(passed: bool) -> Any:
    return EvalStatus.PASSED if passed else EvalStatus.FAILED


def _turn(actual: Any, expected: Any, result: Result, threshold: float) -> Any:
    passed = result.passed(threshold)
    fields: dict[str, Any] = {
        "actual_invocation": actual,
        "expected_invocation": expected,
        "score": result.score,
        "eval_status": EvalStatus.NOT_EVALUATED if passed is None else _status(passed),
    }
    if "rubric_scores" in PerInvocationResult.model_fields:
        fields["rubric_scores"] = _rubrics(result)
    if "expected_invocation" in PerInvocationResult.model_fields:
        field = PerInvocationResult.model_fields["expected_invocation"]
        if expected is None and field.is_required():
            fields["expected_invocation"] = actual  # before 1.18 it cannot be left out
    return PerInvocationResult(**fields)


def _rubrics(result: Result) -> list[Any]:
    from google.adk.evaluation.eval_rubrics import RubricScore

    rows = [RubricScore(rubric_id=NAME, score=result.score, rationale=f"{result.status}: {result.reason}")]
    for number, claim in enumerate(result.contradictions, 1):
        rows.append(RubricScore(rubric_id=f"{NAME}/contradiction-{number}", score=0.0, rationale=claim.describe()))
    return rows
