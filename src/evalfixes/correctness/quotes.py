"""Whether a quote of the judge stands in the text it is said to be from.

Form does not matter: capitals, white space, typographic marks, emphasis, an ellipsis in the middle.
The words and numbers do: each must stand there whole and in order, so ``5`` is not found in ``1.5``,
nor ``valid`` in ``invalid``.
"""

from __future__ import annotations

import re
import unicodedata

_MARKS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´`", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_EMPHASIS = re.compile(r"(?<!\w)[*_~`]+|[*~`]+(?!\w)|(?<=\S)_+(?!\w)|\*\*")
_ELLIPSIS = re.compile(r"\.{3,}|…|\[\.\.\.\]|\[…\]")
_EDGE = " \t\n\"'.,;:!?()[]{}"


def found(quote: str, text: str) -> bool:
    """Whether a quote stands in a text.

    Args:
        quote: What the judge quotes; an ellipsis stands for words left out.
        text: Where it should be.

    Returns:
        True if all of it is there; False also for a quote without a letter or digit, unless it is
        the whole text.
    """
    haystack = _folded(text)
    pieces = [_folded(piece).strip(_EDGE) for piece in _ELLIPSIS.split(unicodedata.normalize("NFC", quote))]
    pieces = [piece for piece in pieces if piece]
    if not any(char.isalnum() for piece in pieces for char in piece):
        return bool(_folded(quote)) and _folded(quote) == haystack
    position = 0
    for piece in pieces:
        place = _find(piece, haystack, position)
        if place < 0:
            return False
        position = place + len(piece)
    return True


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_MARKS)
    plain = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return " ".join(_EMPHASIS.sub("", plain).casefold().split())


def _find(piece: str, text: str, start: int) -> int:
    place = text.find(piece, start)
    while place >= 0:
        if _whole(text, place, place + len(piece)):
            return place
        place = text.find(piece, place + 1)
    return -1


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch of the text neither begins nor ends inside a word or number."""
    before, after = text[:start], text[end:]
    if before and _joined(before[-1], text[start]):
        return False
    if after and _joined(text[end - 1], after[0]):
        return False
    if text[start].isdigit() and re.search(r"\d[.,]$|(?:^|[\s(])[-+]$", before):
        return False
    return not (text[end - 1].isdigit() and re.match(r"[.,]\d", after))


def _joined(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word; scripts without spaces have no such thing.

    A number ends before its unit: 15 stands in 15GB.
    """
    if left.isdigit() and right.isalpha():
        return False
    return left.isalnum() and right.isalnum() and left < "\u0e00" and right < "\u0e00"
