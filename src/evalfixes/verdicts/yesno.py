"""Reading a judge's yes/no verdict: one word, or the reason why there is none.

What a judge writes is read where its meaning is plain in spite of its form: capitals, bold, quotes,
backticks, brackets, a full stop, the booleans of JSON, a leading word followed by a reason. It is
not read where somebody would have to guess:

    read("**Yes**")                              "yes"
    read("No, it ignored the instruction.")      "no"
    read(True)                                   "yes"
    read("No doubt, yes it did")                 None: "no" belongs to "no doubt"
    read("No violation")                         None: of what the judge denies nothing is known here
    read("yes and no"), read("No. Yes.")         None: two answers
    read("Yes. False."), read("❌ yes")          None: two answers too
    read("violation"), read(1), read(None)       None: no word of the vocabulary

A leading word counts when it stands alone: at the end, before a mark of punctuation, or before a
word that begins a sentence of its own (``it``, ``the``, ``because``). "No" before anything else is
the article of a noun far too often ("no doubt", "no issues", "no longer").
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from enum import Enum
from typing import Any

YES_NO = ("yes", "no")
"""The vocabulary of most questions."""

ALIASES = {"idk": "borderline"}
"""Words of earlier prompts, and what they are called now."""

_OPENERS = r"(?:it|it's|its|because|since|as|the|this|that|these|those|there|they|he|she|we|you|i)\b"
_AFTER = re.compile(rf"\s*(?:$|[,.;:!(\n\u2013\u2014]|-+(?=\s|$)|\s{_OPENERS})")
_CLAUSE = re.compile(r"[,.;:!?()\[\]\n/|\u2013\u2014]+|\s-+\s|\s-+$|\b(?:and|or|but|however|although|though|yet)\b")
_FILLER = re.compile(
    r"^(?:(?:actually|also|well|wait|hold|on|then|rather|maybe|perhaps|probably|sorry|correction|hmm|so|"
    r"technically|partly|partially|strictly|i|mean|meant|say|would|should|must|be|is|was|it|its|it's|that|that's|"
    r"the|my|a|final|correct|right|real|actual|answer|verdict|in|way|sense|not|definitely|certainly|clearly|"
    r"doubt|without|about|for|sure|of|course)\s+)+"
)
_MARKUP = str.maketrans(
    "",
    "",
    "*_`\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
    "\u300c\u300d\u300e\u300f\u301d\u301e\u301f\u275b\u275c\u275d\u275e\ufe0f",
)
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](?=\w)")
_SIGNS = {"\u2705": "yes", "\u2714": "yes", "\U0001f44d": "yes", "\u274c": "no", "\u2716": "no", "\U0001f44e": "no"}
_BOOLEANS = {"true": "yes", "false": "no"}
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))


def read(raw: Any, allowed: Sequence[str] = YES_NO) -> str | None:
    """Reads one verdict.

    Args:
        raw: What stands in the judge's reply: usually a string, or a boolean of JSON.
        allowed: The vocabulary, lower case.

    Returns:
        A word of the vocabulary; None where the reply holds none, or not plainly.
    """
    if isinstance(raw, Enum):
        raw = raw.value
    if isinstance(raw, bool):
        word = "yes" if raw else "no"
        return word if word in allowed else None
    if not isinstance(raw, str):
        return None
    text = _plain(raw)
    bare = text.strip("".join(_SIGNS) + string.whitespace)
    before, _, after = text.partition(bare) if bare else (text, "", "")
    signs = {_SIGNS[char] for char in before + after if char in _SIGNS}
    boolean = _BOOLEANS.get(bare.rstrip(".!"))
    found = _leading(bare, allowed) if boolean is None else read(boolean == "yes", allowed)
    return found if signs <= {found} else None


def _plain(raw: str) -> str:
    """The text in lower case, without emphasis, quotes, invisible characters and enclosing brackets."""
    text = unicodedata.normalize("NFKC", raw)
    text = "".join(c for c in text if unicodedata.category(c) != "Cf").lower()
    text = _APOSTROPHE.sub("\0", text).translate(_MARKUP).replace("\0", "'").strip()
    for opening, closing in _BRACKETS:
        if text.startswith(opening) and text.endswith(closing) and re.fullmatch(r"[a-z]+", text[1:-1].strip()):
            text = text[1:-1].strip()
    return text


def _leading(text: str, allowed: Sequence[str]) -> str | None:
    match = re.match(r"[^\W\d_]+", text)
    if match is None:
        return None
    word = _known(match.group(), allowed)
    if word is None or not _AFTER.match(text, match.end()):
        return None
    for clause in _CLAUSE.split(text[match.end() :])[0:]:
        other = _answer(clause.strip(), allowed)
        if other is not None and other != word:
            return None
    return word


def _answer(clause: str, allowed: Sequence[str]) -> str | None:
    """The verdict that a later clause gives anew ("I mean no", "yes it did"), if it does."""
    text = _FILLER.sub("", clause + " ").strip()
    match = re.match(r"[^\W\d_]+", text)
    if match is None:
        return None
    rest = text[match.end() :].strip()
    if rest and not re.match(_OPENERS, rest):
        return None
    word = match.group()
    if word in _BOOLEANS and not rest:
        return _BOOLEANS[word]
    word = ALIASES.get(word, word)
    return word if word in (*allowed, *YES_NO, *ALIASES.values()) else None


def _known(word: str, allowed: Sequence[str]) -> str | None:
    word = ALIASES.get(word, word)
    return word if word in allowed else None
