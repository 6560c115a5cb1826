"""Asking deepeval's judge for verdicts until there is one usable verdict per item, or no hope of it.

The conversation itself (`list_of_verdicts`, `single_verdict`) is a generator that yields prompts and
receives replies; `run` and `a_run` drive it on the two call paths, so both decide alike.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from evalfixes.fixes.deepeval._families import MARK, MARK_ALL, MARK_BROKEN, MARKS, Family, is_mark
from evalfixes.fixes.deepeval._families import of as family_of
from evalfixes.fixes.deepeval._unscored import unscored
from evalfixes.runtime import options
from evalfixes.verdicts.lists import Answer, assign, at_least
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

counting: ContextVar[bool] = ContextVar("evalfixes_deepeval_counting", default=False)
"""Whether a list of another length than the items is incomplete."""


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


def run(dialogue: Generator[Any, Reply, Any], ask: Callable[[Any], Any]) -> Any:
    """Drives a conversation on the synchronous path."""
    prompt = next(dialogue)
    while True:
        reply = Reply()
        token = cell.set(reply.cell)
        try:
            reply.found = ask(prompt)
        except ValueError as error:
            reply.error = error
        finally:
            cell.reset(token)
        try:
            prompt = dialogue.send(reply)
        except StopIteration as done:
            return done.value


async def a_run(dialogue: Generator[Any, Reply, Any], ask: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    """Drives a conversation on the asynchronous path."""
    prompt = next(dialogue)
    while True:
        reply = Reply()
        token = cell.set(reply.cell)
        try:
            reply.found = await ask(prompt)
        except ValueError as error:
            reply.error = error
        finally:
            cell.reset(token)
        try:
            prompt = dialogue.send(reply)
        except StopIteration as done:
            return done.value


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
        return Answer(_word(found), echoes)

    def stand_in(self, word: str, mark: str) -> Any:
        """A verdict object in place of a missing one."""
        if self.broke and mark in MARKS:
            mark = MARK_BROKEN
        if self._cls is None:
            return StandIn(word, mark)
        blank = {name: "" for name, info in self._cls.model_fields.items() if info.is_required()}
        return self._cls.model_construct(**{**blank, "verdict": self._verdict(word), "reason": mark})


def list_of_verdicts(
    reader: Reader, metric: Any, prompt: Any, items: Sequence[Any] | None
) -> Generator[Any, Reply, list[Any]]:
    """The conversation for a list of verdicts.

    Args:
        reader: Reads its verdicts.
        metric: The metric that asks.
        prompt: Upstream's prompt, or an `Again`.
        items: What is asked about, as far as upstream says.

    Returns:
        As many verdicts as items, or as the judge gave; stand-ins for the missing ones.
    """
    family = family_of(metric)
    known = items is not None and family is not None and family.counted and counting.get()
    reply = yield prompt
    reader.broke = reply.cell.broken
    if items is not None and not items:  # nothing to judge
        return _as_upstream(reader, reply)
    first = _Known(reader, reply, items or ()) if known else _Free(reader, reply, items, family)
    for _ in range(options.current.rejudge):
        if first.complete:
            break
        reply = yield first.prompt(prompt)
        _forget_error(metric)
        first.add(reply, family)
    if first.complete:
        return first.verdicts
    if first.error is not None:
        _note_error(metric, first.error)
        raise first.error
    if family is None:
        unscored(metric, f"the judge's reply has verdicts missing: {reply.cell.text or '(no text)'}")
    return first.filled(family)


def _as_upstream(reader: Reader, reply: Reply) -> list[Any]:
    if reply.error is not None:
        raise reply.error
    found = [reader.verdict(entry) for entry in reply.entries or ()]
    return [verdict for verdict in found if verdict is not None]


class _Known:
    """A reply about items whose number is known."""

    def __init__(self, reader: Reader, reply: Reply, items: Sequence[Any]) -> None:
        self.reader = reader
        self.items = items
        self.texts = [item if isinstance(item, str) else "" for item in items]
        self.error = reply.error
        self.slots: list[Any] = [None] * len(items)
        self.loose: list[Any] = []
        entries = reply.entries
        self.seen = [_shape(entries)]
        if entries:
            self._place(entries, range(len(items)))

    def _place(self, entries: list[Any], asked: Sequence[int]) -> None:
        answers = [self.reader.answer(entry) for entry in entries]
        found = assign(answers, [self.texts[i] for i in asked])
        if not found.matched and len(entries) == len(self.items):
            asked = range(len(self.items))
            found = assign(answers, self.texts)
        if not found.matched:
            self.loose = self.loose or [self.reader.verdict(entry) for entry in entries]
            return
        for i, k in zip(asked, found.answer_of, strict=True):
            if k is not None and self.slots[i] is None:
                self.slots[i] = self.reader.verdict(entries[k])

    @property
    def complete(self) -> bool:
        return all(slot is not None for slot in self.slots)

    @property
    def verdicts(self) -> list[Any]:
        return self.slots

    def prompt(self, prompt: Any) -> Any:
        """Upstream's prompt, for what is missing only."""
        self.asked = [i for i, slot in enumerate(self.slots) if slot is None]
        if not isinstance(prompt, str):
            return prompt
        listed = "\n".join(f"{n}. {self.items[i]}" for n, i in enumerate(self.asked, 1))
        return (
            f"{prompt}\n\nYour last answer to this was incomplete. Answer once more, in the same JSON format, for "
            f"these {len(self.asked)} only: exactly {len(self.asked)} verdicts, in this order, each with one word "
            f"of the vocabulary as its verdict.\n{listed}\n\nJSON:\n"
        )

    def add(self, reply: Reply, family: Family | None) -> None:
        """Takes what a further reply answers of what is missing."""
        if reply.error is not None:
            return
        entries = reply.entries
        shape = _shape(entries)
        if not entries or shape in self.seen:  # a judge that repeats itself has not answered
            self.error = None
            self.seen.append(shape)
            return
        self.seen.append(shape)
        self.error = None
        loose, self.loose = self.loose, []
        before = [slot is not None for slot in self.slots]
        self._place(entries, self.asked)
        if family is not None and loose:
            self._keep_bad(loose, family, before)
        if not any(slot is not None for slot in self.slots):
            self.loose = loose or self.loose

    def _keep_bad(self, loose: list[Any], family: Family, before: list[bool]) -> None:
        """A bad verdict that could not be placed is not talked away by asking again."""
        certain = at_least([_word(verdict) for verdict in loose], family.bad, len(self.items))
        bad = sum(1 for slot in self.slots if _word(slot) == family.bad)
        for i in reversed(range(len(self.slots))):
            if bad >= certain:
                return
            if self.slots[i] is not None and not before[i] and _word(self.slots[i]) != family.bad:
                self.slots[i] = None
                bad += 1

    def filled(self, family: Family) -> list[Any]:
        """The verdicts, with stand-ins for the missing ones."""
        filled = [slot if slot is not None else self.reader.stand_in(family.bad, MARK) for slot in self.slots]
        if self.loose and not family.ranked and all(map(is_mark, filled)):
            # Which items were answered is not known, but to a share it matters only how many were. Of
            # more answers than items, a good one may be the one too many.
            certain = at_least([_word(verdict) for verdict in self.loose], family.bad, len(self.items))
            usable = [verdict for verdict in self.loose if _word(verdict) == family.bad][:certain]
            if len(self.loose) <= len(self.items):
                usable += [verdict for verdict in self.loose if _word(verdict) not in (None, family.bad)]
            filled[: len(usable)] = usable
        return filled


