"""The pictures of the HTML report, drawn by matplotlib as SVG."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from typing import Any

from evalfixes.errors import OptionError
from evalfixes.rescoring.leaderboard import Leaderboard
from evalfixes.rescoring.report_text import place

DOWN, UP, SAME, INK = "#b3261e", "#1a6fb0", "#6b7280", "#1f2933"
MODELS = 40
"""How many models a slope chart shows."""


def check() -> None:
    """Raises what is missing before any work is done.

    Raises:
        OptionError: matplotlib is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise OptionError("an HTML report needs matplotlib: pip install 'evalfixes[report]'") from None


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.add_subplot()
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _svg(figure: Any, name: str, label: str) -> str:
    """The drawing as an element to stand in a page, with names that no other drawing of the page has."""
    from html import escape

    import matplotlib as mpl

    target = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure.savefig(target, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    drawn = target.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    for kind in ("figure_1", "axes_1", "patch_", "line2d_", "text_", "PathCollection_", "matplotlib.axis_"):
        drawn = drawn.replace(f'id="{kind}', f'id="{name}-{kind}')
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(label, quote=True)}" class="picture" ', 1)


def _spread(values: Sequence[float], gap: float) -> list[float]:
    """Heights of labels: as near to their values as they can be without covering each other."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    placed: list[tuple[list[int], float]] = []  # stretches of labels side by side, with their lowest height
    for index in order:
        placed.append(([index], values[index]))
        while len(placed) > 1 and placed[-2][1] + gap * len(placed[-2][0]) > placed[-1][1]:
            (left, _), (right, _) = placed[-2], placed.pop()
            both = left + right
            middle = sum(values[i] for i in both) / len(both)
            placed[-1] = (both, middle - gap * (len(both) - 1) / 2)
    heights = [0.0] * len(values)
    for members, low in placed:
        for step, index in enumerate(members):
            heights[index] = low + step * gap
    return heights


def slope(board: Leaderboard) -> str:
    """Every model's mean before and after, joined by a line."""
    after = board.new.standings[:MODELS]
    before = {standing.model: standing for standing in board.old.standings}
    pairs = [(before[standing.model], standing) for standing in after]
    values = [standing.mean for pair in pairs for standing in pair]
    span = max(values) - min(values) or 1.0
    height = max(3.0, 0.34 * len(pairs) + 1.2)
    figure, axes = _figure(8.5, height)
    gap = span * 1.12 / max(len(pairs) * 1.15, 8)
    left = _spread([old.mean for old, _ in pairs], gap)
    right = _spread([new.mean for _, new in pairs], gap)
    for (old, new), low, high in zip(pairs, left, right, strict=True):
        moved = new.rank - old.rank
        colour = DOWN if moved > 0 else UP if moved < 0 else SAME
        axes.plot([0, 1], [old.mean, new.mean], color=colour, linewidth=1.8, marker="o", markersize=4)
        for x, mean, y, standing, side in ((0, old.mean, low, old, -1), (1, new.mean, high, new, 1)):
            edge = x + side * 0.06
            axes.plot([x + side * 0.012, edge - side * 0.01], [mean, y], color=colour, linewidth=0.6, alpha=0.7)
            words = f"{place(standing.rank, standing.tied)} · {standing.model} · {standing.mean:.3f}"
            words += f" ({standing.scored}/{standing.total})"
            side_of = "right" if side < 0 else "left"
            axes.text(edge, y, words, ha=side_of, va="center", fontsize=9, color=colour, parse_math=False)
    top = max(*left, *right, max(values)) + gap
    axes.text(0, top, board.old_name, ha="center", fontsize=10, fontweight="bold", color=INK, parse_math=False)
    axes.text(1, top, board.new_name, ha="center", fontsize=10, fontweight="bold", color=INK, parse_math=False)
    axes.set_xlim(-0.08, 1.08)
    axes.set_xticks([])
    axes.set_yticks([])
    return _svg(figure, "slope", f"Means of {len(pairs)} models by {board.old_name} and by {board.new_name}")


def shifts(counted: Counter[tuple[float, float]]) -> str:
    """How scores changed: before to the right, after upwards, as large as they are many."""
    figure, axes = _figure(5.2, 4.6)
    points = counted.most_common(2_000)
    most = points[0][1]
    low = min(0.0, *(value for point, _ in points for value in point))
    high = max(1.0, *(value for point, _ in points for value in point))
    axes.plot([low, high], [low, high], color=SAME, linewidth=0.8, linestyle="--")
    axes.scatter(
        [point[0] for point, _ in points],
        [point[1] for point, _ in points],
        s=[20 + 380 * count / most for _, count in points],
        c=[DOWN if point[1] < point[0] else UP for point, _ in points],
        alpha=0.6,
        linewidths=0,
    )
    for point, count in points[:12]:
        if count > 1:
            axes.annotate(str(count), point, ha="center", va="center", fontsize=7, color="white")
    axes.set_xlabel("score before", color=INK)
    axes.set_ylabel("score after", color=INK)
    axes.grid(color="#e5e7eb", linewidth=0.6)
    axes.set_axisbelow(True)
    return _svg(figure, "shifts", "Changed scores, before and after")


def outcomes(fallen: int, standing: int, unknown: int) -> str:
    """How many past passes do not stand, stand, and cannot be known."""
    figure, axes = _figure(8.5, 0.9)
    start = 0
    total = fallen + standing + unknown
    for count, colour, name in ((fallen, DOWN, "do not stand"), (standing, UP, "stand"), (unknown, SAME, "not known")):
        if count:
            axes.barh([0], [count], left=[start], color=colour, height=0.8)
            if count / total > 0.09:
                axes.text(start + count / 2, 0, f"{count} {name}", ha="center", va="center", color="white", fontsize=10)
            start += count
    axes.set_xlim(0, total)
    axes.set_xticks([])
    axes.set_yticks([])
    return _svg(figure, "outcomes", f"{fallen} past passes do not stand, {standing} stand, {unknown} cannot be known")
