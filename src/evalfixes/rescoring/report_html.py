"""The report as one HTML file that loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from evalfixes import __version__
from evalfixes.rescoring import pictures, report_text
from evalfixes.rescoring.leaderboard import Board, Leaderboard
from evalfixes.rescoring.records import PASSED, Rescored
from evalfixes.rescoring.summary import KEPT, Summary

_STYLE = """
:root { color-scheme: light; --ink: #1f2933; --line: #d9dee5; --down: #b3261e; --up: #1a6fb0; --same: #5b6470; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.2rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; max-width: 60rem; }
.picture { display: block; max-width: 100%; height: auto; margin: .6rem 0; }
.wide { overflow-x: auto; } .wide .picture { min-width: 38rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { background: #f3f5f8; position: sticky; top: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.fell { color: var(--down); font-weight: 600; } .rose { color: var(--up); font-weight: 600; }
.open { color: var(--same); }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .6rem 0; }
.filters label { display: flex; flex-direction: column; font-size: .8rem; color: var(--same); }
.filters input, .filters select { font: inherit; padding: .3rem .4rem; border: 1px solid #aab3bf; border-radius: 4px; }
.filters input { width: 18rem; max-width: 80vw; } .filters select { max-width: 60vw; }
td.where { font-size: .8rem; color: var(--same); overflow-wrap: anywhere; min-width: 9rem; }
td.case { overflow-wrap: anywhere; min-width: 9rem; max-width: 22rem; }
td.why { min-width: 16rem; overflow-wrap: anywhere; }
footer { margin: 2.5rem 0 1rem; font-size: .8rem; color: var(--same); }
"""

_SCRIPT = """
(function () {
  var rows = Array.prototype.slice.call(document.querySelectorAll("#cases tbody tr"));
  var words = document.getElementById("words"), outcome = document.getElementById("outcome");
  var model = document.getElementById("model"), shown = document.getElementById("shown");
  function filter() {
    var wanted = words.value.toLowerCase(), count = 0;
    rows.forEach(function (row) {
      var fits = (!outcome.value || row.dataset.outcome === outcome.value)
        && (!model.value || row.dataset.model === model.value)
        && (!wanted || row.textContent.toLowerCase().indexOf(wanted) >= 0);
      row.hidden = !fits;
      count += fits ? 1 : 0;
    });
    shown.textContent = count + " of " + rows.length + " cases shown";
  }
  if (words) {
    [words, outcome, model].forEach(function (control) { control.addEventListener("input", filter); });
    filter();
  }
})();
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_OUTCOMES = {"fell": "does not stand", "rose": "passes now", "open": "cannot be known", "other": "changed otherwise"}


def check() -> None:
    """Raises what is missing before any work is done."""
    pictures.check()


def page(summary: Summary) -> str:
    """The whole report."""
    return "\n".join(_page(summary))


def _page(summary: Summary) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<link rel="icon" href="data:,">'
    yield f"<title>Past passes: {summary.fallen} do not stand</title><style>{_STYLE}</style></head><body>"
    yield "<h1>Which past passes stand</h1>"
    yield f"<p>{_e(report_text.headline(summary))}.</p>"
    if summary.passes:
        yield pictures.outcomes(summary.fallen, summary.standing, summary.unknown)
    board = summary.board()
    if board is not None:
        yield from _leaderboard(board)
    elif summary.board_missing:
        yield f"<p>{_e(summary.board_missing)}.</p>"
    if summary.reasons:
        yield "<h2>What changed scores</h2>"
        yield from _table(("fault or metric", "times"), summary.reasons.most_common())
    if summary.shifts:
        yield "<h2>Changed scores</h2>"
        yield "<p>Below the line a score fell. Scores that were lost altogether are not drawn.</p>"
        yield pictures.shifts(summary.shifts)
    yield from _cases(summary)
    if summary.unknown_reasons:
        yield "<h2>What the files do not tell</h2>"
        yield from _table(("metric and reason", "times"), summary.unknown_reasons.most_common(50))
    if summary.problems:
        yield f"<h2>Skipped</h2><p>{summary.skipped} could not be read.</p>"
        yield from _table(("where", "why"), [(str(p.place), p.reason) for p in summary.problems[:200]])
    yield f"<footer>evalfixes {__version__} rescore. No agent was run, and no input was written to.</footer>"
    yield f"<script>{_SCRIPT}</script></body></html>"


def _leaderboard(board: Leaderboard) -> Iterator[str]:
    yield "<h2>Leaderboard, before and after</h2>"
    if board.tau_b is not None:
        yield f"<p>Kendall's tau-b between the two orders: <strong>{board.tau_b:.3f}</strong>.</p>"
    for sentence in report_text.separation(board.new):
        said = sentence.strip()
        yield f"<p>{_e(said[:1].upper() + said[1:])}.</p>"
    yield f'<div class="wide">{pictures.slope(board)}</div>'
    if len(board.new.standings) > pictures.MODELS:
        yield f"<p>The picture shows the first {pictures.MODELS} of {len(board.new.standings)} models.</p>"
    before = {standing.model: standing for standing in board.old.standings}
    heads: tuple[str, ...] = ("rank", "model", "mean", "scored", "rank before", "mean before", "scored before")
    if board.new.intervals:
        heads = (*heads, "95 % interval, two-level bootstrap")
    rows = []
    for new in board.new.standings:
        old, ends = before[new.model], board.new.intervals.get(new.model)
        mean = f"{new.mean:.3f}" + (f" to {new.high:.3f}" if new.scored < new.total else "")
        span = (f"{ends[0]:.3f} to {ends[1]:.3f}",) if ends else ()
        rows.append(
            (report_text.place(new.rank, new.tied), new.model, mean, f"{new.scored}/{new.total}",
             report_text.place(old.rank, old.tied), f"{old.mean:.3f}", f"{old.scored}/{old.total}", *span)
        )  # fmt: skip
    yield from _table(heads, rows)
    yield from _pairs(board.new)


def _pairs(made: Board) -> Iterator[str]:
    yield f"<details><summary>All {len(made.pairs)} pairs, compared question by question</summary>"
    rows = []
    for pair in sorted(made.pairs, key=lambda pair: pair.p)[:500]:
        span = "" if pair.interval is None else f"{pair.interval[0]:+.3f} to {pair.interval[1]:+.3f}"
        verdict = "separate" if pair.separate else "not separable"
        rows.append(
            (pair.first, pair.second, pair.questions, f"{pair.difference:+.3f}", span, f"{pair.p:.3g}",
             f"{pair.p_holm:.3g}", verdict)
        )  # fmt: skip
    heads = ("first", "second", "common questions", "difference", "95 % interval (BCa)", "p", "p after Holm", "")
    yield from _table(heads, rows)
    yield "</details>"


def _cases(summary: Summary) -> Iterator[str]:
    cases = [*summary.cases, *summary.others]
    if not cases:
        return
    yield "<h2>Cases</h2>"
    if summary.fallen > len(summary.cases) or len(summary.others) == KEPT:
        yield f"<p>At most {KEPT} cases of a kind are shown here; results.jsonl of --out has them all.</p>"
    outcomes = "".join(f'<option value="{name}">{text}</option>' for name, text in _OUTCOMES.items())
    models = sorted({case.model for case in cases if case.model})
    options = "".join(f'<option value="{_e(model)}">{_e(model)}</option>' for model in models)
    yield '<div class="filters"><label>search<input id="words" type="search"></label>'
    yield f'<label>outcome<select id="outcome"><option value="">all</option>{outcomes}</select></label>'
    yield f'<label>model<select id="model"><option value="">all</option>{options}</select></label>'
    yield '<span id="shown" role="status"></span></div>'
    yield '<div class="wide"><table id="cases"><thead><tr><th>case</th><th>model</th><th>before</th><th>after</th>'
    yield "<th>why</th><th>where</th></tr></thead><tbody>"
    for case in cases:
        yield _case(case)
    yield "</tbody></table></div>"


def _case(case: Rescored) -> str:
    outcome = "other"
    if case.old_status == PASSED:
        outcome = {False: "fell", None: "open", True: "other"}[case.stands]
    elif case.new_status == PASSED:
        outcome = "rose"
    reasons = [*case.why]
    for change in case.metrics:
        if change.changed:
            reasons.append(report_text.change_text(change) + (f" [{change.fix}]" if change.fix else ""))
        elif change.why:
            reasons.append(f"{change.metric}: {change.why}")
    why = "<br>".join(_e(reason) for reason in reasons)
    return (
        f'<tr data-outcome="{outcome}" data-model="{_e(case.model)}"><td class="case">{_e(case.case[:300])}</td>'
        f'<td>{_e(case.model)}</td><td>{_e(case.old_status)}</td><td class="{outcome}">{_e(case.new_status)}</td>'
        f'<td class="why">{why}</td><td class="where">{_e(str(case.place))}</td></tr>'
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    numeric = {"times", "common questions"}
    cells = (f'<th class="number">{_e(h)}</th>' if h in numeric else f"<th>{_e(h)}</th>" for h in heads)
    yield f'<div class="wide"><table><thead><tr>{"".join(cells)}</tr></thead><tbody>'
    for row in rows:
        cells = (f'<td class="number">{c}</td>' if isinstance(c, int) else f"<td>{_e(str(c))}</td>" for c in row)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _e(text: str) -> str:
    return escape(text, quote=True)