class _Free:
    """A reply whose number of verdicts is the judge's to choose, or is not looked at."""

    def __init__(self, reader: Reader, reply: Reply, items: Sequence[Any] | None, family: Family | None) -> None:
        self.reader = reader
        self.items = items
        self.may_be_empty = family is None or not counting.get()
        self.error = reply.error
        entries = reply.entries
        self.lists = isinstance(entries, list)
        self.slots = [reader.verdict(entry) for entry in entries or ()]
        self.seen = [_shape(entries)]

    @property
    def complete(self) -> bool:
        if not self.lists or any(slot is None for slot in self.slots):
            return False
        return bool(self.slots) or self.may_be_empty

    @property
    def verdicts(self) -> list[Any]:
        return self.slots

    def prompt(self, prompt: Any) -> Any:
        """Upstream's prompt, with a word on what was wrong."""
        if isinstance(prompt, Again):
            return Again([i for i, slot in enumerate(self.slots) if slot is None], len(self.slots))
        if not isinstance(prompt, str):
            return prompt
        return (
            f"{prompt}\n\nYour last answer to this could not be used. Answer once more in full, in the same JSON "
            "format, with one word of the vocabulary as each verdict.\n\nJSON:\n"
        )

    def add(self, reply: Reply, family: Family | None) -> None:
        """Takes what a further reply answers of what is missing."""
        if reply.error is not None:
            return
        entries = reply.entries
        shape = _shape(entries)
        self.error = None
        if not isinstance(entries, list) or shape in self.seen:
            self.seen.append(shape)
            return
        self.seen.append(shape)
        found = [self.reader.verdict(entry) for entry in entries]
        if self.slots and len(found) == len(self.slots):
            self.slots = [old if old is not None else new for old, new in zip(self.slots, found, strict=True)]
        elif self.slots and len(found) == sum(1 for slot in self.slots if slot is None):
            rest = iter(found)
            self.slots = [old if old is not None else next(rest) for old in self.slots]
        elif not any(slot is not None for slot in self.slots) and (found or not self.lists):
            self.slots = found
            self.lists = True

    def filled(self, family: Family) -> list[Any]:
        """The verdicts, with stand-ins for the missing ones."""
        if self.lists and self.slots:
            return [slot if slot is not None else self.reader.stand_in(family.bad, MARK) for slot in self.slots]
        count = len(self.items) if self.items is not None and family.counted else 0
        if count:
            return [self.reader.stand_in(family.bad, MARK) for _ in range(count)]
        return [self.reader.stand_in(family.bad, MARK_ALL)]


