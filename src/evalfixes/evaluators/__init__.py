"""Evaluators to name explicitly, for those who do not switch fixes on: new ones and repaired ones.

| name | for |
|---|---|
| `correctness` | any harness that calls ``(inputs, outputs, reference_outputs)`` |
| `google_adk.CorrectnessV1Evaluator`, `google_adk.correctness_v1`, `google_adk.register` | google-adk and agentevals |
| `deepeval_metrics.CorrectnessMetric` | deepeval |
| `agentevals_script` | agentevals' custom evaluators |
| `repaired.google_adk_evaluator`, `repaired.deepeval_metric` | upstream's classes with the fixes in them |

Nothing here is imported before it is asked for, for each module needs the library it is for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalfixes.evaluators.function import acorrectness, correctness

__all__ = ["acorrectness", "correctness"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evalfixes.evaluators import function

    return getattr(function, name)
