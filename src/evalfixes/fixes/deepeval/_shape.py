"""Signatures of replacements for methods whose parameters differ between the releases."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def shaped(function: F, original: Callable[..., Any]) -> F:
    """The function, showing upstream's signature although it takes its arguments as they come."""
    function.__signature__ = inspect.signature(inspect.unwrap(original))  # type: ignore[attr-defined]
    return function
