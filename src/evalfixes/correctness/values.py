"""The values of a text that can be compared: percentages, money, dates, numbers with a unit or a noun."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from evalfixes.correctness import dates, units
from evalfixes.correctness.masks import mask
from evalfixes.correctness.words import DIGITS, LETTERS, ORDINALS, SCALES, WORDS, digits, in_sequence, step, words

_SCALE = r"(?:\s*-?\s*(?P<scale>dozen|hundred|thousand|million|billion|trillion)s?\b)?"
_NUMBER = (
    rf"(?:(?P<sign>(?<![\w.)])[-+])?(?:(?P<whole>\d+)[\s-])?(?P<top>\d+)/(?P<bottom>[1-9]\d?)(?![/\d])"
    rf"|(?P<minus>(?<![\w.)])-)?(?P<digits>(?<![\d.,]){DIGITS}){_SCALE}|\b(?P<words>{WORDS})\b)"
)
_CURRENCY = r"US\$|A\$|C\$|NZ\$|HK\$|S\$|[$€£¥₹]"
_MONEY_WORD = (
    r"(?:(?:us|american|canadian|australian|singapore)\s+)?dollars?|usd|euros?|eur|pounds sterling|gbp|yen|jpy|"
    r"rupees?|inr|cents?|pence|cad|aud|chf|francs?|yuan|rmb|cny|pesos?|won|sek|kronor|krona"
)
_NOUN = r"[\s-]+(?P<noun>(?:[a-z]+[\s-]+){0,2}?[a-z][a-z'-]*)"
_BETWEEN = re.compile(r"\s*(?:-|–|—|to|and|or)\s*$", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|more than|less than|under|at least|"
    r"at most|up to|as many as|some|circa|c\.|ca\.|estimated|an estimated|close to|just over|just under|between|"
    r"average(?: of)?)"
    r"|[~≈<>≤≥])\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\brather than|\binstead of|\bno longer|\bnever)\s+(?:in\s+|on\s+)?(?:the\s+)?$", re.IGNORECASE
)
_FEET = re.compile(
    r"(?<![\w.])(?P<feet>\d+)(?:\s*[-\s]?(?:ft\.?|foot|feet)|')[\s,-]*(?:and\s+)?(?P<inches>\d+(?:\.\d+)?)\s*[-\s]?"
    r"(?:in(?:ch(?:es)?)?\.?\b|\"|'')",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    rf"(?P<currency>(?<!\w)(?:{_CURRENCY})\s*)?{_NUMBER}"
    rf"(?:(?P<letter>\s?(?:k|mn|m|bn|b|tn|t)\b)(?=[^\w]|$)(?P<moneyafter>\s*(?:{_MONEY_WORD})\b)?)?"
    rf"(?:\s*(?P<percent>%|per\s?cent(?:age points?)?\b|pct\b|percentage points?\b)"
    rf"|[\s-]*(?P<money>(?:{_MONEY_WORD})\b|[€£¥₹])"
    rf"|[\s-]?(?P<ordinal>(?:st|nd|rd|th)\b)"
    rf"|[\s-]*(?P<unit>{units.PATTERN})"
    rf")?",
    re.IGNORECASE,
)
_GLUED_BEFORE = re.compile(
    r"(?:(?<=\b(?:in|on|of|to|by|is|at))|(?<=\b(?:the|has|was|are|and|for))|(?<=\b(?:from|with)))(?=\d)"
    r"|(?<=\bon)(?=[A-Z][a-z]{2,8}\s\d)"
)
_HALF = re.compile(r"\bhalf\s+an?\s+(?=(?:dozen|hundred|thousand|million|billion|trillion)\b)", re.IGNORECASE)
_GLUED_AFTER = re.compile(r"(?<=\d)(?=(?:in|to|and|from|after|when|with|for|until|by|as|at|the|was|is|which)\b)")
_ORDINAL_WORD = re.compile(
    r"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-)?(?P<word>"
    + "|".join(sorted(ORDINALS, key=len, reverse=True))
    + r")\b(?![\s-]+centur)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"(?<=\d)(?=(?:in|to|and|from|after|when|with|for|until|by|as|at|the|was|is|which)\b)")
_ORDINAL_WORD = re.compile(
    r"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-)?(?P<word>"
    + "|".join(sorted(ORDINALS, key=len, reverse=True))
    + r")\b(?![\s-]+centur)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[\s-]*(?P<noun>[a-z][a-z'-]*)", re.IGNORECASE)
_NO_NOUN = frozenset(
    [
        "and",
        "or",
        "to",
        "of",
        "in",
        "on",
        "at",
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "by",
        "for",
        "from",
        "with",
        "as",
        "than",
        "that",
        "which",
        "who",
        "when",
        "it",
        "its",
        "this",
        "but",
        "if",
        "per",
        "after",
        "before",
        "during",
        "until",
        "since",
        "years-old",
        "more",
        "less",
        "ago",
        "old",
        "total",
        "different",
        "other",
        "others",
        "about",
        "into",
        "have",
        "has",
        "had",
        "can",
        "will",
        "would",
        "may",
    ]
)


@dataclass(frozen=True)
class Value:
    """One value of a text.

    Attributes:
        kind: ``percent``, ``money``, ``date``, ``day`` (a date without a year), ``ordinal``,
            ``count``, or a dimension of `units`.
        low: The value, or the lower end of a span.
        high: The upper end.
        step: How coarse it is written; its true value may differ by half of that.
        number: The number as it is written, before its unit is applied.
        noun: What is counted, or the currency; empty if it is not said.
        about: Whether the text itself calls it approximate.
        ends: Whether both ends of a span are written.
        denied: Whether the text says that it is not this value.
        start: Where it begins.
        end: Where it ends.
        text: As it is written.
    """

    kind: str
    low: float
    high: float
    step: float
    number: float
    noun: str
    about: bool
    start: int
    end: int
    text: str
    ends: bool = False
    denied: bool = False


def plain(text: str) -> str:
    """The text in the form in which values are looked for."""
    made = unicodedata.normalize("NFKC", text.replace("½", " 1/2").replace("¼", " 1/4").replace("¾", " 3/4"))
    made = made.translate(
        {0x2212: "-", 0x2044: "/", 0x2019: "'", 0x2032: "'", 0x2033: '"', 0x201D: '"', 0x2010: "-", 0x2011: "-"}
    )
    made = re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}", "", made)
    made = _HALF.sub("0.5 ", made)
    return _GLUED_AFTER.sub(" ", _GLUED_BEFORE.sub(" ", made))


def find(text: str) -> list[Value]:
    """All values of a text, in order."""
    read = mask(plain(text))
    values: list[Value] = []
    for date in dates.find(read):
        kind = "day" if date.yearless else "date"
        about = bool(_ABOUT.search(_before(read, date.start)))
        piece = read[date.start : date.end]
        year = float(date.first // dates.YEAR_DAYS)
        values.append(Value(kind, date.first, date.last, 0.0, year, "", about, date.start, date.end, piece, date.ends))
    read = _blank(read, values)
    for match in _FEET.finditer(read):
        length = int(match.group("feet")) * 0.3048 + float(match.group("inches")) * 0.0254
        values.append(_value("length", length, 0.0254, "", match, read))
    read = _blank(read, values)
    quantities = [value for match in _QUANTITY.finditer(read) if (value := _quantity(match, read)) is not None]
    values += quantities
    read = _blank(read, values)
    for match in _ORDINAL_WORD.finditer(read):
        number = ORDINALS[match.group("word").lower()]
        if match.group("tens"):
            number += int(words(match.group("tens")))
        values.append(_value("ordinal", number, 0.0, "", match, read))
    joined = _spans(sorted(values, key=lambda value: value.start), plain(text))
    return [replace(value, denied=True) if _DENIED.search(_before(read, value.start)) else value for value in joined]


def _quantity(match: re.Match[str], text: str) -> Value | None:
    number = _number(match)
    if number is None:
        return None
    size, coarse = number
    if match.group("scale"):
        size, coarse = size * SCALES[match.group("scale").lower()], coarse * SCALES[match.group("scale").lower()]
    currency = (match.group("currency") or match.group("money") or match.group("moneyafter") or "").strip().lower()
    letter = (match.group("letter") or "").strip().lower()
    if letter and currency:
        size, coarse = size * LETTERS[letter], coarse * LETTERS[letter]
    elif letter:
        known = units.base(size, letter) if letter in ("m", "t") else None
        if known is not None:
            return _value(known[0], known[1], coarse, "", match, text, size)
        if match.group("letter").strip() == "k":
            size, coarse = size * 1000, coarse * 1000
        elif letter != "m":
            return _value("count", size, coarse, letter, match, text)
    if match.group("percent"):
        return _value("percent", size, coarse, "", match, text)
    if currency:
        if currency.startswith(("cent", "pence")):
            size, coarse = size / 100, coarse / 100
        return _value("money", size, coarse, _currency(currency), match, text)
    if match.group("ordinal"):
        return _value("ordinal", size, 0.0, "", match, text)
    unit = match.group("unit")
    if unit:
        if unit.lower() == "second" and match.group("words") is not None:
            return None
        based = units.base(size, unit)
        if based is not None:
            other = units.base(size + coarse, unit)
            return _value(based[0], based[1], abs((other or based)[1] - based[1]), "", match, text, size)
    noun = _noun(text, match.end())
    if noun and noun not in _NO_NOUN:
        based = units.base(size, noun)
        if based is not None:
            return _value(based[0], based[1], coarse, "", match, text, size)
    if text[match.end() : match.end() + 1].isalpha() and len(noun) > 3 and match.group("digits"):
        return None  # written in one word with letters that are no unit; 12U, 4K and 3D may count things
    return _value("count", size, coarse, "" if noun in _NO_NOUN else noun, match, text)


def _number(match: re.Match[str]) -> tuple[float, float] | None:
    if match.group("top"):
        size = int(match.group("top")) / int(match.group("bottom")) + int(match.group("whole") or 0)
        return (-size if match.group("sign") == "-" else size), 0.0
    if match.group("digits"):
        size = digits(match.group("digits"))
        return (-size if match.group("minus") else size), step(match.group("digits"))
    spelled = match.group("words")
    if spelled is None or not in_sequence(spelled):
        return None
    return words(spelled), 0.0


def _currency(word: str) -> str:
    for name, starts in (
        ("usd", ("$", "us", "american", "dollar", "usd", "cent")),
        ("eur", ("€", "eur")),
        ("gbp", ("£", "pounds sterling", "gbp", "pence")),
        ("jpy", ("¥", "yen", "jpy")),
        ("inr", ("₹", "rupee", "inr")),
        ("cny", ("yuan", "rmb", "cny")),
        ("cad", ("c$", "canadian", "cad")),
        ("aud", ("a$", "australian", "aud")),
    ):
        if word.startswith(starts):
            return name
    return word.rstrip("s")


def _noun(text: str, place: int) -> str:
    match = _AFTER.match(text, place)
    return singular(match.group("noun").lower()) if match else ""


def singular(noun: str) -> str:
    """A noun without the ending of its plural."""
    if len(noun) > 4 and noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[:-1] if len(noun) > 3 and noun.endswith("s") and not noun.endswith("ss") else noun


def _value(
    kind: str, size: float, coarse: float, noun: str, match: re.Match[str], text: str, number: float | None = None
) -> Value:
    about = bool(_ABOUT.search(_before(text, match.start())))
    written = size if number is None else number
    return Value(kind, size, size, coarse, written, noun, about, match.start(), match.end(), match.group().strip())


def _blank(text: str, values: list[Value]) -> str:
    pieces, place = [], 0
    for value in sorted(values, key=lambda value: value.start):
        pieces += [text[place : value.start], "\u25a1" * (value.end - value.start)]
        place = value.end
    return "".join([*pieces, text[place:]])


def _before(text: str, place: int) -> str:
    """The words before a place, as far as they say something of what follows."""
    return text[max(0, place - 40) : place]


def _spans(values: list[Value], text: str) -> list[Value]:
    """Joins ``5-7 %`` and ``between 5 and 7 miles`` to one value."""
    made: list[Value] = []
    for value in values:
        last = made[-1] if made else None
        joint = text[last.end : value.start] if last is not None else ""
        if (
            last is not None
            and last.low == last.high
            and value.low == value.high
            and last.low < value.low
            and _BETWEEN.fullmatch(joint)
            and (last.kind == value.kind or (last.kind == "count" and not last.noun))
            and value.kind not in ("date", "day")
            and (not joint.strip().isalpha() or joint.strip().lower() == "to" or last.about)
        ):
            low = _rescaled(last, value)
            made[-1] = Value(
                value.kind,
                low,
                value.high,
                value.step,
                last.number,
                value.noun,
                value.about,
                last.start,
                value.end,
                text[last.start : value.end],
                ends=True,
            )
        elif last is not None and _compound(last, value, joint):
            made[-1] = Value(
                value.kind,
                last.low + value.low,
                last.high + value.high,
                value.step,
                last.number,
                "",
                last.about,
                last.start,
                value.end,
                text[last.start : value.end],
            )
        else:
            made.append(value)
    return made


def _compound(last: Value, value: Value, joint: str) -> bool:
    """Whether two values are one in two units: ``3 hours and 48 minutes``, ``7 pounds 4 ounces``."""
    return (
        last.kind == value.kind
        and value.kind in ("duration", "calendar", "length", "mass")
        and last.number > 0
        and value.number > 0
        and last.low / last.number > value.low / value.number
        and value.low < last.low / last.number
        and joint.strip().lower() in ("", ",", "and", ", and")
    )


def _rescaled(bare: Value, value: Value) -> float:
    """The first number of a span in the unit that is written after the second only."""
    if bare.kind == value.kind:
        return bare.low
    written = _QUANTITY.search(value.text)
    number = _number(written) if written is not None else None
    return bare.low * value.low / number[0] if number and number[0] else bare.low
