"""deepeval takes a judge's score that lies off the scale it was asked to use."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._families import MARK, MARK_BROKEN, is_mark
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._shape import shaped
from evalfixes.fixes.deepeval._unscored import below, conclude
from evalfixes.runtime import ledger, options
from evalfixes.verdicts.scale import on_scale


@dataclass(frozen=True)
class _Metric:
    """One metric that asks its judge for numbers.

    Attributes:
        name: Package and module below ``deepeval.metrics``.
        cls: The class.
        asks: Its methods that ask for a score, in pairs (synchronous, asynchronous).
        parts: Whether several scores are put together by ``_calculate_score``.
        module: Its module below ``deepeval.metrics``, where that is not called as its package.
        since: The first release in which it asks for a score.
    """

    name: str
    cls: str
    asks: tuple[tuple[str, str], ...]
    parts: bool = False
    module: str = ""
    since: str = "3.6.9"

    @property
    def place(self) -> str:
        return f"deepeval.metrics.{self.module or f'{self.name}.{self.name}'}:{self.cls}."


_METRICS = (
    _Metric("g_eval", "GEval", (("_evaluate", "_a_evaluate"),), since=""),
    _Metric("conversational_g_eval", "ConversationalGEval", (("evaluate", "_a_evaluate"),), since=""),
    _Metric("task_completion", "TaskCompletionMetric", (("_generate_verdicts", "_a_generate_verdicts"),), since=""),
    _Metric("step_efficiency", "StepEfficiencyMetric", (("_get_score", "_a_get_score"),)),
    _Metric("plan_adherence", "PlanAdherenceMetric", (("_get_plan_adherence_score", "_a_get_plan_adherence_score"),)),
    _Metric("plan_quality", "PlanQualityMetric", (("_get_plan_quality_score", "_a_get_plan_quality_score"),)),
    _Metric(
        "goal_accuracy",
        "GoalAccuracyMetric",
        (("_get_goal_accuracy_score", "_a_get_goal_accuracy_score"), ("_get_plan_scores", "_a_get_plan_scores")),
        parts=True,
    ),
    _Metric(
        "tool_use",
        "ToolUseMetric",
        (
            ("_get_tool_selection_score", "_a_get_tool_selection_score"),
            ("_get_argument_correctness_score", "_a_get_argument_correctness_score"),
        ),
        parts=True,
    ),
    _Metric(
        "mcp_use_metric",
        "MCPUseMetric",
        (
            ("_get_primitives_used_score", "_a_get_primitives_used_score"),
            ("_get_argument_correctness_score", "_a_get_argument_correctness_score"),
        ),
        parts=True,
    ),
    _Metric(
        "mcp",
        "MultiTurnMCPUseMetric",
        (("_get_tool_accuracy_score", "_a_get_tool_accuracy_score"), ("_get_args_score", "_a_get_args_score")),
        parts=True,
        module="mcp.multi_turn_mcp_use_metric",
    ),
    _Metric(
        "mcp",
        "MCPTaskCompletionMetric",
        (("_get_task_score", "_a_get_task_score"),),
        parts=True,
        module="mcp.mcp_task_completion",
    ),
    _Metric(
        "tool_correctness", "ToolCorrectnessMetric", (("_get_tool_selection_score", "_a_get_tool_selection_score"),)
    ),
)


def _scale(metric: Any, module: ModuleType) -> tuple[float, float]:
    """The scale that the metric's prompt asks for."""
    if module.__name__.endswith(".conversational_g_eval"):
        return 0, 10
    if not hasattr(module, "get_score_range"):
        return 0, 1
    if metric.strict_mode:
        return 0, 1
    low, high = getattr(metric, "score_range", None) or module.get_score_range(metric.rubric)
    return low, high


def _usable(metric: Any, module: ModuleType, found: Any) -> bool:
    score = found[0] if isinstance(found, tuple) else getattr(found, "score", None)
    return on_scale(score, *_scale(metric, module))


def _counted(spec: _Metric, metric: Any, found: Any) -> Any:
    if not spec.parts:  # those are counted where they are averaged
        ledger.record(type(metric).__name__, 1)
    return found


def _give_up(spec: _Metric, metric: Any, module: ModuleType, found: Any) -> Any:
    """What stands in for a score that the judge did not give, if anything may."""
    low, high = _scale(metric, module)
    score = found[0] if isinstance(found, tuple) else getattr(found, "score", None)
    # A score below the scale, or no number, has pulled the result down: without it nothing may pass.
    above = isinstance(score, (int, float)) and score > high
    if spec.parts:
        return found.model_copy(update={"score": 0.0, "reason": MARK if above else MARK_BROKEN})
    # The lower one counts of the tools' score, which no judge gives, and the judge's.
    tools = metric._calculate_score() if spec.cls == "ToolCorrectnessMetric" else None
    best, given = (1.0, 0) if tools is None else (min(1.0, tools), 1)
    conclude(metric, 0.0, best, missing=1, given=given, what="scores (it is off the scale)", broken=not above)
    return (low, MARK) if isinstance(found, tuple) else found.model_copy(update={"score": low, "reason": MARK})


