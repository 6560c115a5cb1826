"""deepeval's RoleViolationMetric in strict mode passes a violation that it has detected."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._harness import evaluate
from evalfixes.fixes.deepeval._shape import shaped

_MODULE = "deepeval.metrics.role_violation.role_violation"


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # The constructor has gained parameters over the releases; it runs once per metric.
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        if self.strict_mode and self.threshold == 0:
            self.threshold = 1

    return shaped(__init__, original)


def _case(word: str, **more: Any) -> dict[str, Any]:
    return {
        "metric": "RoleViolationMetric",
        "items": 1,
        "replies": [{"verdicts": [{"verdict": word, "reason": "r"}]}],
        **more,
    }


FIX = Fix(
    id="deepeval-role-violation-strict",
    dist="deepeval",
    title="strict mode passes a role violation that was detected",
    before="`RoleViolationMetric(strict_mode=True)` sets its threshold to 0, left over from when a high score was bad: "
    "a detected violation scores 0.0, which reaches 0, and passes.",
    after="In strict mode the threshold is 1, as in every other metric.",
    replacements=(Replacement(f"{_MODULE}:RoleViolationMetric.__init__", _build),),
    watches=(f"{_MODULE}:RoleViolationMetric._calculate_score",),  # before 3.2.5 a high score was the bad one
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=tuple(
        scenario
        for path in ("json", "schema")
        for mode in ("sync", "async")
        for scenario in (
            Scenario(
                f"a violation, strict, {path}, {mode}",
                _case("yes", path=path, mode=mode, kwargs={"strict_mode": True}),
                right={"score": 0.0, "status": "FAILED"},
                wrong={"score": 0.0, "status": "PASSED"},
            ),
            Scenario(
                f"control: no violation, strict, {path}, {mode}",
                _case("no", path=path, mode=mode, kwargs={"strict_mode": True}),
                right={"score": 1.0, "status": "PASSED"},
            ),
            Scenario(
                f"control: a violation, {path}, {mode}",
                _case("yes", path=path, mode=mode),
                right={"score": 0.0, "status": "FAILED"},
            ),
            Scenario(
                f"control: no violation, {path}, {mode}",
                _case("no", path=path, mode=mode, kwargs={"threshold": 1}),
                right={"score": 1.0, "status": "PASSED"},
            ),
        )
    ),
)
