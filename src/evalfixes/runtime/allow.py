"""Metrics that are known to be unavailable: `allow_unscored`."""

from __future__ import annotations

from datetime import date, datetime

from evalfixes.runtime import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def allowed(metric: str, today: date | None = None) -> bool:
    """Whether a metric may stay unscored without gating today.

    Args:
        metric: The metric's name.
        today: The day; the local one by default.

    Returns:
        Whether an entry names the metric and its ``until`` is today or later. An entry whose
        ``until`` cannot be read does not count.
    """
    day = today or datetime.now().astimezone().date()
    return any(
        entry.get("metric") == metric and day <= (until(entry.get("until")) or date.min)
        for entry in options.current.allow_unscored
    )


def until(value: Any) -> date | None:
    """The day up to which an entry counts, from a date or its ISO 8601 text; None if it is neither."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip()[:10])
    except ValueError:
        return None
