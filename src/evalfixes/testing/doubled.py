"""Replies that give one key of a JSON object twice, with different values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evalfixes.testing.labels import flipped
from evalfixes.testing.reply import Form, Path, all_flipped, asked, changed, ends, items, labels, nodes

_MARK = "\0"
"""Ends the second of two equal keys while they stand in a table; JSON writes it as an escape."""


def doubled(found: Form) -> Iterator[tuple[Path, str, str]]:
    """Texts of a reply with one of its keys given twice.

    Args:
        found: The structure of the reply; one that is not JSON has no keys.

    Yields:
        The path to the key, whether its other value comes ``before`` or ``after`` its own, and the text.
    """
    for path, own, other in _others(found.value) if found.json else ():
        for where in ("before", "after"):
            values = (other, own) if where == "before" else (own, other)
            table = _part(found.value, path[:-1])
            twice: dict[str, Any] = {}
            for key, value in table.items():
                if key == path[-1]:
                    twice[key], twice[key + _MARK] = values
                else:
                    twice[key] = value
            text = found.write(changed(found.value, path[:-1], twice))
            key = json.dumps(path[-1], ensure_ascii=False)
            yield path, where, text.replace(f'{key[:-1]}\\u0000"', key)


def _others(value: Any) -> Iterator[tuple[Path, Any, Any]]:
    """Keys, their values, and others that say something else: of labels, of answers, of what would be asked about."""
    found = labels(value)
    for path, label in (found[at] for at in ends(len(found))):
        if _key(path) and flipped(label) != label:
            yield path, label, flipped(label)
    answers = [path for path, _ in items(value)]
    for path in [*answers, *(path for path, _ in asked(value))]:
        if _key(path):
            own = _part(value, path)
            others = [all_flipped(own), []] if path in answers else [[]]
            yield from ((path, own, other) for other in others if other != own)


def _key(path: Path) -> bool:
    return bool(path) and isinstance(path[-1], str)


def _part(value: Any, path: Path) -> Any:
    return next(part for at, part in nodes(value) if at == path)
