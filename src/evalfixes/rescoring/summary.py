"""Counts what became of the records, and keeps of them only what a report shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from evalfixes.errors import OptionError
from evalfixes.rescoring.leaderboard import Collected, Leaderboard, as_dict, leaderboard
from evalfixes.rescoring.records import PASSED, Problem, Rescored

KEPT = 2_000
"""Cases and problems that are kept for a report; all of them are counted, and written by ``--out``."""


@dataclass
class Summary:
    """What a run came to.

    Attributes:
        metric: The metric that the leaderboard is made of; empty for the only one.
        records: How many records were read.
        kinds: How many of each format.
        passes: How many had passed.
        fallen: How many of these do not stand.
        standing: How many stand.
        unknown: Of how many past passes the files do not say.
        raised: How many had not passed, and do now.
        changed: How many differ in anything.
        reasons: How often each fix's fault, or a case's own reason, was found in what changed.
        unknown_reasons: Why nothing is known, and how often.
        problems: What could not be read, counted by ``skipped``.
        cases: Kept cases: those that fell first.
    """

    metric: str = ""
    records: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    passes: int = 0
    fallen: int = 0
    standing: int = 0
    unknown: int = 0
    raised: int = 0
    changed: int = 0
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unknown_reasons: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    cases: list[Rescored] = field(default_factory=list)
    others: list[Rescored] = field(default_factory=list)
    shifts: Counter[tuple[float, float]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.collected = Collected(self.metric)
        self._board: Leaderboard | None = None
        self.board_missing = ""

    def add(self, outcome: Rescored | Problem) -> None:
        """Counts one outcome."""
        if isinstance(outcome, Problem):
            self.skipped += 1
            if len(self.problems) < KEPT:
                self.problems.append(outcome)
            return
        self.records += 1
        self.kinds[outcome.kind] += 1
        self.collected.add(outcome)
        self.changed += outcome.changed
        stands = outcome.stands
        if outcome.old_status == PASSED:
            self.passes += 1
            self.fallen += stands is False
            self.standing += stands is True
            self.unknown += stands is None
        elif outcome.new_status == PASSED:
            self.raised += 1
        for change in outcome.metrics:
            if change.changed:
                self.reasons[change.fix or change.metric] += 1
                if change.old_score is not None and change.new_score is not None:
                    self.shifts[round(change.old_score, 2), round(change.new_score, 2)] += 1
            elif not change.known and stands is None and outcome.old_status == PASSED:
                self.unknown_reasons[f"{change.metric}: {change.why}"] += 1
        kept = self.cases if stands is False else self.others if outcome.changed or stands is None else None
        if kept is not None and len(kept) < KEPT:
            kept.append(outcome)

    @property
    def exit_code(self) -> int:
        """1 if a past pass does not stand, else 0."""
        return 1 if self.fallen else 0

    def board(self) -> Leaderboard | None:
        """The leaderboard; None where fewer than two models answered."""
        if self._board is None and self.collected.models > 1 and not self.board_missing:
            try:
                self._board = leaderboard(self.collected)
            except OptionError as missing:  # the rest of the report stands without it
                self.board_missing = str(missing)
        return self._board

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON-able data, without the cases."""
        made = self.board()
        return {
            "records": self.records,
            "by_format": dict(self.kinds),
            "passes": self.passes,
            "passes_that_stand": self.standing,
            "passes_that_do_not_stand": self.fallen,
            "passes_not_known": self.unknown,
            "passes_new": self.raised,
            "changed": self.changed,
            "skipped": self.skipped,
            "reasons": dict(self.reasons.most_common()),
            "not_known_because": dict(self.unknown_reasons.most_common()),
            "problems": [
                {"file": p.place.file, "position": p.place.position, "reason": p.reason} for p in self.problems
            ],
            "leaderboard": None if made is None else as_dict(made),
            "leaderboard_missing": self.board_missing,
        }
