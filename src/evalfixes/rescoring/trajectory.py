"""Tool trajectories as google-adk compares them, from the calls that a result file holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalfixes.rescoring.fields import get

Call = tuple[Any, Any]
"""The name of a tool and its arguments."""

_KINDS = ("EXACT", "IN_ORDER", "ANY_ORDER")
_MATCHES: dict[Any, str] = {**dict(enumerate(_KINDS)), **{kind: kind for kind in _KINDS}}


def calls_of(invocation: Any) -> list[Call]:
    """The tool calls of a stored invocation, in order."""
    data = get(invocation, "intermediate_data") or {}
    events = get(data, "invocation_events")
    if events is None:
        found = [use for use in get(data, "tool_uses") or [] if use]
    else:
        found = []
        for event in events:
            for part in get(get(event, "content") or {}, "parts") or []:
                call = get(part, "function_call")
                if call is not None:
                    found.append(call)
    return [(get(call, "name"), get(call, "args")) for call in found]


def ways(criterion: Any) -> list[tuple[str, bool]]:
    """How calls may have been compared: the kind of match, and whether arguments were ignored.

    Args:
        criterion: What is stored of the metric's criterion. Releases that declare the field by its
            base class store neither kind nor flag, so every way is possible there.

    Returns:
        The most likely first, the most lenient last; nothing for a kind that nobody knows.
    """
    if criterion is None:
        return [("EXACT", False)]
    stored, ignored = get(criterion, "match_type"), get(criterion, "ignore_args")
    if stored is not None:
        match = _MATCHES.get(_normal(stored) if isinstance(stored, str) else stored)
        return [] if match is None else [(match, bool(ignored))]
    flags = [False, True] if ignored is None else [bool(ignored)]
    return [(match, flag) for flag in flags for match in _KINDS]


def _normal(kind: str) -> str:
    """A kind of match as upstream reads it from a configuration."""
    return kind.strip().upper().replace("-", "_").replace(" ", "_")


def matches(actual: Sequence[Call], expected: Sequence[Call], match: str, ignore_args: bool = False) -> bool:
    """Whether the calls are those that were expected.

    Args:
        actual: The calls that were made.
        expected: The calls that should have been.
        match: ``EXACT``, ``IN_ORDER`` or ``ANY_ORDER``.
        ignore_args: Whether only the names count.
    """

    def same(one: Call, other: Call) -> bool:
        return bool(one[0] == other[0] and (ignore_args or one[1] == other[1]))

    if match == "EXACT":
        return len(actual) == len(expected) and all(map(same, actual, expected))
    left = list(expected)
    if match == "IN_ORDER":
        for call in actual:
            if left and same(call, left[0]):
                left.pop(0)
        return not left
    pool = list(actual)
    for call in expected:
        place = next((i for i, made in enumerate(pool) if same(made, call)), None)
        if place is None:
            return False
        pool.pop(place)
    return True
