"""`evalfixes rescore`: which past passes stand, from the files that are stored."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalfixes.errors import OptionError

if TYPE_CHECKING:
    from evalfixes.rescoring.engine import Outcome
    from evalfixes.rescoring.summary import Summary


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "rescore",
        help="which past passes stand: stored results, scored again without running an agent",
        description="Reads google-adk's eval history, deepeval's test runs, `agentevals run -o json` and plain rows "
        "(JSON Lines, CSV), and says of each case what the file proves. The inputs are never written to. "
        "Exit code: 0 no past pass falls, 1 one does.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or a URL that fsspec opens")
    parser.add_argument(
        "--metric",
        default="",
        metavar="NAME",
        help="the new score of plain rows: exact_match (default), response_match_score, correctness_v1, or the field "
        "that holds it; for other formats, the metric that the leaderboard is made of",
    )
    parser.add_argument("--old", default="", metavar="FIELD", help="the old score of plain rows: a field, or a metric")
    parser.add_argument("--refs", metavar="FILE", help="references: a JSON object by question, or rows that hold both")
    parser.add_argument("--judge", default="", metavar="MODULE:FUNCTION", help="the judge of correctness_v1")
    parser.add_argument(
        "--threshold", type=float, default=0.7, metavar="X", help="from what score on a plain row passes (default 0.7)"
    )
    parser.add_argument(
        "--incomplete",
        choices=("decide", "unscored", "worst"),
        default="decide",
        help="what a score with missing parts becomes (default decide)",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="write results.jsonl, summary.json and, for html, report.html here"
    )
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="of what is printed")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="read and score in so many processes")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Rescores and reports; returns the exit code."""
    from evalfixes.rescoring.engine import rescore
    from evalfixes.rescoring.records import Options
    from evalfixes.rescoring.summary import Summary

    if args.jobs < 1:
        raise OptionError(f"--jobs {args.jobs}: at least one process is needed")
    if args.format == "html":
        from evalfixes.rescoring import report_html  # what it needs is missed before the work, not after it

        report_html.check()
    options = Options(
        metric=args.metric, old=args.old, threshold=args.threshold, judge=args.judge, incomplete=args.incomplete,
        references=_references(args.refs),
    )  # fmt: skip
    summary = Summary(args.metric)
    with ExitStack() as stack:
        results = None
        if args.out:
            folder = _folder(args.out, args.paths)
            results = stack.enter_context((folder / "results.jsonl").open("w", encoding="utf-8"))
        printed = 0
        if args.format == "json":
            print('{"schema_version": 1, "cases": [')
        for outcome in _watched(rescore(args.paths, options, args.jobs)):
            summary.add(outcome)
            line = _line(outcome) if results is not None or args.format == "json" else ""
            if results is not None:
                results.write(line + "\n")
            if args.format == "json":
                print("," if printed else "", line, sep="\n" if printed else "")
                printed += 1
    if args.format == "json":
        print(f'], "summary": {json.dumps(summary.as_dict(), ensure_ascii=False)}}}')
    _report(args, summary)
    if not summary.records:
        raise OptionError("nothing was rescored: " + "; ".join(f"{p.place}: {p.reason}" for p in summary.problems[:3]))
    return summary.exit_code


def _report(args: argparse.Namespace, summary: Summary) -> None:
    if args.out:
        written = json.dumps(summary.as_dict(), ensure_ascii=False, indent=1)
        Path(args.out, "summary.json").write_text(written + "\n", encoding="utf-8")
    if args.format == "text" or (args.format == "html" and args.out):
        from evalfixes.rescoring import report_text

        for line in report_text.lines(summary):
            print(line)
    if args.format == "html":
        from evalfixes.rescoring import report_html

        page = report_html.page(summary)
        if args.out:
            target = Path(args.out, "report.html")
            target.write_text(page, encoding="utf-8")
            print(f"report: {target}")
        else:
            print(page)


def _line(outcome: Outcome) -> str:
    from evalfixes.rescoring.records import Rescored

    if isinstance(outcome, Rescored):
        return json.dumps(outcome.as_dict(), ensure_ascii=False)
    place = {"file": outcome.place.file, "position": outcome.place.position}
    return json.dumps({"skipped": outcome.reason, **place}, ensure_ascii=False)


def _folder(out: str, paths: list[str]) -> Path:
    """The folder for the results, which must not become an input of the next run."""
    folder = Path(out).resolve()
    for path in paths:
        given = Path(path).resolve()
        if "://" not in path and given.is_dir() and (given == folder or given in folder.parents):
            raise OptionError(f"--out {out} lies inside of {path}: the next run would read it")
        if given in (folder / "results.jsonl", folder / "summary.json"):
            raise OptionError(f"--out {out} would overwrite the input {path}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"--out {out} cannot be made: {error}")
    return folder


def _references(file: str | None) -> dict[str, Any]:
    """References by question."""
    if not file:
        return {}
    from evalfixes.rescoring import reading
    from evalfixes.rescoring.files import units
    from evalfixes.rescoring.formats import rows
    from evalfixes.rescoring.records import Problem

    if file.endswith(".json"):
        try:
            table = json.loads(Path(file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise OptionError(f"--refs {file} cannot be read: {error}")
        if isinstance(table, dict):
            return {str(question): reference for question, reference in table.items()}
    found: dict[str, Any] = {}
    for unit in units([file]):
        for record in [unit] if isinstance(unit, Problem) else reading.records(unit):
            if isinstance(record, Problem):
                raise OptionError(f"--refs {record.place}: {record.reason}")
            question, reference = rows.reference_of(record.data)
            if question and reference is not None:
                found[question] = reference
    if not found:
        raise OptionError(f"--refs {file} holds no question with a reference")
    return found


def _watched(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    """The same outcomes, with a count of them on a terminal."""
    if not sys.stderr.isatty():
        yield from outcomes
        return
    import time

    start = shown = time.monotonic()
    count = 0
    for count, outcome in enumerate(outcomes, 1):
        now = time.monotonic()
        if now - shown > 0.2:
            shown = now
            print(f"\r{count:,} records, {count / (now - start):,.0f} a second, {outcome.place.file[-60:]}\x1b[K",
                  end="", file=sys.stderr, flush=True)  # fmt: skip
        yield outcome
    if count:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
