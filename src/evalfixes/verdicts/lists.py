"""Which verdict of a judge's list belongs to which item it was asked about.

A list that is as long as the items is read in order. Where verdicts repeat their item, they are
matched by it, in whatever order and number they come. Otherwise a list of another length says
nothing about a single item: of three answers to four questions nobody knows which one is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """One verdict of a list.

    Attributes:
        word: The verdict as it was read; None if it could not be.
        echoes: Other texts that stand beside it; the item may be among them.
    """

    word: str | None
    echoes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assignment:
    """The answers as far as they can be told apart.

    Attributes:
        answer_of: Per item, the index of its one usable answer; None where there is none.
        matched: Whether the answers were told apart at all. If not, `answer_of` holds only None.
    """

    answer_of: tuple[int | None, ...]
    matched: bool

    @property
    def missing(self) -> tuple[int, ...]:
        """Indices of the items without a usable answer."""
        return tuple(i for i, answer in enumerate(self.answer_of) if answer is None)


def assign(answers: Sequence[Answer], items: Sequence[str]) -> Assignment:
    """Matches the answers of a list with the items that were asked about.

    Args:
        answers: The list, in its order.
        items: The texts of the items; one that has no text of its own may be empty.
    """
    wanted = [_norm(item) for item in items]
    places = {text: i for i, text in enumerate(wanted) if text and wanted.count(text) == 1}
    echoed = [_place(answer.echoes, places) for answer in answers]
    in_order = len(answers) == len(items)
    if all(place is None for place in echoed) or (
        in_order and all(place in (None, i) for i, place in enumerate(echoed))
    ):
        if not in_order:
            return Assignment((None,) * len(items), matched=False)
        return Assignment(
            tuple(i if answer.word is not None else None for i, answer in enumerate(answers)), matched=True
        )
    found: list[int | None] = []
    for i in range(len(items)):
        given = [k for k, place in enumerate(echoed) if place == i and answers[k].word is not None]
        agreed = len({answers[k].word for k in given}) == 1
        found.append(given[0] if agreed else None)
    return Assignment(tuple(found), matched=True)


def at_least(words: Sequence[str | None], word: str, items: int) -> int:
    """How many items have that answer for certain, although the answers cannot be told apart.

    Every answer more than there are items may be about none of them, so as many are taken off.
    """
    surplus = max(0, len(words) - items)
    return max(0, sum(1 for given in words if given == word) - surplus)


def _place(echoes: Collection[str], places: dict[str, int]) -> int | None:
    found = {places[text] for text in map(_norm, echoes) if text in places}
    return found.pop() if len(found) == 1 else None


def _norm(text: str) -> str:
    return " ".join(text.split()).casefold().strip(" \"'`.")
