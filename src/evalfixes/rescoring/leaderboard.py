"""A leaderboard before and after: what the data say of the order of models, and what they do not.

A mean is always shown with how many of how many answers it rests on. An answer without a score is
read as bad in the mean that ranks, and as good in the other end of its range, so a missing verdict
never raises anybody. Models are ranked, ties shared; but where the paired differences do not
separate them, they stand in one group, and their order says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalfixes.rescoring.records import Rescored

Scores = dict[str, dict[str, dict[str, float | None]]]
"""Model, question, run: the score, None where there is none."""

ALPHA = 0.05


@dataclass(frozen=True)
class Standing:
    """One model.

    Attributes:
        model: Its name.
        scored: How many of its answers have a score.
        total: How many it gave.
        mean: The mean with missing scores read as bad; it ranks.
        high: The same with missing scores read as good.
        rank: Its place; models with the same mean share the best.
        tied: Whether others have this place too.
    """

    model: str
    scored: int
    total: int
    mean: float
    high: float
    rank: int = 0
    tied: bool = False


@dataclass(frozen=True)
class Pair:
    """Two models on the questions that both answered.

    Attributes:
        first: The one with the higher mean on the leaderboard.
        second: The other.
        questions: How many they share with a score on both sides.
        difference: Mean of first minus second.
        p: Of the exact sign-flip permutation test; simulated where there are too many signs.
        p_holm: The same, corrected for the number of pairs.
        interval: 95 % BCa interval; only from 20 shared questions on.
    """

    first: str
    second: str
    questions: int
    difference: float
    p: float
    p_holm: float
    interval: tuple[float, float] | None

    @property
    def separate(self) -> bool:
        """Whether the data tell the two apart."""
        return self.p_holm <= ALPHA


@dataclass(frozen=True)
class Board:
    """All models by one score.

    Attributes:
        standings: Best first.
        pairs: Every two of them.
        groups: Models that the data do not separate; a model may stand in several.
        closest: The two that are hardest to tell apart.
        runs: How many runs there are of one question at most.
        intervals: With several runs, 95 % intervals of the means from a two-level bootstrap.
    """

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    closest: Pair | None = None
    runs: int = 1
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Leaderboard:
    """Before and after.

    Attributes:
        old_name: What the old score is called.
        new_name: What the new score is called.
        old: By the old score.
        new: By the new score.
        tau_b: Kendall's tau-b between the two orders; None where it is not defined.
    """

    old_name: str
    new_name: str
    old: Board
    new: Board
    tau_b: float | None


class Collected:
    """Scores of models, gathered one record at a time."""

    def __init__(self, metric: str = "") -> None:
        self.metric = metric
        self.old: Scores = {}
        self.new: Scores = {}
        self.name = ""

    def add(self, result: Rescored) -> None:
        """Takes a record's scores, if it says who answered and holds one metric, or the chosen one."""
        changes = [c for c in result.metrics if not self.metric or c.metric.endswith(self.metric)]
        if not result.model or not result.question or len(changes) != 1:
            return
        if result.kind != "rows" and not self.metric:  # histories of one app are no leaderboard unless one is asked for
            return
        change = changes[0]
        self.name = change.metric
        question, again = result.question, 1
        old = self.old.setdefault(result.model, {})
        while result.run in old.get(question, ()):  # the same question twice in one run: both count
            again += 1
            question = f"{result.question} ({again})"
        old.setdefault(question, {})[result.run] = change.old_score
        self.new.setdefault(result.model, {}).setdefault(question, {})[result.run] = change.new_score

    @property
    def models(self) -> int:
        """How many models there are."""
        return len(self.new)


def leaderboard(collected: Collected) -> Leaderboard:
    """Makes the leaderboard.

    Raises:
        OptionError: scipy is not installed.
    """
    old_name, _, new_name = collected.name.rpartition(" -> ")
    old, new = board(collected.old), board(collected.new)
    return Leaderboard(old_name or "before", new_name, old, new, tau_b(old, new))


