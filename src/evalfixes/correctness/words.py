"""Numbers as people write them: digits with separators, multipliers, fractions, words."""

from __future__ import annotations

import re

ONES = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
TENS = {
    word: 10 * number
    for number, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
SCALES = {"dozen": 12, "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
LETTERS = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12, "t": 10**12}
"""Short forms of scales, read only where money is meant."""

ORDINALS = {
    **{f"{word}th": number for word, number in ONES.items() if word not in ("one", "two", "three", "five", "eight")},
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
    **{f"{word[:-1]}ieth": number for word, number in TENS.items()},
}

_SMALL = "|".join(sorted((*ONES, *TENS), key=len, reverse=True))
WORDS = (
    rf"(?:(?:{_SMALL})(?:[\s-]+(?:and\s+)?(?:{_SMALL}|hundred|thousand|million|billion|trillion)\b)*"
    r"|(?:a|one)\s+(?:hundred|thousand|million|billion|dozen)(?:[\s-]+(?:and\s+)?(?:"
    + _SMALL
    + r"|hundred|thousand)\b)*)"
)
"""Pattern of a number in words; case-insensitive."""

DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:'\d{3})+(?:\.\d+)?"
    r"|\d{1,3}(?: \d{3}){2,}(?!\d)|\d{1,3} 000(?!\d)|\d+(?:\.\d+)?|\.\d+)"
)
"""Pattern of a number in digits, without sign."""


def digits(text: str) -> float:
    """The value of what `DIGITS` matches."""
    return float(re.sub(r"[,' ]", "", text))


def step(text: str) -> float:
    """The size of the last digit that is written; two or more zeros at the end of a whole number are no digits."""
    plain = re.sub(r"[,' ]", "", text)
    if "." in plain:
        return float(10.0 ** -len(plain.partition(".")[2]))
    bare = plain.rstrip("0") or plain
    zeros = len(plain) - len(bare)
    return float(10**zeros) if zeros > 1 else 1.0


def words(text: str) -> float:
    """The value of what `WORDS` matches."""
    total, group = 0, 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in ("dozen", "hundred"):
            group = (group or 1) * SCALES[word]
        elif word in SCALES:
            total += (group or 1) * SCALES[word]
            group = 0
        elif word in ("a", "and"):
            continue
        else:
            group += ONES.get(word, TENS.get(word, 0))
    return float(total + group)


def in_sequence(text: str) -> bool:
    """Whether number words form one number: ``twenty one`` does, ``one two`` and ``two fifty`` do not."""
    last = 10**15
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in ("a", "and", *SCALES):
            last = 100 if word not in ("a", "and") else last
            continue
        if word in TENS:
            if last < 100:
                return False
            last = TENS[word]
        else:
            if last < 20 or (last < 100 and ONES[word] > 9):
                return False
            last = ONES[word]
    return True
