"""A key that one JSON object gives twice, with values that are not the same.

Parsers keep the last value, so ``{"verdict": "yes", "verdict": "no"}`` reads as a plain no. The judge has
said both, and nobody knows which it meant. A key that is repeated with the same value says nothing else
than one that stands there once. Two wordings of a reason leave the verdict beside them as it is: what
stands in a reason decides no score, so it is not looked at.
"""

from __future__ import annotations

import json
import re
from typing import Any

FREE_TEXT = ("reason", "reasoning")
"""Keys of what the judge says in its own words. They may be repeated, and so may anything inside of them."""


class Pairs(list[tuple[str, Any]]):
    """An object with all its fields, repeated ones included."""


def contradicted_key(text: str) -> str | None:
    """The first key that an object of a reply gives two different values.

    Args:
        text: The judge's reply; its object is looked for as deepeval does, from the first brace to the
            last, with commas in front of a closing bracket left out if it is no JSON with them.

    Returns:
        None where there is no such key, and where the text holds no JSON.
    """
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0:
        return None
    found = text[start:end] if end else text[start:] + "}"
    for candidate in (found, re.sub(r",\s*([\]}])", r"\1", found)):
        try:
            return _contradicted(json.loads(candidate, object_pairs_hook=Pairs))
        except (ValueError, RecursionError):
            continue
    return None


def _contradicted(value: Any) -> str | None:
    if isinstance(value, Pairs):
        first: dict[str, Any] = {}
        for key, inner in value:
            if key in FREE_TEXT:
                continue
            deeper = _contradicted(inner)
            if deeper is not None:
                return deeper
            if key in first and not _same(first[key], inner):
                return key
            first[key] = inner
    elif isinstance(value, list):
        for inner in value:
            deeper = _contradicted(inner)
            if deeper is not None:
                return deeper
    return None


def _same(one: Any, other: Any) -> bool:
    """Whether two values of JSON say the same: 1 is 1.0, and not true."""
    if isinstance(one, Pairs) and isinstance(other, Pairs):
        mine, theirs = _fields(one), _fields(other)
        return mine.keys() == theirs.keys() and all(_same(mine[key], theirs[key]) for key in mine)
    if isinstance(one, Pairs) or isinstance(other, Pairs):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other) or (one != one and other != other)  # NaN is no other than NaN


def _fields(pairs: Pairs) -> dict[str, Any]:
    """What decides something of an object."""
    return {key: value for key, value in pairs if key not in FREE_TEXT}
