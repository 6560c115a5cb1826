"""The score, computed from verdicts: contradiction counts, completeness does not.

One sample, with ``c`` central and ``m`` minor verified contradictions and ``s`` central supported
claims:

    c > 0             0
    s > 0             1 / (1 + m)
    s = 0, m > 0      0
    s = 0, m = 0      no score: not_answered (or no_claim, where there is no claim at all)

Claims that the reference says nothing about, minor supported claims and what the answer leaves out
are not in the formula. So a true detail more never lowers the score, a contradiction more never
raises it (no score is not below a score, but it is never a pass), and the order of the claims means
nothing; a crowd of true details cannot outvote one contradiction.

A verdict whose quotes are not in the texts is unverified, and no evidence: the sample is scored with
such verdicts read as bad and as good, and has a score only if both readings give the same.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from evalfixes.correctness.hint import NO_HINT, Hint
from evalfixes.correctness.reply import Claim, Verdict
from evalfixes.correctness.result import Result, Sample, Status

EmptyAnswer = Literal["unscored", "wrong"]
Unverified = Literal["unscored", "ignore"]

_WORST_FIRST = (Status.UNREADABLE, Status.UNVERIFIED, Status.NO_CLAIM, Status.NOT_ANSWERED)


def of_claims(claims: Sequence[Claim]) -> float | None:
    """The score of claims that are all taken as they stand; None if they do not answer."""
    contradicted = [claim.central for claim in claims if claim.verdict is Verdict.CONTRADICTED]
    supported = any(claim.central for claim in claims if claim.verdict is Verdict.SUPPORTED)
    if any(contradicted):
        return 0.0
    if supported:
        return 1.0 / (1 + len(contradicted))
    return 0.0 if contradicted else None


def sample(
    claims: Sequence[Claim],
    reply: str = "",
    empty_answer: EmptyAnswer = "unscored",
    unverified: Unverified = "unscored",
) -> Sample:
    """Scores one judgement.

    Args:
        claims: The claims as they were read.
        reply: The judge's reply, kept for whoever looks.
        empty_answer: ``wrong`` scores an answer that does not answer as 0.
        unverified: ``ignore`` leaves unverified verdicts out instead of reading them twice.

    Returns:
        The sample.
    """
    claims = tuple(claims)
    if not claims:
        return Sample(Status.NO_CLAIM, None, claims, "nothing was found that could be checked", reply)
    known = [claim for claim in claims if claim.verified]
    doubtful = [claim for claim in claims if not claim.verified]
    bad = of_claims([*known, *(c for c in doubtful if c.verdict is Verdict.CONTRADICTED)])
    good = of_claims([*known, *(c for c in doubtful if c.verdict is Verdict.SUPPORTED)])
    score = of_claims(known)
    if unverified == "unscored" and bad != good:
        first = doubtful[0]
        reason = (
            f"{len(doubtful)} of {len(claims)} verdicts rest on quotes that are not in the texts, "
            f'such as {first.verdict.value}: "{first.text}"'
        )
        return Sample(Status.UNVERIFIED, None, claims, reason, reply)
    if unverified == "unscored":
        score = bad
    if score is None:
        reason = "the answer neither supports nor contradicts a central claim of the reference"
        return Sample(Status.NOT_ANSWERED, 0.0 if empty_answer == "wrong" else None, claims, reason, reply)
    against = [claim for claim in known if claim.verdict is Verdict.CONTRADICTED]
    reason = "; ".join(claim.describe() for claim in against) or "nothing contradicts the reference"
    return Sample(Status.SCORED, score, claims, reason, reply)


def combine(samples: Sequence[Sample], minimum: int, hint: Hint = NO_HINT, prompt: str = "") -> Result:
    """Makes one result of repeated judgements. A failed one costs itself only.

    Args:
        samples: The judgements.
        minimum: How many of them need a score.
        hint: What the numbers say.
        prompt: The version of the prompt.

    Returns:
        The mean with deviation and range, or the commonest reason why there is none.
    """
    scores = [s.score for s in samples if s.score is not None]
    counts = Counter(s.status for s in samples)
    if len(scores) < minimum:
        status = max(_WORST_FIRST, key=lambda status: (counts[status], -_WORST_FIRST.index(status)))
        reasons = dict.fromkeys(f"{s.status}: {s.reason}" for s in samples if s.score is None)
        reason = f"{len(scores)} of {len(samples)} samples have a score, {minimum} needed; " + "; ".join(reasons)
        return Result(status, None, reason, tuple(samples), hint=hint, prompt=prompt)
    status = Status.SCORED if counts[Status.SCORED] else Status.NOT_ANSWERED
    reasons = dict.fromkeys(s.reason for s in samples if s.score is not None and s.score < 1.0)
    reason = "; ".join(reasons) or "nothing contradicts the reference"
    if len(scores) < len(samples):
        reason += f" ({len(scores)} of {len(samples)} samples have a score)"
    return Result(
        status=status,
        score=statistics.fmean(scores),
        reason=reason,
        samples=tuple(samples),
        stdev=statistics.stdev(scores) if len(scores) > 1 else None,
        low=min(scores),
        high=max(scores),
        hint=hint,
        prompt=prompt,
    )
