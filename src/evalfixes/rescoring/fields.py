"""Fields of stored records: written in snake case or camel case, of the right type or not."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from evalfixes.errors import EvalfixesError


class DamagedError(EvalfixesError, ValueError):
    """A record does not hold what its format promises."""


@lru_cache(maxsize=256)
def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def get(table: Any, name: str) -> Any:
    """A field by its snake-case name, however it was written; None if it is absent.

    Raises:
        DamagedError: What should hold the field is no table.
    """
    if not isinstance(table, dict):
        raise DamagedError(f"{name} is looked for in {_short(table)}, which is no table")
    value = table.get(name)
    return table.get(_camel(name)) if value is None else value


def listed(table: Any, name: str) -> list[Any]:
    """A field that is a list; an absent one is empty.

    Raises:
        DamagedError: It is something else.
    """
    value = get(table, name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise DamagedError(f"{name} is {_short(value)}, not a list")
    return value


def number(table: Any, name: str) -> float | None:
    """A field that is a number; absent, null and what is not finite are None.

    Raises:
        DamagedError: It is something else.
    """
    value = get(table, name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DamagedError(f"{name} is {_short(value)}, not a number")
    return value if math.isfinite(value) else None


def text(table: Any, name: str) -> str:
    """A field as text; an absent one is empty."""
    value = get(table, name)
    return "" if value is None else str(value)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
