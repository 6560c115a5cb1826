"""Metrics to audit: one that counts what it got, and one that wants every answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

POINTS = ("The first point.", "The second point.", "The third point.")
EXAMPLE = 'Answer as JSON: {"verdicts": [{"verdict": "yes"}]}'


def prompt(points: Sequence[str]) -> str:
    return "\n".join(["Is each of these points true?", *points, EXAMPLE])


def lenient(judge: Callable[[str], str]) -> tuple[float | None, bool]:
    """Drops what it cannot read: the kind of fault that an audit is for."""
    try:
        found = json.loads(judge(prompt(POINTS)))
        words = [entry.get("verdict") for entry in found["verdicts"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        words = []
    known = [word for word in words if word in ("yes", "no")]
    score = known.count("yes") / len(known) if known else 1.0
    return score, score >= 0.8


def strict(judge: Callable[[str], str]) -> tuple[float | None, bool]:
    """Takes exactly one plain answer per asked point, in a reply that is JSON or has JSON in a code block."""
    reply = judge(prompt(POINTS[:2]))
    found = re.fullmatch(r"\s*(?:```(?:json)?\n)?(\{.*\})(?:\n```)?\s*", reply, re.DOTALL)
    table: Any = json.loads(found[1], object_pairs_hook=_each_key_once) if found else {}
    verdicts = table.get("verdicts") if isinstance(table, dict) else None
    if not isinstance(verdicts, list) or len(verdicts) != 2:
        return None, False
    words = [entry.get("verdict") if isinstance(entry, dict) else None for entry in verdicts]
    if not all(word in ("yes", "no") for word in words):
        return None, False
    score = words.count("yes") / 2
    return score, score >= 0.8


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def one_word(judge: Callable[[str], str]) -> tuple[float | None, bool]:
    """Asks thrice for a word and goes by the majority of those that came."""
    votes = []
    for _ in range(3):
        try:
            votes.append(judge("Is it correct? Say yes or no."))
        except RuntimeError:
            continue
    return (votes.count("yes") / len(votes), votes.count("yes") * 2 > len(votes)) if votes else (None, False)
