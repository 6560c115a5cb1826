"""What fixes read from and write into agentevals' `MetricResult`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DEFAULT_THRESHOLD = 0.5
"""What agentevals takes where no threshold is given."""

NOT_A_SHARE = ("response_evaluation_score",)
"""Metrics scored from 1 to 5: there is no worst and best for a missing turn."""

NO_EVAL_SET = "no eval set provided"
"""Upstream's reason, since 0.10.0, where a metric needs a golden and no eval set was given."""


def withhold(result: Any, reason: str, kind: str) -> Any:
    """Takes a verdict back: no score, NOT_EVALUATED, and the reason where every report shows it."""
    result.score = None
    result.eval_status = "NOT_EVALUATED"
    return explain(result, reason, kind)


def explain(result: Any, reason: str, kind: str) -> Any:
    """Gives a result an error: all outputs show it, and the exit code is not 0."""
    result.error = reason
    if "error_type" in type(result).model_fields and not result.error_type:
        result.error_type = kind
    result.details = {**(result.details or {}), "reason": reason}
    return result


def reason_of(result: Any) -> str:
    """The reason that upstream itself gives for a missing verdict, if it does."""
    return str((result.details or {}).get("reason") or "")


def only_last_turn_scored(metric_name: str) -> bool:
    """Whether a metric leaves all turns but the last without a score by design."""
    return metric_name.startswith(("multi_turn_", "rubric_based_multi_turn_"))


def numbers(turns: Sequence[int]) -> str:
    """Positions as people count them: ``turn 2`` or ``turns 1 and 3``."""
    words = [str(turn + 1) for turn in turns]
    if len(words) == 1:
        return f"turn {words[0]}"
    return f"turns {', '.join(words[:-1])} and {words[-1]}"
