"""References: plain text, or the three blocks answer, acceptable variants and contradictions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that show nothing
_HEADER = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|[-*][ \t]+)?[*_]{0,2}"
    r"(answer|acceptable[ _](?:variants?|answers?)|variants?|contradictions?)"
    r"[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_KEYS = {
    "answer": "answer",
    "acceptable_variants": "variants",
    "acceptable_variant": "variants",
    "acceptable_answers": "variants",
    "acceptable_answer": "variants",
    "variants": "variants",
    "variant": "variants",
    "contradictions": "contradictions",
    "contradiction": "contradictions",
}


def is_blank(text: str | None) -> bool:
    """Whether a text shows nothing: None, white space, control and format characters, fillers."""
    return text is None or all(
        char in _INVISIBLE or unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Zs", "Cn", "Co") or char.isspace()
        for char in text
    )


@dataclass(frozen=True)
class Reference:
    """What is known to be right, and, if given, what is known to be wrong.

    Attributes:
        answer: The right answer.
        variants: Other answers that are just as right.
        contradictions: Statements that are known to be wrong.
    """

    answer: str
    variants: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether there is nothing that an answer could agree with."""
        return not self.right

    @property
    def right(self) -> tuple[str, ...]:
        """The answer and its variants, without blank ones."""
        return tuple(text for text in (self.answer, *self.variants) if not is_blank(text))

    @property
    def text(self) -> str:
        """The reference as the judge is shown it."""
        if not self.variants and not self.contradictions:
            return self.answer
        lines = ["Answer:", self.answer]
        for title, items in (("Acceptable variants:", self.variants), ("Contradictions:", self.contradictions)):
            if items:
                lines += ["", title, *(f"- {item}" for item in items)]
        return "\n".join(lines)


def parse(reference: Reference | str | Mapping[str, Any] | Iterable[str] | None) -> Reference:
    """Makes a reference of what a data set holds.

    Args:
        reference: Text; text with the three blocks, each begun by a line ``Answer:``,
            ``Acceptable variants:`` or ``Contradictions:``; a mapping with the keys ``answer``,
            ``acceptable_variants`` (or ``variants``) and ``contradictions``; or a list of answers,
            each of which is right.

    Returns:
        The reference; a blank one for None.

    Raises:
        TypeError: It is none of these.
        ValueError: A mapping has another key.
    """
    if reference is None:
        return Reference("")
    if isinstance(reference, Reference):
        return reference
    if isinstance(reference, str):
        return _from_text(reference)
    if isinstance(reference, Mapping):
        return _from_mapping(reference)
    if isinstance(reference, Iterable):
        items = _items(reference)
        return Reference(items[0], items[1:]) if items else Reference("")
    raise TypeError(f"a reference is text, a mapping or a list of texts, not {type(reference).__name__}")


def _from_text(text: str) -> Reference:
    headers = list(_HEADER.finditer(text))
    names = [_KEYS[header.group(1).lower().replace(" ", "_")] for header in headers]
    # One header is a line like any other; a text is in blocks if it begins with the answer and goes on.
    if len(set(names)) < 2 or len(set(names)) != len(names) or names[0] != "answer":
        return Reference(text)
    if not is_blank(text[: headers[0].start()]):
        return Reference(text)
    ends = [header.start() for header in headers[1:]] + [len(text)]
    blocks = {name: text[h.end() : end].strip() for name, h, end in zip(names, headers, ends, strict=True)}
    return Reference(blocks["answer"], _lines(blocks.get("variants", "")), _lines(blocks.get("contradictions", "")))


def _from_mapping(table: Mapping[str, Any]) -> Reference:
    blocks: dict[str, Any] = {}
    for key, value in table.items():
        name = _KEYS.get(str(key).strip().lower().replace(" ", "_"))
        if name is None or name in blocks:
            raise ValueError(f"a reference has answer, acceptable_variants and contradictions, not {key!r}")
        blocks[name] = value
    answer = blocks.get("answer")
    answers = _items(answer)
    return Reference(
        answers[0] if answers else "",
        (*answers[1:], *_items(blocks.get("variants"))),
        _items(blocks.get("contradictions")),
    )


def _items(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return () if is_blank(value) else (value,)
    if isinstance(value, (int, float)):
        return (str(value),)
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return tuple(item for entry in value for item in _items(entry))
    raise TypeError(f"a block of a reference is text or a list of texts, not {type(value).__name__}")


def _lines(text: str) -> tuple[str, ...]:
    items = (_BULLET.sub("", line).strip() for line in text.splitlines())
    return tuple(item for item in items if not is_blank(item))
