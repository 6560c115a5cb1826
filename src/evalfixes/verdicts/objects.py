"""The last complete JSON object of a judge's reply, or the reason why it does not count.

Judges draft, fence, comment and correct themselves, so the object that counts is the last one that
is complete. What began after it and was cut off shows that the judge was not done; then nothing
counts, for a draft must never take the place of the verdict that followed it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_BEGUN = re.compile(r"\{\s*[\"'“”‘’]")
_MOST_OBJECTS = 1000


class ObjectError(ValueError):
    """A reply without an object that counts; the message says why."""


def last_object(reply: str) -> dict[str, Any]:
    """The last complete JSON object of a reply.

    Args:
        reply: The judge's text.

    Returns:
        The object.

    Raises:
        ObjectError: There is none, one was begun after it, or it gives two values for one key.
    """
    found: tuple[int, Any] | None = None
    for end, value in _complete(reply):
        found = end, value
    behind = reply if found is None else reply[found[0] :]
    if _BEGUN.search(behind):
        raise ObjectError("the reply is cut off inside a JSON object, or the object is not well-formed")
    if found is None:
        raise ObjectError("the reply holds no JSON object")
    return _plain(found[1])  # type: ignore[no-any-return]


def objects(text: str) -> list[Any]:
    """All complete JSON objects of a text, as far as they are unambiguous."""
    values = []
    for _, value in _complete(text):
        try:
            values.append(_plain(value))
        except ObjectError:
            continue
    return values


class _Pairs(list[tuple[str, Any]]):
    """An object with all its fields, repeated ones included."""


def _complete(text: str) -> Iterator[tuple[int, Any]]:
    """The outermost complete objects: where each ends, and what it is."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_no_constant)
    position = 0
    # Each failed start costs a parse of what follows it, so their number is bounded: a reply of
    # braces alone is no verdict.
    for _ in range(_MOST_OBJECTS):
        start = text.find("{", position)
        if start < 0:
            return
        try:
            value, position = decoder.raw_decode(text, start)
        except RecursionError:
            return
        except ValueError as error:
            if _BEGUN.match(text, start) and _ran_out(error, text):
                return  # what is complete inside it is only a part of it
            position = start + 1
            continue
        yield position, value


def _ran_out(error: ValueError, text: str) -> bool:
    """Whether JSON was fine as far as the text goes."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return True
    # In the middle of a word, a number or an escape.
    return re.fullmatch(r"[-+\w.\\]{0,12}\s*", text[error.pos :]) is not None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _plain(value: Any) -> Any:
    """Ordinary containers in place of pairs.

    Raises:
        ObjectError: A key has two different values.
    """
    if isinstance(value, _Pairs):
        made: dict[str, Any] = {}
        for key, inner in value:
            plain = _plain(inner)
            if key in made and made[key] != plain:
                raise ObjectError(f"the reply gives two values for {key!r}")
            made[key] = plain
        return made
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