# The signatures of these methods differ between the releases, hence *args.


def _build(spec: _Metric) -> Callable[[Callable[..., Any], ModuleType], Callable[..., Any]]:
    def build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
        def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
            for _ in range(options.current.rejudge + 1):
                found = original(self, *args, **kwargs)
                if _usable(self, module, found):
                    return _counted(spec, self, found)
            return _give_up(spec, self, module, found)

        return shaped(ask, original)

    return build


def _a_build(spec: _Metric) -> Callable[[Callable[..., Any], ModuleType], Callable[..., Any]]:
    def build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
        async def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
            for _ in range(options.current.rejudge + 1):
                found = await original(self, *args, **kwargs)
                if _usable(self, module, found):
                    return _counted(spec, self, found)
            return _give_up(spec, self, module, found)

        return shaped(ask, original)

    return build


def _build_total(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _calculate_score(self: Any, *scores: Any) -> Any:
        parts = list(itertools.chain(*(score if isinstance(score, list) else [score] for score in scores)))
        marks = [part for part in parts if is_mark(part)]
        if not marks:
            ledger.record(type(self).__name__, len(parts))
            return original(self, *scores)
        for mark in marks:
            mark.score = 1.0
        best = below(original)(self, *scores)
        for mark in marks:
            mark.score = 0.0
        worst = original(self, *scores)
        broken = any(mark.reason == MARK_BROKEN for mark in marks)
        conclude(self, worst, best, len(marks), len(parts) - len(marks), "scores", broken)
        return worst

    return shaped(_calculate_score, original)


def _targets() -> tuple[Replacement, ...]:
    found = []
    for metric in _METRICS:
        for plain, awaited in metric.asks:
            found.append(Replacement(metric.place + plain, _build(metric), optional=True))
            found.append(Replacement(metric.place + awaited, _a_build(metric), optional=True))
        if metric.parts:
            found.append(Replacement(f"{metric.place}_calculate_score", _build_total, optional=True))
    return tuple(found)


_UNSCORED = {"score": None, "status": "ERROR"}
_GREEN = {"status": "PASSED"}


def _scenarios() -> tuple[Scenario, ...]:
    found = []
    for metric in _METRICS:
        key = "verdict" if metric.cls == "TaskCompletionMetric" else "score"
        top = 10 if metric.cls in ("GEval", "ConversationalGEval") else 1
        younger = f"{metric.since}.." if metric.since else ""

        def case(value: Any, _cls: str = metric.cls, _key: str = key, **more: Any) -> dict[str, Any]:
            return {"metric": _cls, "items": 1, "replies": [{_key: value, "reason": "r"}], **more}

        for path, mode in (("json", "sync"), ("json", "async"), ("schema", "sync"), ("schema", "async")):
            label = f"{metric.cls}, {path}, {mode}"
            for value in (2 * top, 40 * top, top + 0.5):
                found.append(
                    Scenario(
                        f"{label}: {value}",
                        case(value, path=path, mode=mode),
                        right=_UNSCORED,
                        wrong=_GREEN,
                        releases=younger,
                    )
                )
            for value in (top, 0.7 * top, 0):
                passed = value >= 0.5 * top
                found.append(
                    Scenario(
                        f"control: {label}: {value}",
                        case(value, path=path, mode=mode),
                        right={"score": value / top, "status": "PASSED" if passed else "FAILED"},
                        releases=younger,
                    )
                )
            found.append(
                Scenario(
                    f"{label}: strict, {3 * top}",
                    case(3 * top, path=path, mode=mode, kwargs={"strict_mode": True}),
                    right=_UNSCORED,
                    wrong=_GREEN,
                    releases=younger,
                )
            )
    return tuple(found)


FIX = Fix(
    id="deepeval-score-scale",
    dist="deepeval",
    title="a score off its scale is used as it is",
    before="A judge that answers 20 or 40 on a scale up to 10, 2.0 on one up to 1, or Infinity, passes with that "
    "score; GEval in strict mode passes a 3 that was meant as poor.",
    after="Such a score is missing: asked for once more, then the metric is unscored, unless other scores decide it.",
    replacements=_targets(),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=_scenarios(),
)
