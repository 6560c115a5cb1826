"""Tells a model's answer from the reasoning that some models write in front of it as plain text."""

from __future__ import annotations

import re

_OPENING = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSING_LINE = re.compile(r"</(?:think|thinking)>[ \t]*(?:\r?\n|$)", re.IGNORECASE)


def answer_only(text: str) -> str:
    """The text without a reasoning block at its start.

    Models served without a reasoning parser write ``<think>…</think>`` before their answer, or only
    the closing tag, where the prompt's template holds the opening one. A block that was never
    closed was cut off before there was an answer.
    """
    opening = _OPENING.match(text)
    if opening is not None:
        closing = re.compile(rf"</{opening.group(1)}>", re.IGNORECASE).search(text, opening.end())
        return text[closing.end() :] if closing is not None else ""
    closing = _CLOSING_LINE.search(text)
    if closing is None or "<think" in text[: closing.start()].lower():
        return text
    return text[closing.end() :]
