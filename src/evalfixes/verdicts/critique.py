"""Reads a judge's verdict from a reply that ought to be a small JSON object with one label.

The last verdict of a reply counts: what stands before it is a draft. If the last one is not plain,
there is no verdict; a draft never takes its place.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from evalfixes.verdicts.hedges import explains, retracts

_SMART = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "´": "'"})
_GOOD = {"valid", "true"}
_BAD = {"invalid", "false", "almost", "partially valid", "partially", "not valid"}
_LABEL_WORDS = re.compile(
    r"\b(?:valid|invalid|true|false|almost|partial\w*|partly|mostly|somewhat|nearly|but|however|except|unless|yes|no|"
    r"wait|actually|or)\b"
)
_QUOTES = "\"'`"


def read(reply: str, key: str, inverted_key: str = "") -> bool | None:
    """The verdict of a reply.

    Args:
        reply: The judge's text.
        key: The field asked for, such as ``is_the_agent_response_valid``.
        inverted_key: A field that judges write instead, with the opposite meaning; empty if there
            is none.

    Returns:
        True for valid, False for invalid, None if the reply has no plain verdict.
    """
    text = unicodedata.normalize("NFC", reply).translate(_SMART).replace("\\_", "_").replace("\r", "\n")
    last: list[bool | None] = []
    behind = 0
    for _, end, values in _objects(text, key, inverted_key):
        last, behind = values, end
    later = _fields(text[behind:], key, inverted_key)
    verdicts = set(later or last)
    if len(verdicts) != 1:
        return None
    verdict = verdicts.pop()
    if not later and _reconsiders(text[behind:], verdict):
        return None
    return verdict


def _reconsiders(text: str, verdict: bool | None) -> bool:
    """Whether what a judge wrote behind its JSON takes the verdict back."""
    return retracts(text) or (verdict is True and _OTHERWISE.search(text) is not None)


_OTHERWISE = re.compile(
    r"\b(?:is|was|be|as)\s+(?:invalid|not\s+valid|incorrect|wrong|only\s+partially\s+valid)\b", re.IGNORECASE
)


def _objects(text: str, key: str, inverted_key: str) -> Iterator[tuple[int, int, list[bool | None]]]:
    """Well-formed JSON in the text that has the field: its place and all verdicts in it."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs)
    position = 0
    while (found := re.compile(r"[\[{]").search(text, position)) is not None:
        try:
            value, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            position = found.start() + 1
            continue
        values = list(_verdicts(value, key, inverted_key))
        if values:
            yield found.start(), end, values
        position = max(end, found.start() + 1)


class _Pairs(list[tuple[str, Any]]):
    """An object with all its fields, repeated ones included."""


def _verdicts(value: Any, key: str, inverted_key: str) -> Iterator[bool | None]:
    if isinstance(value, _Pairs):
        for name, inner in value:
            meaning = _meaning(name, key, inverted_key)
            if meaning is None:
                yield from _verdicts(inner, key, inverted_key)
            else:
                yield _value(inner, meaning)
    elif isinstance(value, list):
        for inner in value:
            yield from _verdicts(inner, key, inverted_key)


def _meaning(name: str, key: str, inverted_key: str) -> bool | None:
    """True for the field asked for, False for the inverted one, None for another."""
    folded = name.strip().strip("*`_").casefold()
    if folded == key.strip("_"):
        return True
    return False if inverted_key and folded == inverted_key else None


def _value(value: Any, meaning: bool) -> bool | None:
    if isinstance(value, bool):
        return value == meaning
    if isinstance(value, str):
        return label(value, meaning)
    if isinstance(value, list) and not isinstance(value, _Pairs) and value:
        inner = {_value(item, meaning) for item in value}
        return inner.pop() if len(inner) == 1 else None
    return None


def label(word: str, meaning: bool = True) -> bool | None:
    """The verdict that a label stands for.

    Args:
        word: The label as the judge wrote it.
        meaning: False if the field asks the opposite question (whether the response is *invalid*).

    Returns:
        True for valid, False for invalid, None for any other word.
    """
    plain = unicodedata.normalize("NFKC", word).translate(_SMART).casefold()
    plain = re.sub(r"[*`\"'\[\](){}<>]", " ", plain).replace("_", " ")
    plain = re.sub(r"\s+", " ", plain).strip(" .!,;:")
    head, mark, rest = plain, "", ""
    parted = re.match(r"^([a-z ]+?)\s*([,;.:]|\s-+|–|—|\sbecause\b|\ssince\b)\s*(.+)$", plain)
    if parted is not None:
        head, mark, rest = parted.groups()
    if mark and (_LABEL_WORDS.search(rest) or retracts(rest)):
        return None
    good, bad = (_GOOD, _BAD) if meaning else ({"false", "valid"}, {"true", "invalid", "partially valid", "not valid"})
    if head in good and mark and not explains(f"because {rest}" if mark in ("because", "since") else rest):
        return None
    return True if head in good else False if head in bad else None


def _fields(text: str, key: str, inverted_key: str) -> list[bool | None]:
    """The verdicts of the last stretch of text that has the field, JSON or not."""
    names = "|".join(re.escape(name) for name in (key, inverted_key) if name)
    pattern = re.compile(rf"(?<![\w]){_Q}({names}){_Q}\s*[:=：]{_Q.replace('`', '')}?\s*", re.IGNORECASE)
    found = list(pattern.finditer(text))
    if not found:
        return []
    last = found[-1]
    opened = text.rfind("{", 0, last.start())
    if text.rfind("}", 0, last.start()) > opened:
        opened = -1
    group = [match for match in found if match.start() >= opened >= 0] if opened >= 0 else _neighbours(text, found)
    return [
        _scalar(text[match.end() :], _meaning(match.group(1), key, inverted_key) is True, opened >= 0)
        for match in group
    ]


_Q = r"[\"'`*\\]*"


def _neighbours(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """The last field and those just before it with no words of reconsideration in between."""
    group = [found[-1]]
    for match in reversed(found[:-1]):
        between = text[match.end() : group[0].start()]
        if "\n" in between.strip() or len(re.findall(r"\w+", between)) > 3:
            break
        group.insert(0, match)
    return group


def _scalar(rest: str, meaning: bool, in_object: bool) -> bool | None:
    """The verdict of the value at the start of the text; None if it was cut off."""
    text = rest.lstrip()
    brackets = text[:1] == "["
    text = text.lstrip("[ \t\n")
    quote = text[:1]
    if quote and quote in _QUOTES:
        close = text.find(quote, 1)
        if close < 0:
            return None
        word, after = text[1:close], text[close + 1 :]
        after = after.lstrip("*` \t")
        if brackets and after.lstrip().startswith(","):
            return None
        after = after.lstrip("] ")
        if in_object and not re.match(r"\s*[,\n}]", after):
            return None
        return label(word, meaning)
    end = re.search(r"\]" if brackets else r"[\n}]", text)
    if end is None:
        return None if in_object or brackets else label(text, meaning)
    word = text[: end.start()]
    if "," in word and in_object and re.search(r",\s*[\"'`]?\w+[\"'`]?\s*:", word):
        word = word[: word.index(",")]
    return label(word.rstrip(", \t"), meaning)
