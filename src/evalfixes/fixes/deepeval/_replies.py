"""What a judge of deepeval's replied, and the verdict objects that are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from evalfixes.fixes.deepeval._families import MARK_ALL_BROKEN, MARK_BROKEN, MARKS, UNCOUNTED
from evalfixes.verdicts.lists import Answer
from evalfixes.verdicts.yesno import read


@dataclass
class Cell:
    """Where the reading of one raw reply is left, for the call that asked.

    Attributes:
        seen: Whether a raw reply (JSON, not a schema object) was read at all.
        entries: Its verdicts as they came; None where it has no list of verdicts.
        text: The reply, shortened, for messages.
        broken: Whether upstream would raise an error over it.
    """

    seen: bool = False
    entries: list[Any] | None = None
    text: str = ""
    broken: bool = False


cell: ContextVar[Cell | None] = ContextVar("evalfixes_deepeval_cell", default=None)
"""Open while a call that wants the raw reply is under way; without it upstream's readers act as ever."""


@dataclass
class Reply:
    """One reply of the judge.

    Attributes:
        found: What upstream made of it, where it was no raw JSON: verdict objects.
        cell: The raw reply.
        error: What upstream raised because the reply is invalid.
    """

    found: Any = None
    cell: Cell = field(default_factory=Cell)
    error: ValueError | None = None

    @property
    def entries(self) -> list[Any] | None:
        """The verdicts as they came; None where there is no list of them."""
        if self.error is not None:
            return None
        return self.cell.entries if self.cell.seen else list(self.found or ())


@dataclass(frozen=True)
class Again:
    """Stands for the prompt where upstream makes it itself.

    Attributes:
        missing: Places of the verdicts to ask for again; empty at first.
        count: How many verdicts there were.
    """

    missing: Sequence[int] = ()
    count: int = 0


@dataclass
class StandIn:
    """A verdict in place of a missing one, where upstream has no class for it at hand."""

    verdict: str
    reason: str

    def __str__(self) -> str:
        return f"verdict={self.verdict!r} reason={self.reason!r}"


class Reader:
    """Makes verdict objects of one class, the way upstream would.

    Args:
        verdict_cls: The class of a verdict.
        word: The class of its word: upstream's enum, or `str` in the releases before there was one.
        allowed: The vocabulary.
    """

    def __init__(self, verdict_cls: Any, word: Any, allowed: Sequence[Any]) -> None:
        self._verdict = word
        self._cls = verdict_cls
        self._allowed = tuple(str(getattr(word, "value", word)) for word in allowed)
        self.broke = False  # whether upstream would have raised an error over something that was read

    def verdict(self, entry: Any) -> Any:
        """The verdict object of one entry; None where it is unusable."""
        if isinstance(entry, dict):
            word = read(entry.get("verdict"), self._allowed)
            try:
                found = self._cls(**{**entry, "verdict": self._verdict(word or self._allowed[0])})
            except (ValueError, TypeError):  # another field is missing or of the wrong kind
                self.broke = True
                return None
            return found if word else None
        if not hasattr(entry, "verdict"):
            self.broke = self.broke or entry is not None or self._cls is not None
            return None
        word = read(getattr(entry, "verdict", None), self._allowed)
        if word is None:
            return None
        if entry.verdict == word or (self._verdict is str and entry.verdict.strip().lower() == word):
            return entry
        return entry.model_copy(update={"verdict": self._verdict(word)})

    def answer(self, entry: Any) -> Answer:
        """The entry as `evalfixes.verdicts.lists` wants it."""
        found = self.verdict(entry)
        texts = entry if isinstance(entry, dict) else {}
        echoes = tuple(v for k, v in texts.items() if k not in ("verdict", "reason") and isinstance(v, str))
        return Answer(word_of(found), echoes)

    def stand_in(self, word: str, mark: str) -> Any:
        """A verdict object in place of a missing one."""
        if self.broke and mark in MARKS:
            mark = MARK_ALL_BROKEN if mark in UNCOUNTED else MARK_BROKEN
        if self._cls is None:
            return StandIn(word, mark)
        blank = {name: "" for name, info in self._cls.model_fields.items() if info.is_required()}
        return self._cls.model_construct(**{**blank, "verdict": self._verdict(word), "reason": mark})


def word_of(verdict: Any) -> str | None:
    """A verdict object's word, lower case; None where there is no verdict."""
    return None if verdict is None else str(getattr(verdict.verdict, "value", verdict.verdict)).strip().lower()


def shape_of(entries: list[Any] | None) -> str:
    """A reply's content, to tell one that was merely repeated."""
    return repr(entries)
