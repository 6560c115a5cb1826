"""A stored metric, and what may become of it."""

from __future__ import annotations

import math

from evalfixes.rescoring.records import FAILED, NOT_EVALUATED, PASSED, MetricChange

JUDGED = "google-adk stores no judge's replies, only what it made of them"
"""Why nothing more is known of a judged metric."""


class Stored:
    """A metric of a case as it is stored, and the ways in which it may change."""

    def __init__(self, name: str, score: float | None, status: str, threshold: float | None, policy: str) -> None:
        self.name = name
        self.score = score
        self.status = status
        self.threshold = math.nan if threshold is None else threshold
        self.policy = policy

    def passes(self, score: float) -> bool:
        """Upstream's comparison."""
        return score >= self.threshold

    def keep(self, why: str, known: bool = False) -> MetricChange:
        """What is stored, with a word on why it is not more."""
        return MetricChange(self.name, self.score, self.status, self.score, self.status, known, why)

    def to(self, score: float | None, why: str, fix: str = "", passed: bool | None = None) -> MetricChange:
        """A new score, with the status that belongs to it."""
        if score is not None and passed is None:
            passed = self.passes(score)
        status = {None: NOT_EVALUATED, True: PASSED, False: FAILED}[passed]
        return MetricChange(self.name, self.score, self.status, score, status, True, why, fix)
