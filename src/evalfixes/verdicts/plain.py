"""Turns any value into one that JSON can hold, so that a judge can be shown it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import date, time
from enum import Enum
from typing import Any

_DEEPEST = 50


def writable(value: Any) -> bool:
    """Whether `json.dumps` writes the value as it is."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def plain(value: Any, depth: int = 0) -> Any:
    """The value in JSON's own types.

    What JSON can hold stays as it is. Dates become ISO 8601, bytes become text, or base64 where they
    are none, models and dataclasses become tables, and anything else its ``str``. Nothing raises.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Enum):
        return plain(value.value, depth)
    if isinstance(value, (int, float)):
        return value
    if depth > _DEEPEST:
        return _text(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, depth + 1) for inner in value]
    if isinstance(value, (set, frozenset)):
        inner = [plain(item, depth + 1) for item in value]
        return sorted(inner, key=lambda item: json.dumps(item, sort_keys=True, default=str))
    if isinstance(value, (date, time)):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value))
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        try:
            return plain(dump(exclude_none=True), depth + 1)
        except Exception:
            return _text(value)
    fields = getattr(value, "__dataclass_fields__", None)
    if isinstance(fields, Mapping) and not isinstance(value, type):
        return {name: plain(getattr(value, name, None), depth + 1) for name in fields}
    return _text(value)


def _key(key: Any) -> Any:
    if key is None or isinstance(key, (str, int, float, bool)):
        return key
    return str(plain(key))


def _bytes(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
    return text if text.isprintable() else base64.b64encode(value).decode()


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__}>"
