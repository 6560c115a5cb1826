"""Runs a metric on mutated replies of its judge and says which mutants make the outcome better."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalfixes.errors import EvalfixesError
from evalfixes.testing.judges import Exchange, Tap
from evalfixes.testing.operators import OPERATORS, Mutant, Operator
from evalfixes.testing.outcome import DEAF, GREENER, Outcome, classify, outcome

Run = Callable[[Tap], Any]
"""Runs the metric once, its judge's replies passed through the tap; gives ``(score, passed)`` or an `Outcome`."""


class NothingToAuditError(EvalfixesError, ValueError):
    """The metric gave no score on any of the unmutated replies, so there is nothing to compare with."""


@dataclass(frozen=True)
class Answers:
    """One honest judge to start from.

    Attributes:
        name: Such as ``good``, ``bad`` or ``mixed``.
        run: Runs the metric with that judge.
    """

    name: str
    run: Run


@dataclass(frozen=True)
class Baseline:
    """The unmutated run of one honest judge.

    Attributes:
        name: The name of the `Answers`.
        outcome: What the metric made of it.
        exchanges: What was asked and answered.
    """

    name: str
    outcome: Outcome
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True)
class Finding:
    """What became of one mutant.

    Attributes:
        baseline: What it is compared with.
        call: The number of the mutated call, from 0 on.
        mutant: The mutated reply.
        outcome: What the metric made of it.
        kind: `GREENER`, `DEAF` or `SAFE`.
    """

    baseline: Baseline
    call: int
    mutant: Mutant
    outcome: Outcome
    kind: str

    @property
    def exchange(self) -> Exchange:
        """The unmutated call."""
        return self.baseline.exchanges[self.call]

    @property
    def size(self) -> tuple[int, int]:
        """How much a person has to read to see it."""
        whole = sum(len(exchange.reply.text) for exchange in self.baseline.exchanges)
        return (whole, len(str(self.mutant.reply)))


@dataclass(frozen=True)
class Audit:
    """All that was found on one metric.

    Attributes:
        target: The metric, as it was named.
        findings: Every mutant.
        unusable: Baselines without a score, with the reason.
    """

    target: str
    findings: tuple[Finding, ...]
    unusable: Mapping[str, str] = field(default_factory=dict)

    def of(self, kind: str, operator: str | None = None) -> list[Finding]:
        """The findings of a kind, in the order in which they were made."""
        return [f for f in self.findings if f.kind == kind and operator in (None, f.mutant.operator)]

    @property
    def operators(self) -> list[str]:
        """The operators that had at least one mutant, in their order."""
        return list(dict.fromkeys(finding.mutant.operator for finding in self.findings))

    def smallest(self, kind: str = GREENER) -> list[Finding]:
        """Per operator the finding of a kind that takes the least reading."""
        found = []
        for name in self.operators:
            of_kind = self.of(kind, name)
            if of_kind:
                found.append(min(of_kind, key=lambda finding: finding.size))
        return found

    def check(self, kinds: Sequence[str] = (GREENER,)) -> None:
        """For a test.

        Args:
            kinds: What must not have been found; add `DEAF` to ask for that as well.

        Raises:
            AssertionError: It was found; the message holds the smallest counterexample of each operator.
        """
        from evalfixes.testing.report import counterexample

        found = [finding for kind in kinds for finding in self.smallest(kind)]
        if found:
            shown = "\n\n".join(counterexample(self.target, finding) for finding in found)
            raise AssertionError(f"{self.target}: {len(found)} operators make it {' or '.join(kinds)}\n\n{shown}")


def audit(
    target: str,
    answers: Iterable[Answers],
    operators: Iterable[Operator] = OPERATORS,
    watch: Callable[[int], None] | None = None,
) -> Audit:
    """Mutates each reply of each honest judge with each operator, one at a time.

    Args:
        target: The metric's name, for the report.
        answers: Honest judges; the outcome of each is compared with those of its own mutants.
        operators: The operators.
        watch: Told after each mutant how many there were.

    Raises:
        NothingToAuditError: The metric gave no score on any of the unmutated replies.
    """
    findings: list[Finding] = []
    seen_before: set[tuple[str, ...]] = set()
    unusable: dict[str, str] = {}
    chosen = list(operators)
    for given in answers:
        tap = Tap()
        base = once(given.run, tap)
        if base.score is None:
            unusable[given.name] = base.note or "no score"
            continue
        baseline = Baseline(given.name, base, tuple(tap.exchanges))
        said = tuple(str(exchange.reply) for exchange in tap.exchanges)
        if (*said, str(base)) in seen_before:  # another mood that comes to the same
            continue
        seen_before.add((*said, str(base)))
        for call, mutant in _sites(baseline.exchanges, chosen):
            seen = once(given.run, Tap({call: mutant.reply}, baseline.exchanges))
            findings.append(Finding(baseline, call, mutant, seen, classify(base, seen, mutant.group)))
            if watch is not None:
                watch(len(findings))
    if not findings:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in unusable.items()) or "the judge was never asked"
        raise NothingToAuditError(f"{target}: no score on any unmutated reply ({reasons})")
    return Audit(target, tuple(findings), unusable)


def _sites(exchanges: Sequence[Exchange], operators: Sequence[Operator]) -> Iterator[tuple[int, Mutant]]:
    for call, exchange in enumerate(exchanges):
        for operator in operators:
            for mutant in operator.mutants(exchange.reply):
                yield call, mutant


def once(run: Run, tap: Tap) -> Outcome:
    """One run of the metric; an exception is no score."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return outcome(run(tap))
    except Exception as error:
        return Outcome(None, False, f"{type(error).__name__}: {error}"[:300])


__all__ = ["DEAF", "GREENER", "Answers", "Audit", "Baseline", "Finding", "NothingToAuditError", "Run", "audit", "once"]
