"""The shape of a judge's reply, against what it was asked about.

Whether a reply is *complete* is told by plain means of our own, the form that its prompt asks for,
and not by the readers of evalfixes; whether an odd one is understood, by those.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from evalfixes.correctness import reference
from evalfixes.correctness import reply as claims
from evalfixes.verdicts import critique, rubrics, sentences, yesno
from evalfixes.verdicts.segments import uncovered

COMPLETE = "complete"
ODD = "odd but plain"
LEFT_OUT = "item without answer"
EXTRA = "extra"
UNREADABLE = "unreadable"
SHAPES = (COMPLETE, ODD, LEFT_OUT, EXTRA, UNREADABLE)
"""In this order: all in the form asked for; all understood in another form; some items have no usable answer;
all have one, and things that nobody asked about stand beside them; no usable answer at all."""
USABLE = (COMPLETE, ODD, EXTRA)
"""Shapes that give the evidence for a score."""

LABELS = ("supported", "unsupported", "contradictory", "disputed", "not_applicable")
_BLOCK = re.compile(
    r"sentence:(.*)\nlabel:(.*)\nrationale:.*\nsupporting_excerpt:.*\ncontradicting_excerpt:.*", re.IGNORECASE
)
_BLANKS = re.compile(r"\s+|</?sentence>")
_RUBRIC = re.compile(r"ID:(.*)\nProperty:.*\n(?:Evidence:.*\n)?Rationale:.*\nVerdict:(.*)", re.IGNORECASE)


def counted(items: int, answered: int, strict: bool, extra: bool) -> str:
    """The shape by how many items have a usable answer."""
    if not answered:
        return UNREADABLE
    if answered < items:
        return LEFT_OUT
    if extra:
        return EXTRA
    return COMPLETE if strict else ODD


def segmented(reply: str) -> list[str]:
    """The segments that google-adk finds in a reply."""
    return re.findall(r"<sentence>(.*?)</sentence>", reply, re.DOTALL)


def segments(reply: str, answer: str) -> str:
    """A segmenter's reply; its items are the words of the answer."""
    found = segmented(reply)
    if not found:
        return UNREADABLE
    if not uncovered(answer, found):
        return COMPLETE if not _outside(reply, r"<sentence>.*?</sentence>") else ODD
    folded = " ".join(answer.split()).casefold()
    return LEFT_OUT if all(" ".join(one.split()).casefold() in folded for one in found) else UNREADABLE


def labels(reply: str, asked: Sequence[str]) -> str:
    """A sentence validator's reply."""
    reading = sentences.read(reply, asked)
    blocks = [(sentence.strip(), label.strip()) for sentence, label in _BLOCK.findall(reply)]
    strict = [sentence for sentence, _ in blocks] == [sentence.strip() for sentence in asked]
    strict = strict and all(label in LABELS for _, label in blocks)
    answered = sum(answer.label is not None for answer in reading.answers)
    return counted(len(asked), answered, strict, bool(reading.extra))


def merged(reply: str, asked: Sequence[str]) -> bool:
    """Whether a block stands for several sentences together: its label says nothing certain of each."""
    told = [_BLANKS.sub(" ", sentence).strip() for sentence in re.findall(r"sentence:(.*)\nlabel:", reply)]
    pairs = [f"{first} {second}" for first, second in pairwise(asked)]
    return any(pair in one for pair in pairs for one in told)


def match(reply: str) -> str:
    """A reply of final_response_match_v2's judge: one item."""
    verdict = critique.read(reply, "is_the_agent_response_valid", "is_the_agent_response_invalid")
    try:
        table = json.loads(reply)
    except ValueError:
        table = None
    strict = isinstance(table, dict) and table.get("is_the_agent_response_valid") in ("valid", "invalid")
    return counted(1, int(verdict is not None), strict, extra=False)


def rubric(reply: str, asked: Sequence[tuple[str, str]]) -> str:
    """A reply of a rubric metric's judge."""
    answers = rubrics.read(reply, asked)
    blocks = [(name.strip(), verdict.strip()) for name, verdict in _RUBRIC.findall(reply)]
    names = [name for name, _ in asked]
    strict = sorted(name for name, _ in blocks) == sorted(names) and all(v in ("yes", "no") for _, v in blocks)
    extra = any(name not in names for name, _ in blocks)
    return counted(len(asked), sum(answer.score is not None for answer in answers.values()), strict, extra)


def correctness(reply: str, answer: str, note: str, question: str) -> str:
    """A reply of correctness_v1's judge: all its claims, or none."""
    try:
        found = claims.read(reply, answer, reference.parse(note), [question])
    except claims.UnreadableError:
        return UNREADABLE
    if not found:
        return UNREADABLE
    return COMPLETE if reply.strip().startswith("{") and reply.strip().endswith("}") else ODD


class Repeated(dict[str, Any]):
    """An object of JSON in which a name stands twice with different values."""


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if all(made[name] == value for name, value in pairs) else Repeated(made)


def table_of(reply: str) -> Any:
    """The JSON that deepeval finds: from the first brace to the last; None if that is none."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        return json.loads(re.sub(r",\s*([\]}])", r"\1", reply[start : end + 1]), object_pairs_hook=_table)
    except ValueError:
        return None


def verdicts(reply: str, items: int) -> str:
    """A list of verdicts of one of deepeval's metrics."""
    table = table_of(reply)
    entries = table.get("verdicts") if isinstance(table, dict) else None
    if not isinstance(entries, list):
        return UNREADABLE
    words = [_word(entry) for entry in entries]
    strict = all(isinstance(entry, dict) and entry.get("verdict") in ("yes", "no", "borderline") for entry in entries)
    strict = strict and reply.strip()[:1] == "{" and reply.strip()[-1:] == "}"
    usable = sum(word is not None for word in words)
    if len(words) > items and usable == len(words):
        return EXTRA if items else UNREADABLE
    return counted(items, usable if len(words) >= items else min(usable, items - 1), strict, extra=False)


def _word(entry: Any) -> str | None:
    if not isinstance(entry, dict) or isinstance(entry, Repeated):
        return None
    return yesno.read(entry.get("verdict"), ("yes", "no", "borderline", "idk"))


def texts(reply: str, key: str) -> str:
    """A list of texts that a metric of deepeval asks for first."""
    table = table_of(reply)
    found = table.get(key) if isinstance(table, dict) else None
    good = isinstance(found, list) and all(isinstance(one, str) for one in found)
    return COMPLETE if good else UNREADABLE


def score(reply: str) -> str:
    """A reply of GEval's judge."""
    table = table_of(reply)
    number = table.get("score") if isinstance(table, dict) else None
    good = isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number <= 10
    return COMPLETE if good and not isinstance(table, Repeated) else UNREADABLE


def _outside(reply: str, pattern: str) -> bool:
    """Whether a reply says anything beside what fits a pattern."""
    return bool(re.sub(pattern, "", reply, flags=re.DOTALL).strip())
