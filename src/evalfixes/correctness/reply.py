"""Reading a judge's reply into claims; what is not plain makes the whole sample unreadable."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from evalfixes.correctness.quotes import found
from evalfixes.correctness.reference import Reference, is_blank
from evalfixes.verdicts import yesno
from evalfixes.verdicts.objects import ObjectError, last_object, objects

KEYS = ("claim", "verdict", "central", "answer_quote", "reference_quote")
"""What a judge has to say of every claim."""


class Verdict(str, Enum):
    """What the reference says of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_IN_REFERENCE = "not_in_reference"


class UnreadableError(ValueError):
    """A reply that gives no plain verdicts; the message says why."""


@dataclass(frozen=True)
class Claim:
    """One claim of an answer, as a judge sees it.

    Attributes:
        text: The claim in the judge's words.
        verdict: What the reference says of it.
        central: Whether it is about what the question asks for.
        answer_quote: The words of the answer.
        reference_quote: The words of the reference.
        verified: Whether the quotes stand in the texts. A verdict that is not verified is no evidence.
    """

    text: str
    verdict: Verdict
    central: bool
    answer_quote: str
    reference_quote: str
    verified: bool = True

    def describe(self) -> str:
        """Both quotes, for a reason that a person reads."""
        return f'the answer says "{self.answer_quote}", the reference says "{self.reference_quote}"'


def read(reply: Any, answer: str, reference: Reference, others: Iterable[str] = ()) -> tuple[Claim, ...]:
    """Reads a reply.

    Args:
        reply: What the judge returned: text, or the object itself if it gives structured output.
        answer: The answer that was judged.
        reference: What it was compared with.
        others: Further texts that the prompt held, such as the question.

    Returns:
        The claims, repetitions left out.

    Raises:
        UnreadableError: The reply has no object, lacks a key, has an unknown verdict, gives two
            verdicts for one claim, or only repeats an object that stands in the judged texts.
    """
    table = _table(reply)
    if any(table in objects(text) for text in (answer, reference.text, *others) if "{" in text):
        raise UnreadableError("the last JSON object of the reply is one of the judged texts' own")
    claims = table.get("claims")
    if not isinstance(claims, list):
        raise UnreadableError("the reply has no list of claims")
    given: dict[str, Claim] = {}
    for number, entry in enumerate(claims, 1):
        claim = _claim(entry, number, answer, reference)
        known = given.setdefault(_name(claim.text), claim)
        if (known.verdict, known.central) != (claim.verdict, claim.central):
            raise UnreadableError(f"the reply gives two verdicts for one claim: {claim.text!r}")
        if claim.verified and not known.verified:
            given[_name(claim.text)] = claim
    return tuple(given.values())


def _table(reply: Any) -> Mapping[str, Any]:
    if isinstance(reply, Mapping):
        return reply
    if not isinstance(reply, str):
        raise UnreadableError(f"the judge returned {type(reply).__name__}, not text")
    if is_blank(reply):
        raise UnreadableError("the judge returned nothing")
    try:
        return last_object(reply)
    except ObjectError as error:
        raise UnreadableError(str(error)) from None


def _claim(entry: Any, number: int, answer: str, reference: Reference) -> Claim:
    if not isinstance(entry, Mapping):
        raise UnreadableError(f"claim {number} is no object")
    missing = [key for key in KEYS if key not in entry]
    if missing:
        raise UnreadableError(f"claim {number} has no {' and no '.join(missing)}")
    text = entry["claim"]
    if not isinstance(text, str) or is_blank(text):
        raise UnreadableError(f"claim {number} has no text")
    verdict = label(entry["verdict"])
    if verdict is None:
        raise UnreadableError(f"claim {number} has no plain verdict: {entry['verdict']!r:.80}")
    central = yesno.read(entry["central"])
    if central is None:
        raise UnreadableError(f"claim {number} does not say whether it is central: {entry['central']!r:.80}")
    answer_quote, reference_quote = (_quote(entry[key], key, number) for key in KEYS[3:])
    return Claim(
        text=text,
        verdict=verdict,
        central=central == "yes",
        answer_quote=answer_quote,
        reference_quote=reference_quote,
        verified=_verified(verdict, answer_quote, reference_quote, answer, reference),
    )


def _verified(verdict: Verdict, answer_quote: str, reference_quote: str, answer: str, reference: Reference) -> bool:
    if verdict is Verdict.NOT_IN_REFERENCE:
        return True
    # What the reference lists as wrong supports nothing.
    against = (*reference.right, *(reference.contradictions if verdict is Verdict.CONTRADICTED else ()))
    return found(answer_quote, answer) and any(found(reference_quote, text) for text in against)


def _quote(value: Any, key: str, number: int) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise UnreadableError(f"claim {number}: {key} is no text")


_LABELS = {
    "supported": Verdict.SUPPORTED,
    "contradicted": Verdict.CONTRADICTED,
    "not in the reference": Verdict.NOT_IN_REFERENCE,
    "not in reference": Verdict.NOT_IN_REFERENCE,
}
_MARKUP = re.compile(r"[*`\"'‘’“”«»\[\](){}<>]")
_REASON = re.compile(r"^([a-z ]+?)\s*(?:[,;:.]|\s-+\s|[–—]|\sbecause\b|\ssince\b)\s*(.+)$")
_OTHER = re.compile(
    r"\b(?:support\w*|contradict\w*|not in|but|however|although|though|except|partial\w*|partly|mostly|maybe|perhaps|"
    r"wait|actually|or)\b"
)


def label(raw: Any) -> Verdict | None:
    """The verdict that a word stands for.

    Args:
        raw: What the judge wrote; capitals, emphasis, quotes, underscores and a full stop mean
            nothing, a reason may follow.

    Returns:
        The verdict; None for any other word, and for a reason that speaks of another verdict.
    """
    if isinstance(raw, Enum):
        raw = raw.value
    if not isinstance(raw, str):
        return None
    plain = unicodedata.normalize("NFKC", raw).casefold()
    plain = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    plain = re.sub(r"[_\-\u2010\u2011]+(?=\w)", " ", _MARKUP.sub("", plain)).replace("_", " ")
    plain = " ".join(plain.split()).strip(" .!,;:")
    if plain in _LABELS:
        return _LABELS[plain]
    parted = _REASON.match(plain)
    if parted is None or _OTHER.search(parted.group(2)):
        return None
    return _LABELS.get(parted.group(1).strip())


def _name(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!\"'`")
