"""A judge's reply, and the structure inside of its text."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from evalfixes.testing.labels import is_label

Path = tuple[Any, ...]
"""Keys and indices that lead to a part of a structure."""


@dataclass(frozen=True)
class Reply:
    """What comes back from a judge.

    Attributes:
        text: The answer.
        thought: A private thought in front of it, for metrics whose judge has parts of that kind.
        error: The call fails with this message.
        lost: Nothing comes back at all, not even an empty answer.
    """

    text: str = ""
    thought: str = ""
    error: str = ""
    lost: bool = False

    def __str__(self) -> str:
        if self.error:
            return f"(the call fails: {self.error})"
        if self.lost:
            return "(no response)"
        return f"(thought: {self.thought})\n{self.text}" if self.thought else self.text


@dataclass(frozen=True)
class Form:
    """The structure inside of a text, and how it is written.

    Attributes:
        value: Tables, lists and scalars, as JSON has them.
        write: Makes a text of a structure, in the same form.
        json: Whether the text is JSON.
    """

    value: Any
    write: Callable[[Any], str]
    json: bool = False


_LINE = re.compile(r"([A-Za-z][A-Za-z_ ]{0,30}):(?: (.*))?")
_TAG = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)


def form(text: str) -> Form | None:
    """The structure of a text: JSON, blocks of ``key: value`` lines, a row of tags, or one word.

    Returns:
        None for prose. A text is taken for structured only if writing the structure gives it back.
    """
    for read in (_json, _tags, _blocks, _word):
        found = read(text)
        if found is not None:
            return found
    return None


def _json(text: str) -> Form | None:
    places = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not places:
        return None
    start = min(places)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    try:
        value = json.loads(text[start:end])
    except ValueError:
        return None
    if not isinstance(value, (dict, list)):
        return None
    head, tail = text[:start], text[end:]
    indent = 2 if "\n" in text[start:end] else None
    return Form(value, lambda changed: head + json.dumps(changed, ensure_ascii=False, indent=indent) + tail, json=True)


def _tags(text: str) -> Form | None:
    found = _TAG.findall(text)
    names = {name for name, _ in found}
    if len(names) != 1 or _TAG.sub("", text).strip():
        return None
    (name,) = names
    return Form(
        [inner for _, inner in found],
        lambda value: "\n".join(f"<{name}>{_plain(inner)}</{name}>" for inner in _rows(value)),
    )


def _blocks(text: str) -> Form | None:
    blocks: list[dict[str, Any]] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.rstrip("\r"))
        if found is None:
            if not blocks:
                return None
            key = next(reversed(blocks[-1]))
            blocks[-1][key] = f"{blocks[-1][key]}\n{line}"
            continue
        key, value = found[1], found[2] or ""
        if not blocks or key in blocks[-1]:
            blocks.append({})
        blocks[-1][key] = value
    if not blocks or not any(is_label(key, value) for block in blocks for key, value in block.items()):
        return None
    tail = text[len(text.rstrip()) :]
    made = Form(blocks, lambda value: "\n\n".join(_block(block) for block in _rows(value)) + tail)
    return made if "".join(made.write(blocks).split()) == "".join(text.split()) else None


def _block(block: Any) -> str:
    if not isinstance(block, dict):
        return _plain(block)
    return "\n".join(f"{key}: {_plain(value)}".rstrip(" ") for key, value in block.items())


def _word(text: str) -> Form | None:
    word = text.strip()
    return Form(word, _plain) if is_label("", word) else None


def _rows(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every part of a structure with the path to it, itself first."""
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from nodes(part, (*path, key))


def labels(value: Any) -> list[tuple[Path, Any]]:
    """The labels in a structure."""
    return [(path, leaf) for path, leaf in nodes(value) if is_label(_key(path), leaf)]


def _key(path: Path) -> str:
    """The name of the field that a path ends in, or of the list that holds it."""
    return path[-1] if path and isinstance(path[-1], str) else ""


def items(value: Any) -> list[tuple[Path, list[Any]]]:
    """The lists of answers in a structure: those with at least one label in each of most entries."""
    found = [(path, part) for path, part in nodes(value) if isinstance(part, list) and part]
    return [(path, part) for path, part in found if sum(bool(labels(entry)) for entry in part) * 2 > len(part)]


def asked(value: Any) -> list[tuple[Path, list[Any]]]:
    """The lists without labels: what a later question will be about, such as claims or sentences."""
    if labels(value):
        return []
    return [
        (path, part)
        for path, part in nodes(value)
        if isinstance(part, list) and part and not any(isinstance(entry, list) for entry in part)
    ]


_ALL_SITES = 6


def ends(count: int) -> list[int]:
    """Which of so many items or labels are sites: all of up to six, else the first, the middle and the last."""
    return list(range(count)) if count <= _ALL_SITES else [0, count // 2, count - 1]


def changed(value: Any, path: Path, new: Any) -> Any:
    """The structure with another part at a path."""
    if not path:
        return new
    made = copy.deepcopy(value)
    _owner(made, path)[path[-1]] = new
    return made


def without(value: Any, path: Path) -> Any:
    """The structure with nothing at a path, which must lead into it."""
    made = copy.deepcopy(value)
    del _owner(made, path)[path[-1]]
    return made


def with_entry(value: Any, path: Path, at: int, entry: Any) -> Any:
    """The structure with another entry in the list at a path."""
    made = copy.deepcopy(value)
    target = made
    for key in path:
        target = target[key]
    target.insert(at, copy.deepcopy(entry))
    return made


def all_flipped(value: Any) -> Any:
    """The structure with the opposite of every label."""
    from evalfixes.testing.labels import flipped

    for path, label in labels(value):
        value = changed(value, path, flipped(label))
    return value


def _owner(value: Any, path: Path) -> Any:
    for key in path[:-1]:
        value = value[key]
    return value
