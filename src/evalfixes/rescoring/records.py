"""What is read from result files, and what becomes of it. All of it is plain data that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PASSED = "PASSED"
FAILED = "FAILED"
NOT_EVALUATED = "NOT_EVALUATED"
INFORMATIONAL = "INFORMATIONAL"


@dataclass(frozen=True)
class Place:
    """Where a record stands.

    Attributes:
        file: The file, as it was named.
        position: Where in the file, for a person: ``eval_case_results[3]``, ``line 7``.
    """

    file: str
    position: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.position}" if self.position else self.file


@dataclass(frozen=True)
class Record:
    """One stored case, as its format has it.

    Attributes:
        kind: Its format: ``adk``, ``deepeval``, ``agentevals`` or ``rows``.
        place: Where it stands.
        data: The case as it was decoded; never changed.
    """

    kind: str
    place: Place
    data: dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """Something that could not be read; it is skipped and counted.

    Attributes:
        place: Where it stands.
        reason: What is wrong with it.
        whole: Whether a whole file is meant.
    """

    place: Place
    reason: str
    whole: bool = False


@dataclass(frozen=True)
class MetricChange:
    """One metric of a case, as stored and as rescored.

    Attributes:
        metric: Its name.
        old_score: The stored score.
        old_status: The stored status.
        new_score: The score by what the file holds; None if unscored.
        new_status: Its status.
        known: Whether the file holds what is needed to say so. If not, the new values repeat the old.
        why: What changed it, or why nothing can be known.
        fix: The id of the fix that repairs the fault in new runs; empty where there is none.
    """

    metric: str
    old_score: float | None
    old_status: str
    new_score: float | None
    new_status: str
    known: bool
    why: str = ""
    fix: str = ""

    @property
    def changed(self) -> bool:
        """Whether score or status differ."""
        return self.old_status != self.new_status or self.old_score != self.new_score


@dataclass(frozen=True)
class Rescored:
    """What became of one record.

    Attributes:
        kind: Its format.
        place: Where it stands.
        case: The name of the case.
        old_status: The stored status of the case.
        new_status: Its status by what can be known.
        metrics: Its metrics.
        why: What changed the status of the case besides its metrics.
        model: Who answered, where the record says so.
        question: What was asked: the question itself, or the name of the case.
        run: Which run it is of, where the record says so.
    """

    kind: str
    place: Place
    case: str
    old_status: str
    new_status: str
    metrics: tuple[MetricChange, ...] = ()
    why: tuple[str, ...] = ()
    model: str = ""
    question: str = ""
    run: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything differs."""
        return self.old_status != self.new_status or any(change.changed for change in self.metrics)

    @property
    def stands(self) -> bool | None:
        """Whether a past pass stands.

        Returns:
            False if it does not; None where the file does not hold what is needed to know, or where
            there was no pass.
        """
        if self.old_status != PASSED:
            return None
        if self.new_status != PASSED:
            return False
        return True if all(change.known for change in self.metrics) else None

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON-able data."""
        return {
            "kind": self.kind,
            "file": self.place.file,
            "position": self.place.position,
            "case": self.case,
            "model": self.model,
            "old_status": self.old_status,
            "new_status": self.new_status,
            "stands": self.stands,
            "changed": self.changed,
            "why": list(self.why),
            "metrics": [
                {
                    "metric": change.metric,
                    "old": {"score": change.old_score, "status": change.old_status},
                    "new": {"score": change.new_score, "status": change.new_status},
                    "known": change.known,
                    "why": change.why,
                    "fix": change.fix,
                }
                for change in self.metrics
            ],
        }


@dataclass(frozen=True)
class Options:
    """How records are rescored.

    Attributes:
        metric: The new score of plain rows: a metric (``correctness_v1``, ``response_match_score``,
            ``exact_match``), or a field that holds it. Empty for the first that the rows allow.
        old: The field of plain rows that holds the old score.
        threshold: From what score on a plain row passes.
        references: References by question, for rows and cases that hold none.
        judge: ``module:function`` of the judge of ``correctness_v1``.
        incomplete: What an incomplete part becomes (see `evalfixes.verdicts.aggregate`).
    """

    metric: str = ""
    old: str = ""
    threshold: float = 0.7
    references: dict[str, Any] = field(default_factory=dict)
    judge: str = ""
    incomplete: str = "decide"
