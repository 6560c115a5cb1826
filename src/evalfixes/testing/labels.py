"""Which values of a judge's reply are labels, and what the opposite of one is."""

from __future__ import annotations

import re
from typing import Any

_PAIRS = (
    ("yes", "no"),
    ("true", "false"),
    ("valid", "invalid"),
    ("supported", "unsupported"),
    ("supported", "contradictory"),
    ("supported", "disputed"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("correct", "incorrect"),
    ("relevant", "irrelevant"),
    ("good", "bad"),
    ("yes", "idk"),
    ("y", "n"),
    ("c", "i"),
    ("a", "d"),
    ("1", "0"),
)
_OPPOSITE = {
    **{bad: good for good, bad in reversed(_PAIRS)},
    **dict(reversed(_PAIRS)),
}
_KEY = re.compile(r"verdict|label|score|grade|choice|rating|valid|correct|relevant|attributed|supported|passed", re.I)
_TEXT_KEY = re.compile(
    r"reason|rationale|explanation|statement|text|sentence|claim|property|evidence|excerpt|quote|comment|note|name"
    r"|^id$|_id$|index|item|question$",
    re.I,
)
_WORDS = 3
"""A label has at most as many words."""


def is_label(key: str, value: Any) -> bool:
    """Whether a value of a reply is a label: the judge's answer itself, not its reason or what it is about.

    Args:
        key: The name of the field that holds it; empty for a value of a list.
        value: The value.
    """
    if isinstance(value, (dict, list)) or value is None or _TEXT_KEY.search(key):
        return False
    if isinstance(value, (bool, int, float)):
        return True
    word = str(value).strip().lower()
    if _KEY.search(key):
        return len(word.split()) <= _WORDS
    return word in _OPPOSITE and len(word) > 1  # a letter or digit alone may be anything


def is_about(key: str, value: Any) -> bool:
    """Whether a field may say which item an answer is about."""
    return isinstance(value, (str, int)) and not is_label(key, value) and not re.search("reason|rationale", key, re.I)


def flipped(label: Any) -> Any:
    """The opposite of a label, in its own form; the label itself where none is known."""
    if isinstance(label, bool):
        return not label
    if isinstance(label, (int, float)):
        top = next((top for top in (1, 5, 10, 100) if 0 <= label <= top), None)
        return label if top is None else (6 - label if top == 5 else top - label)
    word = str(label).strip()
    other = _OPPOSITE.get(word.lower())
    if other is None:
        return label
    return other.upper() if word.isupper() else other.capitalize() if word[:1].isupper() else other
