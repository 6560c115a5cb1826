"""Reading a yes/no verdict out of a judge's prose.

A judge that was asked for a reason first ends with a line that names its verdict; one that was not
asked begins with it. Models of the smaller kind repeat the question before and invent further
questions after. The verdict is the one that belongs to the question that was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalfixes.verdicts import yesno

_INVENTED = re.compile(r"\n\s*\n\s*(?:Question|Q)\s*:", re.IGNORECASE)
_POSITIVE = re.compile(r"\b(?:is|are|was|were)\s+(?:also\s+|indeed\s+|actually\s+)?correct\b", re.IGNORECASE)
_NEGATIVE = re.compile(
    r"\b(?:is|are|was|were)\s+(?:not\s+(?:entirely\s+)?correct|incorrect|wrong)\b|n't correct\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Reading:
    """A reply as far as it can be read.

    Attributes:
        verdict: ``yes`` or ``no``; None where it is not plain.
        conflict: Whether the words beside the verdict say the opposite.
    """

    verdict: str | None
    conflict: bool = False


def read(reply: str, cue: str, question: str = "") -> Reading:
    """Reads a reply.

    Args:
        reply: The judge's text.
        cue: What the verdict is announced by, such as ``Answer based on explanation:``.
        question: The question that the judge may repeat before it answers.

    Returns:
        The reading. With a cue in the reply the last one before an invented question counts;
        without, the first words do.
    """
    text = reply.strip()
    if question:
        # What stands before it is the prompt, repeated.
        place = text.lower().find(question.lower())
        text = text if place < 0 else text[place + len(question) :].strip()
    asked = _INVENTED.split(text)[0]
    found = list(re.finditer(re.escape(cue), asked, re.IGNORECASE))
    if found:
        said = asked[found[-1].end() :].strip()
        verdict = yesno.read(said.splitlines()[0]) if said else None
        earlier = {yesno.read(asked[cue_at.end() :].strip().splitlines()[0]) for cue_at in found[:-1]}
        beside = asked[: found[-1].start()]
        if earlier - {verdict, None}:
            return Reading(None, conflict=True)
    else:
        verdict, beside = yesno.read(asked), asked
    positive, negative = bool(_POSITIVE.search(beside)), bool(_NEGATIVE.search(beside))
    opposite = (verdict == "yes" and negative and not positive) or (verdict == "no" and positive and not negative)
    return Reading(verdict, opposite)
