"""What is known of a list of verdicts: which items have one, over one reply or several."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from evalfixes.fixes.deepeval._families import MARK, MARK_ALL, Family, is_mark
from evalfixes.fixes.deepeval._replies import Again, Reader, Reply, shape_of, word_of
from evalfixes.verdicts.lists import assign, at_least

counting: ContextVar[bool] = ContextVar("evalfixes_deepeval_counting", default=False)
"""Whether a list of another length than the items is incomplete."""


class Known:
    """A reply about items whose number is known."""

    def __init__(self, reader: Reader, reply: Reply, items: Sequence[Any]) -> None:
        self.reader = reader
        self.items = items
        self.texts = [item if isinstance(item, str) else "" for item in items]
        self.error = reply.error
        self.slots: list[Any] = [None] * len(items)
        self.loose: list[Any] = []
        entries = reply.entries
        self.seen = [shape_of(entries)]
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
        if isinstance(prompt, Again):
            return Again(self.asked, len(self.slots))
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
        shape = shape_of(entries)
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
        certain = at_least([word_of(verdict) for verdict in loose], family.bad, len(self.items))
        bad = sum(1 for slot in self.slots if word_of(slot) == family.bad)
        for i in reversed(range(len(self.slots))):
            if bad >= certain:
                return
            if self.slots[i] is not None and not before[i] and word_of(self.slots[i]) != family.bad:
                self.slots[i] = None
                bad += 1

    def filled(self, family: Family) -> list[Any]:
        """The verdicts, with stand-ins for the missing ones."""
        filled = [slot if slot is not None else self.reader.stand_in(family.bad, MARK) for slot in self.slots]
        if self.loose and not family.ranked and all(map(is_mark, filled)):
            # Which items were answered is not known, but to a share it matters only how many were. Of
            # more answers than items, a good one may be the one too many.
            certain = at_least([word_of(verdict) for verdict in self.loose], family.bad, len(self.items))
            usable = [verdict for verdict in self.loose if word_of(verdict) == family.bad][:certain]
            if len(self.loose) <= len(self.items):
                usable += [verdict for verdict in self.loose if word_of(verdict) not in (None, family.bad)]
            filled[: len(usable)] = usable
        return filled


class Free:
    """A reply whose number of verdicts is the judge's to choose, or is not looked at."""

    def __init__(self, reader: Reader, reply: Reply, items: Sequence[Any] | None, family: Family | None) -> None:
        self.reader = reader
        self.items = items
        self.may_be_empty = family is None or not counting.get()
        self.error = reply.error
        entries = reply.entries
        self.lists = isinstance(entries, list)
        self.slots = [reader.verdict(entry) for entry in entries or ()]
        self.seen = [shape_of(entries)]

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
        shape = shape_of(entries)
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
