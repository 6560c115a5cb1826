"""`evalfixes doctor`: which fixes this environment needs, shown by running their scenarios."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any

from evalfixes import __version__, catalog, probing
from evalfixes.cli.catalog import known_dist
from evalfixes.cli.installation import installation, notes
from evalfixes.runtime.decide import FAULTY, NOT_INSTALLED, PATCHED, UNKNOWN, decide

_SECONDS = 600
"""Longest that the probe of one distribution may take; a slow machine needs about a minute."""

_SHOWN = 3
"""Failures shown per fix; the rest is in the JSON."""


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "doctor",
        help="which metrics of this environment are faulty, and whether the fixes repair them",
        description="Runs the scenarios of all fixes against the installed releases, bare and after apply(), offline "
        "and each distribution in a process of its own. Exit code: 0 nothing is faulty, 1 something is, 2 something "
        "could not be told. With --applied the state after apply() counts.",
    )
    parser.add_argument("--applied", action="store_true", help="exit by the state after evalfixes.apply()")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--fix", action="append", default=[], metavar="ID", help="only this fix (repeatable)")
    parser.add_argument("--dist", metavar="NAME", help="only fixes of this distribution")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examines and prints; returns the exit code."""
    rows: list[dict[str, Any]] = []
    for dist, ids in probing.by_dist(args.fix, known_dist(args.dist)).items():
        rows += examine(dist, ids, quiet=args.json)
    code = exit_code(rows, args.applied)
    if args.json:
        document = {"schema_version": 1, "evalfixes": __version__, "exit_code": code, "fixes": rows, **installation()}
        print(json.dumps(document, indent=1))
    else:
        _print(rows, args.applied)
        for line in notes():
            print(line)
    return code


def examine(dist: str, ids: list[str], quiet: bool = False) -> list[dict[str, Any]]:
    """Probes the fixes of one distribution in a process of their own.

    Args:
        dist: The distribution.
        ids: Its fixes.
        quiet: Show no progress.
    """
    decisions = {fix_id: decide(catalog.get(fix_id)) for fix_id in ids}
    rows: dict[str, dict[str, Any]] = {
        fix_id: {"id": fix_id, "dist": dist, "release": d.release, "bare": d.state, "applied": d.state}
        | {"scenario": "", "wrong": None, "right": None, "evidence": d.evidence, "failures": []}
        for fix_id, d in decisions.items()
    }
    if all(d.state == NOT_INSTALLED for d in decisions.values()):
        return [_advised(row) for row in rows.values()]
    tell = sys.stderr.isatty() and not quiet
    if tell:
        print(f"probing {dist} ({len(ids)} fixes) ...", end="\r", file=sys.stderr, flush=True)
    forced = ["--forced"] if any(d.drift for d in decisions.values()) else []
    command = [sys.executable, "-m", "evalfixes", "probe", *ids, *forced]
    # Where fixes are applied at start-up, the probe still has to see the bare upstream first; it lifts this itself.
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "EVALFIXES_DISABLE": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, env=environment, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        lines, errors, how = done.stdout.splitlines(), done.stderr, f"exit code {done.returncode}"
        failed = done.returncode != 0
    except subprocess.TimeoutExpired as late:
        lines, errors = _text(late.stdout).splitlines(), _text(late.stderr)
        failed, how = True, f"not done after {_SECONDS} s"
    if tell:
        print("\x1b[2K", end="\r", file=sys.stderr, flush=True)
    answered = set()
    for line in lines:
        row = json.loads(line)
        rows[row["id"]] = row
        answered.add(row["id"])
    for fix_id in rows:
        if failed and fix_id not in answered:
            last = (errors.strip().splitlines() or ["no message"])[-1]
            rows[fix_id] |= {"bare": UNKNOWN, "applied": UNKNOWN}
            rows[fix_id]["evidence"] += f"; the probe of {dist} broke off ({how}): {last}"
    return [_advised(row) for row in rows.values()]


def _text(output: str | bytes | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def _advised(row: dict[str, Any]) -> dict[str, Any]:
    if row["bare"] == FAULTY and row["applied"] == PATCHED:
        advice = "call evalfixes.apply() before the evaluation"
    elif row["applied"] in (FAULTY, UNKNOWN):
        advice = f"see `evalfixes show {row['id']}`, and report this row with --json"
    else:
        advice = ""
    return {**row, "next": advice}


def exit_code(rows: list[dict[str, Any]], applied: bool) -> int:
    """1 if a fix is faulty, else 2 if one is unknown, else 0."""
    states = {row["applied" if applied else "bare"] for row in rows}
    return 1 if FAULTY in states else 2 if UNKNOWN in states else 0


def headline(rows: list[dict[str, Any]], applied: bool) -> str:
    """One line: what is installed, and how many fixes it needs."""
    installed = {row["dist"]: row["release"] or "?" for row in rows if row["bare"] != NOT_INSTALLED}
    where = ", ".join(f"{dist} {release}" for dist, release in installed.items()) or "none of the upstreams"
    faulty = sum(row["bare"] == FAULTY for row in rows)
    left = sum(row["applied"] == FAULTY for row in rows)
    unknown = sum(row["applied" if applied else "bare"] == UNKNOWN for row in rows)
    parts = [f"{faulty} faulty, {faulty - left} of them repaired by apply()" if faulty else "nothing faulty"]
    parts += [f"{unknown} unknown"] if unknown else []
    return f"evalfixes {__version__} on {where}: {', '.join(parts)}"


def _cells(row: dict[str, Any]) -> list[str]:
    shown = ""
    if row["wrong"] is not None and row["right"] is not None:
        shown = f"{_value(row['wrong'])} -> {_value(row['right'])}"
    release = f"{row['dist']} {row['release']}".strip()
    return [row["id"], release, row["bare"], row["applied"], shown]


def _value(outcome: dict[str, Any]) -> str:
    score = outcome.get("score")
    text = f"{score:.4g}" if isinstance(score, (int, float)) else "no score"
    return f"{text} {outcome.get('status', '')}".strip()


def _print(rows: list[dict[str, Any]], applied: bool) -> None:
    print(headline(rows, applied))
    heads = ["fix", "installed", "bare", "after apply()", "wrong -> right"]
    table = [_cells(row) for row in rows]
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        widths = [max(len(line[i]) for line in [heads, *table]) for i in range(len(heads))]
        for line in [heads, *table]:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    else:
        grid = Table(box=None, pad_edge=False)
        for head in heads:
            grid.add_column(head, overflow="fold")
        for line in table:
            grid.add_row(*line)
        Console(highlight=False, width=None if sys.stdout.isatty() else 160).print(grid)
    for row in rows:
        for failure in row["failures"][:_SHOWN]:
            print(f"{row['id']}: {failure}")
        if len(row["failures"]) > _SHOWN:
            print(f"{row['id']}: and {len(row['failures']) - _SHOWN} more; --json has them all")
        if row["bare"] == UNKNOWN or row["applied"] in (UNKNOWN, FAULTY):
            print(f"{row['id']}: {row['evidence']}")
    for advice in dict.fromkeys(row["next"] for row in rows if row["next"]):
        print(f"next: {advice}")