def single_verdict(reader: Reader, metric: Any, prompt: Any) -> Generator[Any, Reply, Any]:
    """The conversation for one verdict; returns it, or a stand-in."""
    family = family_of(metric)
    reply = yield prompt
    for left in range(options.current.rejudge, -1, -1):
        entry = reply.cell.entries[0] if reply.cell.entries else reply.found
        found = None if reply.error is not None or entry is None else reader.verdict(entry)
        if found is not None:
            return found
        if left == 0:
            break
        further = prompt
        if isinstance(prompt, str):
            further = (
                f"{prompt}\n\nYour last answer to this could not be used. Answer once more, in the same JSON format, "
                "with one word of the vocabulary as the verdict.\n\nJSON:\n"
            )
        reply = yield further
        _forget_error(metric, reply)
    if reply.error is not None:
        _note_error(metric, reply.error)
        raise reply.error
    if family is None:
        unscored(metric, f"the judge's reply has no usable verdict: {reply.cell.text or '(no text)'}")
    return reader.stand_in(family.bad, MARK)


def _word(verdict: Any) -> str | None:
    return None if verdict is None else str(getattr(verdict.verdict, "value", verdict.verdict)).strip().lower()


def _shape(entries: list[Any] | None) -> str:
    """A reply's content, to tell one that was merely repeated."""
    return repr(entries)


def _forget_error(metric: Any, reply: Reply | None = None) -> None:
    """Upstream leaves a note on the metric when a reply is no JSON; a later good reply outdates it."""
    if reply is None or reply.error is None:
        metric.error = None


def _note_error(metric: Any, error: ValueError) -> None:
    if getattr(metric, "error", None) is None:
        metric.error = str(error)
    metric.score = None
    metric.success = False
    metric.reason = None
