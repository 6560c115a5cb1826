"""Whether the segments of a response are the response: nothing left out, nothing made up.

Compared are letters and digits in order. Markdown, bullets, tables, quotes, white space and case never
count against a segmenter; numbers that only number a list, and addresses behind a link's text, may be
left out.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence

_NUMBERED = re.compile(r"(?m)^[\s>*_#-]*\(?(\d{1,3}|[A-Za-z])[.)](?=\s)")
_MARKUP = re.compile(r"(?m)(?<=\])\([^)\s]*\)|^\s*```\w*\s*$")


def uncovered(response: str, segments: Sequence[str]) -> str:
    """The first words of a response that its segments do not give.

    Args:
        response: The response.
        segments: Its segments, in the segmenter's order.

    Returns:
        An excerpt from where the two part; empty if the segments cover the response.
    """
    told = _letters("\n".join(segments))
    text = html.unescape(response)
    optional = {start: end for start, end in _optional(text) if end > start}
    places = {0}  # how much of the segments may be used up: what is optional can be there or not
    skipped: dict[int, set[int]] = {}
    for at in range(len(text)):
        places |= skipped.pop(at, set())
        if at in optional:
            skipped.setdefault(optional[at], set()).update(places)
        for char in _letters(text[at]):
            places = {place + 1 for place in places if place < len(told) and told[place] == char}
        if not places and not skipped:
            return " ".join(text[at : at + 80].split())
    places |= skipped.pop(len(text), set())
    if len(told) in places:
        return ""
    return told[max(places) :][:80] if places else " ".join(text[-80:].split())


def _optional(text: str) -> list[tuple[int, int]]:
    """Stretches that a segmenter may leave out: markup, and what numbers the items of a list."""
    items = [(match.span(), match[1].casefold()) for match in _NUMBERED.finditer(text)]
    marks = {mark for _, mark in items}
    found = [span for span, mark in items if mark in ("1", "a") or marks & _neighbours(mark)]
    return found + [match.span() for match in _MARKUP.finditer(text)]


def _neighbours(mark: str) -> set[str]:
    """The marks of the list items before and after this one."""
    return {str(int(mark) + step) if mark.isdigit() else chr(ord(mark) + step) for step in (-1, 1)}


def _letters(text: str) -> str:
    """Letters and digits, in one spelling."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).casefold()
    return "".join(char for char in plain if char.isalnum())
