"""ROUGE-1 as google-adk computes it, bit for bit, without its cost.

Upstream builds a scorer for every pair and stems every word anew. Here a word is stemmed once per
process, and unigrams are counted before they are stemmed, so that a text costs little more than
splitting it. There are two tokenizers, and no file says which one it was scored with:

- ``ascii``, up to google-adk 2.5: everything outside a-z and 0-9 parts words, so a text in another
  script has no words at all and scores 0;
- ``unicode``, from 2.6 on: characters of other scripts count; Chinese, Japanese, Korean, Thai, Lao,
  Khmer and Burmese one by one.

They agree on texts of plain ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from evalfixes.errors import OptionError

Tokenizer = Literal["ascii", "unicode"]

TOKENIZERS: tuple[Tokenizer, ...] = ("unicode", "ascii")
"""The one of recent releases first."""

_WORD = re.compile("[a-z0-9]+")
_VALID = re.compile("^[a-z0-9]+$")
_SPACED = ((0x4E00, 0x9FFF), (0x3040, 0x309F), (0x30A0, 0x30FF), (0xAC00, 0xD7AF))
_CLUSTERED = ((0x0E00, 0x0E7F), (0x0E80, 0x0EFF), (0x1780, 0x17FF), (0x1000, 0x109F))
_WORDS_KEPT = 200_000
_TEXTS_KEPT = 1_024

_stems: dict[str, str] = {}
_stemmer: Callable[[str], str] | None = None


def rouge_1(candidate: str, reference: str, tokenizer: Tokenizer = "unicode") -> float:
    """The F-measure of shared unigrams.

    Args:
        candidate: The answer.
        reference: What it is compared with.
        tokenizer: Which of upstream's tokenizers.

    Raises:
        OptionError: nltk is not installed.
    """
    counts, length = _unigrams(candidate, tokenizer)
    expected, expected_length = _reference(reference, tokenizer)
    if len(expected) > len(counts):
        shared = sum(min(n, expected[token]) for token, n in counts.items() if token in expected)
    else:
        shared = sum(min(n, counts[token]) for token, n in expected.items() if token in counts)
    precision = shared / max(length, 1)
    recall = shared / max(expected_length, 1)
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _unigrams(text: str, tokenizer: Tokenizer) -> tuple[dict[str, int], int]:
    """The stemmed words of a text with their numbers, and how many there are in all."""
    if tokenizer == "ascii" or text.isascii():
        words = _WORD.findall(text.lower())
    else:
        words = unicodedata.normalize("NFKC", text).lower().translate(_table).split()
    counts: dict[str, int] = {}
    length = 0
    for word, n in Counter(words).items():
        stem = _stems.get(word)
        if stem is None:
            stem = _stem(word)
        if stem:
            counts[stem] = counts.get(stem, 0) + n
            length += n
    return counts, length


_reference = lru_cache(maxsize=_TEXTS_KEPT)(_unigrams)


def _stem(word: str) -> str:
    """The stem of a word; words of other scripts and short ones have none but themselves."""
    global _stemmer
    if len(word) > 3 and word.isascii():
        if _stemmer is None:
            _stemmer = _porter()
        stem = _stemmer(word)
        stem = stem if _VALID.match(stem) else ""
    else:
        stem = word
    if len(_stems) >= _WORDS_KEPT:
        _stems.clear()
    _stems[word] = stem
    return stem


def _porter() -> Callable[[str], str]:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError:
        raise OptionError("ROUGE needs the stemmer of nltk: pip install 'evalfixes[report]'") from None
    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


class _Characters(dict[int, str]):
    """What each character becomes before the text is split at white space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        mark = unicodedata.category(char).startswith("M")
        if _within(code, _SPACED):
            new = f" {char} "
        elif _within(code, _CLUSTERED):
            new = char if mark else f" {char}"
        else:
            new = char if mark or char.isalnum() else " "
        self[code] = new
        return new


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


_table = _Characters()