def board(scores: Scores) -> Board:
    """Ranks models by their scores and says which of them the data separate."""
    from evalfixes.rescoring import statistics

    standings = _standings(scores)
    means = {model: _by_question(table) for model, table in scores.items()}
    order = [standing.model for standing in standings]
    raw = []
    for i, first in enumerate(order):
        for second in order[i + 1 :]:
            shared = [q for q in means[first] if q in means[second]]
            differences = [means[first][q] - means[second][q] for q in shared]
            raw.append((first, second, differences, statistics.sign_flip(differences)))
    adjusted = statistics.holm([p for *_, p in raw])
    pairs = tuple(
        Pair(first, second, len(d), _mean(d), p, holm, statistics.bca(d))
        for (first, second, d, p), holm in zip(raw, adjusted, strict=True)
    )
    runs = max((len(cells) for table in scores.values() for cells in table.values()), default=1)
    intervals = {}
    if runs > 1:
        intervals = {model: statistics.two_level(_nested(scores[model], _ends(scores)[0])) for model in order}
    closest = max(pairs, key=lambda pair: (pair.p_holm, pair.p, -abs(pair.difference)), default=None)
    return Board(standings, pairs, groups(order, pairs), closest, runs, intervals)


def _ends(scores: Scores) -> tuple[float, float]:
    """The bad and the good end of the scale, as far as it shows: 0 and 1 unless a score lies beyond."""
    given = [s for table in scores.values() for cells in table.values() for s in cells.values() if s is not None]
    return min(0.0, *given, 0.0), max(1.0, *given, 1.0)


def _standings(scores: Scores) -> tuple[Standing, ...]:
    low, high = _ends(scores)
    found = []
    for model, table in scores.items():
        cells = [score for runs in table.values() for score in runs.values()]
        given = [score for score in cells if score is not None]
        missing = len(cells) - len(given)
        total = math.fsum(given)
        mean, best = ((total + missing * end) / len(cells) for end in (low, high))
        found.append(Standing(model, len(given), len(cells), mean, best))
    found.sort(key=lambda standing: (-round(standing.mean, 9), standing.model))
    return _ranked(found)


def _ranked(found: Sequence[Standing]) -> tuple[Standing, ...]:
    keys = [round(standing.mean, 9) for standing in found]
    return tuple(
        Standing(s.model, s.scored, s.total, s.mean, s.high, keys.index(key) + 1, keys.count(key) > 1)
        for s, key in zip(found, keys, strict=True)
    )


def _by_question(table: Mapping[str, Mapping[str, float | None]]) -> dict[str, float]:
    """Each question's mean over its runs; questions without any score are left out of comparisons."""
    found = {}
    for question, cells in table.items():
        given = [score for score in cells.values() if score is not None]
        if given:
            found[question] = _mean(given)
    return found


def _nested(table: Mapping[str, Mapping[str, float | None]], low: float) -> list[list[float]]:
    """The runs of each question; a missing score is read as bad."""
    return [[low if score is None else score for score in cells.values()] for cells in table.values()]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def groups(order: Sequence[str], pairs: Iterable[Pair]) -> tuple[tuple[str, ...], ...]:
    """The largest stretches of the ranking in which no two models are separate."""
    apart = {frozenset((pair.first, pair.second)) for pair in pairs if pair.separate}
    found: list[tuple[int, int]] = []
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and all(frozenset((order[end], m)) not in apart for m in order[start:end]):
            end += 1
        if not found or end > found[-1][1]:
            found.append((start, end))
    return tuple(tuple(order[start:end]) for start, end in found)


def tau_b(old: Board, new: Board) -> float | None:
    """Kendall's tau-b between two boards, over the models that both have."""
    from evalfixes.rescoring import statistics

    before = {standing.model: standing.mean for standing in old.standings}
    after = {standing.model: standing.mean for standing in new.standings}
    shared = [model for model in before if model in after]
    return statistics.tau_b([round(before[m], 9) for m in shared], [round(after[m], 9) for m in shared])


def as_dict(result: Leaderboard) -> dict[str, Any]:
    """A leaderboard as JSON-able data."""
    return {
        "old_name": result.old_name,
        "new_name": result.new_name,
        "tau_b": result.tau_b,
        "runs": result.new.runs,
        "old": _board_dict(result.old),
        "new": _board_dict(result.new),
    }


def _board_dict(made: Board) -> dict[str, Any]:
    return {
        "standings": [vars(standing) for standing in made.standings],
        "groups": [list(group) for group in made.groups],
        "pairs": [{**vars(pair), "separate": pair.separate} for pair in made.pairs],
        "closest": None if made.closest is None else [made.closest.first, made.closest.second],
        "intervals": {model: list(ends) for model, ends in made.intervals.items()},
    }
