"""What came of an evaluation: a score, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from evalfixes.correctness.hint import NO_HINT, Hint
from evalfixes.correctness.reply import Claim, Verdict


class Status(str, Enum):
    """What an answer, or one sample of its judgement, came to."""

    SCORED = "scored"
    NO_REFERENCE = "no_reference"
    RUN_ERROR = "run_error"
    EMPTY_ANSWER = "empty_answer"
    NOT_ANSWERED = "not_answered"
    NO_CLAIM = "no_claim"
    UNVERIFIED = "unverified"
    UNREADABLE = "unreadable"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Sample:
    """One judgement.

    Attributes:
        status: What it came to.
        score: From 0 to 1; None if unscored.
        claims: The claims with their verdicts.
        reason: Why it has this status.
        reply: The judge's reply as far as it is text.
    """

    status: Status
    score: float | None = None
    claims: tuple[Claim, ...] = ()
    reason: str = ""
    reply: str = ""

    @property
    def contradictions(self) -> tuple[Claim, ...]:
        """The contradicted claims whose quotes stand in the texts."""
        return tuple(c for c in self.claims if c.verdict is Verdict.CONTRADICTED and c.verified)

    @property
    def unverified(self) -> int:
        """How many verdicts were downgraded because their quotes are not in the texts."""
        return sum(1 for claim in self.claims if not claim.verified)


@dataclass(frozen=True)
class Result:
    """An answer's correctness.

    Attributes:
        status: ``scored``, or why not.
        score: Mean of the scored samples; None if unscored, which is neither 0 nor a pass.
        reason: What speaks against the answer, with both quotes, or why there is no score.
        samples: The judgements, in order.
        stdev: Standard deviation of the scored samples; None for fewer than two.
        low: The lowest scored sample.
        high: The highest.
        hint: What the numbers say, by a deterministic rule.
        prompt: The version of the prompt.
    """

    status: Status
    score: float | None
    reason: str
    samples: tuple[Sample, ...] = ()
    stdev: float | None = None
    low: float | None = None
    high: float | None = None
    hint: Hint = NO_HINT
    prompt: str = ""

    @property
    def scored(self) -> int:
        """How many samples have a score."""
        return sum(1 for sample in self.samples if sample.score is not None)

    @property
    def total(self) -> int:
        """How many samples were asked for."""
        return len(self.samples)

    @property
    def contradictions(self) -> tuple[Claim, ...]:
        """The verified contradictions of all samples, each pair of quotes once."""
        pairs = {(c.answer_quote, c.reference_quote): c for s in self.samples for c in s.contradictions}
        return tuple(pairs.values())

    @property
    def unverified(self) -> int:
        """How many verdicts of all samples rest on quotes that are not in the texts."""
        return sum(sample.unverified for sample in self.samples)

    @property
    def hint_conflict(self) -> bool:
        """Whether judge and numbers disagree; worth a look by a person."""
        return self.score is not None and (
            (self.hint.outcome == "contradicts" and self.score == 1.0)
            or (self.hint.outcome == "agrees" and self.score == 0.0)
        )

    def passed(self, threshold: float) -> bool | None:
        """Whether the score reaches a threshold; None if there is no score."""
        return None if self.score is None else self.score >= threshold

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON-able data."""
        return {
            "status": self.status.value,
            "score": self.score,
            "reason": self.reason,
            "stdev": self.stdev,
            "range": None if self.low is None else [self.low, self.high],
            "scored": self.scored,
            "total": self.total,
            "contradictions": [_claim(claim) for claim in self.contradictions],
            "unverified": self.unverified,
            "hint": {"outcome": self.hint.outcome, "detail": self.hint.detail, "conflict": self.hint_conflict},
            "prompt": self.prompt,
            "samples": [
                {
                    "status": sample.status.value,
                    "score": sample.score,
                    "reason": sample.reason,
                    "claims": [_claim(claim) for claim in sample.claims],
                }
                for sample in self.samples
            ],
        }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.text,
        "verdict": claim.verdict.value,
        "central": claim.central,
        "answer_quote": claim.answer_quote,
        "reference_quote": claim.reference_quote,
        "verified": claim.verified,
    }
