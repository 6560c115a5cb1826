"""What the numbers of an answer say about it, by a deterministic rule: a hint, not a judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evalfixes.correctness import values as found_values
from evalfixes.correctness.dates import YEAR_DAYS
from evalfixes.correctness.reference import Reference
from evalfixes.correctness.values import Value

Outcome = Literal["agrees", "contradicts", "abstains"]
_FILLER = frozenset(
    [
        "the",
        "a",
        "an",
        "in",
        "on",
        "at",
        "by",
        "of",
        "about",
        "around",
        "approximately",
        "approx",
        "circa",
        "it",
        "is",
        "was",
        "are",
        "were",
        "year",
        "years",
        "from",
        "until",
        "to",
        "and",
        "or",
        "per",
        "only",
        "total",
        "annually",
        "exactly",
        "more",
        "than",
        "over",
        "nearly",
        "almost",
        "roughly",
        "up",
        "less",
        "at",
        "least",
        "as",
        "some",
    ]
)
_DATES = ("date", "day")
_LONGEST = 50_000  # characters; a longer answer is no answer to a question about a number
_VAGUE = 12 * YEAR_DAYS  # a date that leaves more open than this agrees with nothing


@dataclass(frozen=True)
class Hint:
    """What the numbers say.

    Attributes:
        outcome: ``agrees``, ``contradicts`` or ``abstains``.
        bare: Whether the reference is one bare value, so that the numbers could decide alone.
        detail: Which values were compared, for a person.
    """

    outcome: Outcome = "abstains"
    bare: bool = False
    detail: str = ""

    @property
    def remark(self) -> str:
        """The hint for the judge; it holds no text of the answer. Empty if there is none."""
        if self.outcome == "abstains":
            return ""
        word = "agree" if self.outcome == "agrees" else "disagree"
        return (
            "A mechanical comparison of numbers, units and dates suggests that answer and reference "
            f"{word} in a value. "
            "It may be mistaken; check it."
        )


NO_HINT = Hint()
"""The hint where numbers are not looked at."""


def compare(answer: str, reference: Reference, question: str = "") -> Hint:
    """Compares the values of an answer with those of its reference.

    Args:
        answer: The answer.
        reference: The reference; each of its variants is as right as its answer.
        question: What was asked; values that it names itself prove nothing.

    Returns:
        The hint. It abstains where the reference has no value, the answer has none that could be
        compared, or they are mixed.
    """
    if len(answer) > _LONGEST:
        return NO_HINT
    known = [(text, found_values.find(text)) for text in reference.right]
    bare = all(is_bare(text, values) for text, values in known)
    numeric = [values for _, values in known if values]
    if not numeric:
        return Hint(bare=False)
    asked = found_values.find(question) if question else []
    said = [
        value
        for value in found_values.find(answer)
        if not value.denied
        and (
            not any(same(value, other) and other.kind == value.kind for other in asked)
            or any(_equal(value, other) for values in numeric for other in values)
        )
    ]
    outcomes = [_against(said, values, is_bare(text, values)) for text, values in known if values]
    detail = f"answer: {_listed(said)}; reference: {_listed([v for values in numeric for v in values])}"
    wrong = [value for text in reference.contradictions for value in found_values.find(text)]
    every = [value for values in numeric for value in values]
    outcome: Outcome = "abstains"
    if "agrees" in outcomes:
        outcome = "abstains" if _overstated(said, every) else "agrees"
    elif any(same(value, other) for value in said for other in wrong) or (
        len(numeric) == len(known) and all(state == "contradicts" for state in outcomes)
    ):
        outcome = "contradicts"
    return Hint(outcome, bare, detail)


def is_bare(text: str, values: Sequence[Value]) -> bool:
    """Whether a text is one value and nothing that would have to be understood."""
    if len(values) != 1:
        return False
    value = values[0]
    written = found_values.plain(text)
    rest = (written[: value.start] + " " + written[value.end :]).lower()
    left = [word.strip(".,;:()[]'\"") for word in rest.split()]
    left = [word for word in left if word and word not in _FILLER]
    if value.noun and value.kind == "count" and left and found_values.singular(left[0]) == value.noun:
        left = left[1:]
    return not left


def _against(said: Sequence[Value], right: Sequence[Value], bare: bool) -> Outcome:
    """How the values of an answer stand to those of one right text."""
    states = [_one(said, value) for value in right]
    if bare:
        return states[0]
    for value, state in zip(right, states, strict=True):
        # In a sentence, values of one kind may be about different things; where there is one of a kind
        # on each side, they are taken to be about the same.
        alone = sum(alike(value, other) for other in right) == 1 == sum(alike(value, other) for other in said)
        if state == "contradicts" and alone:
            return "contradicts"
    return "agrees" if all(state == "agrees" for state in states) else "abstains"


def _one(said: Sequence[Value], value: Value) -> Outcome:
    """How the values of an answer stand to one right value."""
    comparable = [other for other in said if alike(value, other)]
    if not comparable:
        loose = [other for other in said if _loosely(value, other)]
        if any(_number_same(value, other) for other in loose):
            return "agrees"
        loose = [other for other in loose if other.kind != "ordinal" or other.text[:1].isdigit()]
        return "contradicts" if len(loose) == 1 and value.kind not in _DATES else "abstains"
    if value.ends and value.kind == "date":
        return _span_in(comparable, value)
    if value.kind in _DATES:
        return _dated(comparable, value)
    if any(same(value, other) for other in comparable):
        return "agrees"
    if any(_near(value, other) for other in comparable):
        return "abstains"
    if any(_number_same(value, other) for other in said if _loosely(value, other)):
        return "agrees"
    return "contradicts"


def _dated(said: Sequence[Value], value: Value) -> Outcome:
    """How dates stand to one right date. A vaguer date agrees, unless a more exact one beside it does not."""
    if any(_inside(other, value) or (value.kind != other.kind and same(value, other)) for other in said):
        return "agrees"
    vaguer = [other for other in said if _inside(value, other)]
    if not vaguer:
        return "contradicts"
    nearest = min(vaguer, key=lambda other: other.high - other.low)
    exact = [other for other in said if _inside(other, nearest) and other.high - other.low < nearest.high - nearest.low]
    return "abstains" if exact or nearest.high - nearest.low > _VAGUE else "agrees"


def _overstated(said: Sequence[Value], right: Sequence[Value]) -> bool:
    """Whether a date agrees with a vague variant only, and a more exact variant speaks against it."""
    for value in said:
        if value.kind == "date" and any(_inside(value, other) and not _equal(value, other) for other in right):
            exact = [o for o in right if o.kind == "date" and o.high - o.low <= value.high - value.low]
            within = [
                o for o in exact if any(_inside(o, vague) and _inside(value, vague) for vague in right if vague != o)
            ]
            if within and not any(same(value, other) for other in exact):
                return True
    return False


def _span_in(said: Sequence[Value], value: Value) -> Outcome:
    """A span with both ends written: the answer has to give both, in one piece or two."""
    first = any(_begins(value.low, other) for other in said)
    last = any(_ends(value.high, other) for other in said)
    if first and last:
        return "agrees"
    if any(other.ends and (other.low == value.low) != (other.high == value.high) for other in said):
        return "contradicts"
    return "abstains" if first or last or any(_inside(o, value) or _inside(value, o) for o in said) else "contradicts"


def _begins(day: float, other: Value) -> bool:
    return other.low == day or (not other.ends and other.low <= day <= other.high and other.high - other.low < 400)


def _ends(day: float, other: Value) -> bool:
    return other.high == day or (not other.ends and other.low <= day <= other.high and other.high - other.low < 400)


def alike(value: Value, other: Value) -> bool:
    """Whether two values are of a kind, so that they can agree or disagree."""
    if value.kind in _DATES and other.kind in _DATES:
        return True
    if value.kind != other.kind:
        return False
    if value.kind == "money":
        return value.noun == other.noun
    return not value.noun or not other.noun or value.noun == other.noun


def _loosely(value: Value, other: Value) -> bool:
    """Whether two values could be the same if the one that names no unit means that of the other."""
    kinds = {value.kind, other.kind}
    if "count" not in kinds or kinds == {"count"} or "day" in kinds:
        return False
    count, rest = (value, other) if value.kind == "count" else (other, value)
    if rest.kind == "date":
        return not count.noun and rest.high - rest.low < 400
    return not count.noun or rest.kind == "ordinal"


def _number_same(value: Value, other: Value) -> bool:
    """Whether the numbers are the same; 50 % is also written 0.5."""
    factors = (1.0, 100.0, 0.01) if "percent" in (value.kind, other.kind) else (1.0,)
    size = max(abs(value.number), abs(other.number))
    return any(abs(value.number * factor - other.number) <= 1e-9 * size for factor in factors)


def same(value: Value, other: Value) -> bool:
    """Whether two values agree as far as they are given."""
    if value.kind in _DATES and other.kind in _DATES:
        if value.kind != other.kind:
            return _one_day(value) and _one_day(other) and _yearless(value) == _yearless(other)
        return _inside(value, other) or _inside(other, value)
    if not alike(value, other):
        return False
    if value.low != value.high or other.low != other.high:
        return _inside(value, other) or _inside(other, value)
    gap = abs(value.low - other.low)
    size = max(abs(value.low), abs(other.low))
    if gap <= 1e-9 * size:
        return True
    # The coarser of the two may be the finer one rounded: 2.2 million is said of 2,187,463.
    coarse, fine = max(value.step, other.step), min(value.step, other.step)
    return coarse > fine and gap <= coarse / 2 * (1 + 1e-9) and coarse <= 0.05 * size


def _near(value: Value, other: Value) -> bool:
    """Whether they differ by no more than the last digit that is written: 2.1 million is said of 2,187,463.

    A gigabyte is 1000 or 1024 of the next smaller unit.
    """
    if value.kind == "percent":
        return False
    if value.kind == "data" and abs(value.low - other.low) < 0.1 * max(value.low, other.low):
        return True
    return abs(value.low - other.low) < max(value.step, other.step) > min(value.step, other.step)


def _equal(value: Value, other: Value) -> bool:
    return value.kind == other.kind and (value.low, value.high) == (other.low, other.high)


def _one_day(value: Value) -> bool:
    return value.high - value.low < 31


def _yearless(value: Value) -> tuple[float, float]:
    return value.low % YEAR_DAYS, value.high % YEAR_DAYS


def _inside(value: Value, other: Value) -> bool:
    return other.low <= value.low and value.high <= other.high


def _listed(values: Sequence[Value]) -> str:
    return ", ".join(value.text for value in values) or "no value"
