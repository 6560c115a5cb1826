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

_OPTIONAL = re.compile(r"(?m)^[\s>*_#-]*\(?(?:\d+|[A-Za-z])[.)](?=\s)|(?<=\])\([^)\s]*\)|^\s*```\w*\s*$")


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
    optional = [match.span() for match in _OPTIONAL.finditer(text)]
    place = 0
    at = 0
    while at < len(text):
        span = optional[0] if optional and optional[0][0] == at else None
        if span is not None:
            optional.pop(0)
            inside = _letters(text[span[0] : span[1]])
            place += len(inside) if inside and told.startswith(inside, place) else 0
            at = max(at + 1, span[1]) if span[1] > span[0] else at + 1
            continue
        for char in _letters(text[at]):
            if place >= len(told) or told[place] != char:
                return " ".join(text[at : at + 80].split())
            place += 1
        at += 1
    return told[place : place + 80]


def _letters(text: str) -> str:
    """Letters and digits, in one spelling."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).casefold()
    return "".join(char for char in plain if char.isalnum())
