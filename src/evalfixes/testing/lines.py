"""Changes to a reply that need to know nothing of its form: lines, cuts, prose around it.

Each takes a text and gives pairs of a site in words and a changed text.
"""

from __future__ import annotations

from collections.abc import Iterator

MARKS = (("**", "**"), ("`", "`"), ("- ", ""), ("> ", ""), ('"', '"'))
"""Decorations of a line: what is put in front of it, and behind."""

_LEAST = 12
"""Up to so many lines, each is a site; of longer replies a few."""


def _places(text: str) -> list[int]:
    found = [number for number, line in enumerate(text.split("\n")) if line.strip()]
    if len(found) <= 1:
        return []
    step = max(1, len(found) // _LEAST)
    return found[::step]


def drop(text: str, at: int) -> str:
    """The text without a line."""
    rows = text.split("\n")
    del rows[at]
    return "\n".join(rows)


def insert(text: str, at: int, line: str) -> str:
    """The text with one more line."""
    rows = text.split("\n")
    rows.insert(at, line)
    return "\n".join(rows)


def mark(text: str, at: int, front: str, behind: str) -> str:
    """The text with one line decorated."""
    rows = text.split("\n")
    rows[at] = f"{front}{rows[at]}{behind}"
    return "\n".join(rows)


def dropped(text: str) -> Iterator[tuple[str, str]]:
    """Without one line."""
    for at in _places(text):
        yield f"without line {at + 1}", drop(text, at)


def repeated(text: str) -> Iterator[tuple[str, str]]:
    """With one line twice."""
    for at in _places(text):
        yield f"line {at + 1} twice", insert(text, at, text.split("\n")[at])


def cuts(text: str) -> Iterator[tuple[str, str]]:
    """Ended early: by quarters, and behind each comma, bracket or line near the middle and the end."""
    ends = {len(text) * part // 4 for part in (1, 2, 3)} | {len(text) - 1}
    marks = [at + 1 for at, letter in enumerate(text) if letter in ",}]\n"]
    ends |= {at for at in (*marks[-4:], *marks[len(marks) // 2 :][:2]) if at < len(text)}
    for end in sorted(ends):
        if 0 < end < len(text) and text[:end].strip() != text.strip():
            yield f"cut off after {end} of {len(text)} characters", text[:end]


def fenced(text: str) -> Iterator[tuple[str, str]]:
    """In a code block, with and without a language."""
    tag = "json" if text.lstrip()[:1] in ("{", "[") else ""
    for name in dict.fromkeys((tag, "")):
        yield f"```{name}", f"```{name}\n{text}\n```"


def in_prose(text: str) -> Iterator[tuple[str, str]]:
    """With harmless prose before, behind and around it."""
    front, behind = "Here is my evaluation.\n\n", "\n\nThat is all I have to say on this."
    yield "before", front + text
    yield "behind", text + behind
    yield "around", front + text + behind


def spaced(text: str) -> Iterator[tuple[str, str]]:
    """With white space around it."""
    yield "", f"\n\n{text}\n\n"
