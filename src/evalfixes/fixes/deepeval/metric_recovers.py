"""A deepeval metric object that met one invalid reply reports failure for ever."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any

from evalfixes.errors import UnscoredError
from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.runtime import options

_MODULE = "deepeval.metrics.indicator"


class _Measuring:
    """Upstream's progress indicator, which every ``measure`` runs in, with a clean start and end.

    The start forgets the error of an earlier case, as ``evaluate`` does between cases. The end, where
    `evalfixes.runtime.options` says so, records that the metric is unscored instead of raising it.
    """

    def __init__(self, indicator: Any, metric: Any) -> None:
        self._indicator = indicator
        self._metric = metric

    def __enter__(self) -> Any:
        if getattr(self._metric, "error", None) is not None:
            self._metric.error = None
        return self._indicator.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        handled = self._indicator.__exit__(kind, error, trace)
        if isinstance(error, UnscoredError) and options.current.deepeval_errors == "record":
            return True
        return handled


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def metric_progress_indicator(
        metric: Any,
        async_mode: Any = None,
        total: int = 9999,
        transient: bool = True,
        _show_indicator: bool = True,
        _in_component: bool = False,
    ) -> Any:
        return _Measuring(original(metric, async_mode, total, transient, _show_indicator, _in_component), metric)

    return metric_progress_indicator


def _case(**more: Any) -> dict[str, Any]:
    good = {"verdicts": [{"verdict": "no", "reason": "r"}] * 2}
    return {"metric": "BiasMetric", "items": 2, "replies": [good], **more}


_NO_JSON = [{"text": "I cannot answer that."}]

FIX = Fix(
    id="deepeval-metric-recovers",
    dist="deepeval",
    title="a metric object that met one invalid reply fails every later case",
    before="The error of an invalid reply stays on the metric object, and `is_successful()` returns False for every "
    "case that the same object measures afterwards, whatever it scores. `evaluate()` resets it, `measure()` does not.",
    after="Each measurement starts without the error of the one before.",
    replacements=(Replacement(f"{_MODULE}:metric_progress_indicator", _build),),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=(
        *(
            Scenario(
                f"no JSON, then a good reply, {mode}",
                _case(before=_NO_JSON, mode=mode),
                right={"status": "PASSED"},
                wrong={"status": "ERROR"},
                releases="4.2.0..",
            )
            for mode in ("sync", "async")
        ),
        *(
            Scenario(
                f"the same for prompt alignment, {mode}",
                {
                    "metric": "PromptAlignmentMetric",
                    "items": 1,
                    "before": _NO_JSON,
                    "replies": [{"verdicts": [{"verdict": "yes"}]}],
                    "mode": mode,
                },
                right={"score": 1.0, "status": "PASSED"},
                wrong={"score": None, "status": "ERROR"},
            )
            for mode in ("sync", "async")
        ),
        Scenario(
            "control: no JSON",
            {"metric": "PromptAlignmentMetric", "items": 1, "replies": _NO_JSON},
            right={"status": "ERROR"},
        ),
        Scenario(
            "control: a good reply",
            {"metric": "PromptAlignmentMetric", "items": 1, "replies": [{"verdicts": [{"verdict": "yes"}]}]},
            right={"score": 1.0, "status": "PASSED"},
        ),
    ),
)
