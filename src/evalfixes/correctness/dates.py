"""Dates, years and spans of years, as spans of days. Nothing is guessed: a number alone is a year
only from 1000 to 2100 and without a separator, unit or sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evalfixes.correctness import units
from evalfixes.correctness.words import ORDINALS

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = r"(?P<month>" + "|".join(f"{m}|{m[:3]}\\.?" for m in _MONTHS if m != "may") + r"|may|sept\.?)(?!\w)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_CITED = r"(?:\d{1,2}(?=[.;,]?(?:\s|$)))?"  # the mark of a footnote, glued to the year by copying
_YEAR = r"(?P<year>[12]\d{3})" + _CITED
_ERA = r"(?:\s*(?P<era>b\.?c\.?e?\.?|a\.?d\.?|c\.?e\.?)(?!\w))?"
_DAY_TO = r"(?:\s*(?:-|–|—|to|and|&)\s*\d{1,2}(?:st|nd|rd|th)?)?"
_UNIT = units.PATTERN.replace(r"second(?!\w)|", "")
_CENTURY = "|".join(sorted(ORDINALS, key=len, reverse=True))

YEAR_DAYS = 372
"""Twelve months of 31 days: days are only compared, never counted."""


@dataclass(frozen=True)
class Date:
    """A date as far as it is given.

    Attributes:
        first: The first day it may mean.
        last: The last one.
        yearless: Whether only month and day are given; both then lie in the year 0.
        ends: Whether first and last are both written, as in ``1985-1993``; an 1980s is one thing.
        start: Where it begins in the text.
        end: Where it ends.
    """

    first: int
    last: int
    yearless: bool
    ends: bool
    start: int
    end: int


_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[int, int] | None]], ...] = ()


def find(text: str) -> Iterator[Date]:
    """The dates of a text, longer forms first; they do not overlap."""
    taken = [False] * len(text)
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            span = read(match)
            if span is None:
                continue
            taken[match.start() : match.end()] = [True] * (match.end() - match.start())
            yearless = 0 <= span[0] < YEAR_DAYS and span[1] < YEAR_DAYS and read is _full
            yield Date(span[0], span[1], yearless, read is _span, match.start(), match.end())


def day(year: int, month: int, number: int) -> int:
    """A day's place in the calendar of `YEAR_DAYS`."""
    return year * YEAR_DAYS + (month - 1) * 31 + number - 1


def years(first: int, last: int) -> tuple[int, int]:
    """A span of whole years."""
    return day(first, 1, 1), day(last, 12, 31)


def _month_of(word: str) -> int:
    return next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(word.lower().rstrip(".")[:3]))


def _full(match: re.Match[str]) -> tuple[int, int] | None:
    groups = match.groupdict()
    month = int(groups["number"]) if groups.get("number") else _month_of(groups["month"])
    year = int(groups["year"]) if groups.get("year") else 0
    if not 1 <= month <= 12:
        return None
    if not groups.get("day"):
        return day(year, month, 1), day(year, month, 31)
    number = int(groups["day"])
    if not 1 <= number <= 31:
        return None
    return day(year, month, number), day(year, month, number)


def _span(match: re.Match[str]) -> tuple[int, int] | None:
    first, last = int(match.group(1)), int(match.group(2))
    if last < 100:
        last += first // 100 * 100 if len(match.group(2)) == 2 else 0
    return years(first, last) if first <= last <= 2100 else None


def _decade(match: re.Match[str]) -> tuple[int, int] | None:
    part = (match.group("part") or "").lower()
    first = int(match.group("decade"))
    length = 100 if first % 100 == 0 and first != 2000 else 10
    low, high = {"early": (0, 4), "mid": (3, 6), "late": (6, 9)}.get(part, (0, 9))
    return years(first + low * length // 10, first + (high + 1) * length // 10 - 1)


def _century(match: re.Match[str]) -> tuple[int, int] | None:
    text = match.group("ordinal").lower()
    number = int(re.match(r"\d+", text).group()) if text[0].isdigit() else ORDINALS[text]  # type: ignore[union-attr]
    if (match.group("era") or "").lower().startswith("b"):
        return years(-100 * number, -100 * (number - 1) - 1)
    return years(100 * (number - 1), 100 * number)


def _old(match: re.Match[str]) -> tuple[int, int] | None:
    number = int(match.group("old").replace(",", ""))
    before = match.group("era").lower().startswith("b")
    return years(-number, -number) if before else years(number, number)


def _year(match: re.Match[str]) -> tuple[int, int] | None:
    number = int(match.group("year"))
    return years(number, number) if 1000 <= number <= 2100 else None


_FLAGS = re.IGNORECASE
_PATTERNS = tuple(
    (re.compile(pattern, _FLAGS), read)
    for pattern, read in (
        (r"(?<![\d/.-])(?P<year>[12]\d{3})-(?P<number>\d{2})-(?P<day>\d{2})(?!\d)", _full),
        (rf"\b{_DAY}{_DAY_TO}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)", _full),
        (rf"\b{_MONTH}\s+{_DAY}{_DAY_TO}\s*,?\s+{_YEAR}(?!\d)", _full),
        (rf"\b{_MONTH}\s+{_DAY},{_YEAR}(?!\d)", _full),
        (rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)", _full),
        (rf"\b{_YEAR},?\s+{_MONTH}\s+{_DAY}\b", _full),
        (rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}", _full),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}\b(?!\s*%)", _full),
        (r"\b(?:(?P<part>early|mid|late)[\s-]+)?(?:the\s+)?(?P<decade>[12]\d{2}0)'?s\b", _decade),
        (rf"\b(?P<ordinal>{_CENTURY}|\d{{1,2}}(?:st|nd|rd|th))[\s-]+century{_ERA}", _century),
        (r"\b(?P<old>\d{1,2},?\d{3}|\d{1,4})\s*(?P<era>b\.?c\.?e?\.?|a\.?d\.?)(?!\w)", _old),
        (r"(?<![\d.,$€£-])([12]\d{3})\s*(?:-|–|—|/|to|until|through|and)\s*([12]\d{3}|\d{2})(?![\d.,]*\d|[%-])", _span),
        (
            rf"(?<![\d.,$€£-])(?P<year>1[5-9]\d\d|2[01]\d\d|1[0-4]\d\d(?![\s-]+[a-z]+s\b))(?![\d]|[.,]\d|\s*%|\s*percent|-\d|\s?(?:{_UNIT}))",
            _year,
        ),
        (
            (
                r"(?:(?<=\bin )|(?<=\bto )|(?<=\bby )|(?<=\band )|(?<=\bsince )|(?<=\buntil ))"
                rf"(?P<year>(?:1[5-9]|20)\d{{2}}){_CITED}(?!\d)"
            ),
            _year,
        ),
    )
)
