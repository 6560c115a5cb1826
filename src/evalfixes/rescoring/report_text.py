"""The report as text."""

from __future__ import annotations

from collections.abc import Iterator

from evalfixes.rescoring.leaderboard import Board, Leaderboard, Pair
from evalfixes.rescoring.records import MetricChange, Rescored
from evalfixes.rescoring.statistics import ENOUGH
from evalfixes.rescoring.summary import Summary

SHOWN = 20
"""Cases, problems and pairs that are printed."""


def lines(summary: Summary) -> Iterator[str]:
    """The whole report, line by line."""
    yield headline(summary)
    for case in summary.cases[:SHOWN]:
        yield from _case(case)
    if summary.fallen > SHOWN:
        yield f"... and {summary.fallen - SHOWN} more; --out DIR writes them all"
    if summary.reasons:
        yield "why: " + ", ".join(f"{reason} ({count})" for reason, count in summary.reasons.most_common(8))
    for reason, count in summary.unknown_reasons.most_common(5):
        yield f"not known for {count}: {reason}"
    for problem in summary.problems[:SHOWN]:
        yield f"skipped {problem.place}: {problem.reason}"
    if summary.skipped > SHOWN:
        yield f"... and {summary.skipped - SHOWN} more"
    board = summary.board()
    if board is not None:
        yield ""
        yield from board_lines(board)
    elif summary.board_missing:
        yield summary.board_missing


def headline(summary: Summary) -> str:
    """One line: how many past passes stand."""
    parts = [f"{summary.fallen} do not stand", f"{summary.standing} stand", f"{summary.unknown} cannot be known"]
    end = f"; {summary.raised} that had not passed do now" if summary.raised else ""
    skipped = f"; {summary.skipped} skipped" if summary.skipped else ""
    records = f"{summary.records} record{'s' * (summary.records != 1)}"
    passes = f"{summary.passes} past pass{'es' * (summary.passes != 1)}"
    return f"{records}, {passes}: {', '.join(parts)}{end}{skipped}"


def value(score: float | None, status: str) -> str:
    """A score with its status."""
    return f"{'no score' if score is None else f'{score:.4g}'} {status}"


def change_text(change: MetricChange) -> str:
    """What became of a metric."""
    arrow = f"{value(change.old_score, change.old_status)} -> {value(change.new_score, change.new_status)}"
    return f"{change.metric}: {arrow}" + (f" ({change.why})" if change.why else "")


def _case(case: Rescored) -> Iterator[str]:
    who = f" by {case.model}" if case.model and case.kind == "rows" else ""
    yield f"{case.place}: {case.case[:100]}{who}: {case.old_status} -> {case.new_status}"
    for reason in case.why:
        yield f"    {reason}"
    for change in case.metrics:
        if change.changed:
            yield f"    {change_text(change)}"


def board_lines(board: Leaderboard) -> Iterator[str]:
    """The leaderboard before and after."""
    yield f"leaderboard: {board.old_name} -> {board.new_name}"
    before = {standing.model: standing for standing in board.old.standings}
    width = max(len(standing.model) for standing in board.new.standings)
    for new in board.new.standings:
        old = before[new.model]
        moved = old.rank - new.rank
        mark = f"up {moved}" if moved > 0 else f"down {-moved}" if moved < 0 else "same"
        span = f", up to {new.high:.3f}" if new.scored < new.total else ""
        line = f"  {place(new.rank, new.tied):>4}  {new.model.ljust(width)}  {new.mean:.3f}"
        line += f" ({new.scored}/{new.total}{span})"
        line += f"  was {place(old.rank, old.tied)} with {old.mean:.3f} ({old.scored}/{old.total}), {mark}"
        ends = board.new.intervals.get(new.model)
        yield line + (f", 95 % {ends[0]:.3f} to {ends[1]:.3f}" if ends else "")
    if board.tau_b is not None:
        yield f"  Kendall's tau-b between the two orders: {board.tau_b:.3f}"
    yield from separation(board.new)


def place(rank: int, tied: bool) -> str:
    """A rank; shared ones are marked."""
    return f"{rank}=" if tied else str(rank)


def separation(board: Board) -> Iterator[str]:
    """Which models the data tell apart, in sentences."""
    apart = sum(pair.separate for pair in board.pairs)
    runs = "single run: what a second run would change is not known" if board.runs == 1 else f"{board.runs} runs"
    yield f"  {apart} of {len(board.pairs)} pairs separate (sign-flip permutation, Holm, 5 %); {runs}"
    if len(board.groups) < len(board.standings):
        for group in board.groups:
            if len(group) > 1:
                yield f"  not separable, so their order says nothing: {', '.join(group)}"
    if board.closest is not None:
        yield f"  closest: {pair_text(board.closest)}"


def pair_text(pair: Pair) -> str:
    """Two models, compared."""
    if pair.interval is not None:
        span = f"[{pair.interval[0]:+.3f}, {pair.interval[1]:+.3f}]"
    else:
        span = "no interval below 20 questions" if pair.questions < ENOUGH else "no interval"
    verdict = "separate" if pair.separate else "not separable"
    return (
        f"{pair.first} and {pair.second}: {pair.difference:+.3f} {span} on {pair.questions} common questions, "
        f"p {pair.p:.3g}, after Holm {pair.p_holm:.3g}: {verdict}"
    )
