"""Tells an explanation behind a verdict from words that limit it or take it back.

``valid, because it names Paris`` is valid; ``valid, sort of`` is not plain. Nobody can list all ways to
hedge, so what follows a good verdict has to look like a reason: it starts as reasons do, or it is a
sentence of some length, and it holds none of the words that limit. A bad verdict stands unless it is
taken back: reading it never makes anything pass.
"""

from __future__ import annotations

import re

_OPENERS = frozenset(
    {
        "according", "agent", "all", "answer", "as", "based", "because", "both", "by", "cited", "clearly", "confirmed",
        "context", "directly", "document", "each", "equal", "every", "evidence", "exactly", "excerpt", "explicitly",
        "found", "from", "given", "identical", "in", "it", "its", "line", "matches", "matching", "mentioned", "per",
        "quote", "quoted", "rationale", "reason", "reference", "response", "said", "same", "says", "see", "since",
        "source", "stated", "states", "text", "that", "the", "this", "tool", "tools", "turn", "user", "verbatim",
    }
)  # fmt: skip
_LIMITS = re.compile(
    r"\b(?:but|however|although|though|except|exceptions?|unless|either|otherwise|instead|yet|partial\w*|partly|in part"
    r"|half|mostly|mainly|largely|somewhat|almost|nearly|roughly|hardly|barely|scarcely|weak\w*|limited|loosely|vaguely"
    r"|arguably|technically|superficially|supposedly|allegedly|perhaps|maybe|might|possibl[ey]|probabl[ey]|likely"
    r"|doubt\w*|unclear|uncertain\w*|unsure|not sure|seems?|seemingly|guess|suppose|presum\w*|assum\w*"
    r"|i (?:think|believe)|sort of|kind of|to (?:some|a|an) (?:\w+ )?(?:extent|degree)|in an? (?:\w+ )?(?:sense|way)"
    r"|as far as|caveats?|reservations?|contrary|opposite|untrue|inaccura\w*|incorrectly|wrongly|mistak\w*|sarcas\w*"
    r"|ironic\w*|confidence|conditional\w*|depend\w*)\b"
    r"|(?<![\d.])(?!100\s*%)\d+(?:\.\d+)?\s*%|\d\s*/\s*\d|[?\u2717\u2718\u274c\u274e\U0001f44e]",
    re.IGNORECASE,
)
_RETRACTS = re.compile(
    r"\b(?:wait|actually|correction|scratch (?:that|this)|second thoughts?|on reflection|reconsider\w*|my mistake"
    r"|i was wrong|i take (?:it|that) back|never ?mind|strike that)\b",
    re.IGNORECASE,
)
_SENTENCE = 4
"""Words from which on a remark is taken for a sentence of its own."""


def limits(text: str) -> bool:
    """Whether a text holds words that limit the verdict before it, or takes it back."""
    return bool(_LIMITS.search(text)) or retracts(text)


def retracts(text: str) -> bool:
    """Whether a text takes back what was said before it."""
    return bool(_RETRACTS.search(text))


def explains(text: str) -> bool:
    """Whether a text is a reason for the good verdict before it, and nothing else."""
    words = _words(text)
    return bool(words) and (words[0] in _OPENERS or len(words) >= _SENTENCE) and not limits(text)


def argues(text: str) -> bool:
    """Whether a text starts like a reason and goes on: what limits may then be a part of the reason."""
    words = _words(text)
    return (
        len(words) >= _SENTENCE and words[0] in _OPENERS and words[:2] not in (["as", "far"], ["in", "a"], ["in", "an"])
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
