"""`evalfixes doctor`: which fixes this environment needs, shown by running their scenarios."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from evalfixes import __version__, catalog, probing
from evalfixes._index import INDEX
from evalfixes.cli import reports
from evalfixes.cli.catalog import known_dist
from evalfixes.cli.installation import installation, notes
from evalfixes.patching.series import series
from evalfixes.runtime import options, settings
from evalfixes.runtime.decide import FAULTY, NOT_INSTALLED, PATCHED, UNKNOWN, decide
from evalfixes.runtime.engine import select
from evalfixes.runtime.provenance import MARK

_SECONDS = 600
"""Longest that the probe of one distribution may take; a slow machine needs about a minute."""

FORMATS = ("text", "json", "sarif", "markdown")


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "doctor",
        help="which metrics of this environment are faulty, and whether the fixes repair them",
        description="Runs the scenarios of all fixes against the installed releases, bare and after apply(), offline "
        "and each distribution in a process of its own. Exit code: 0 nothing is faulty, 1 something is, 2 something "
        "could not be told, 3 the settings or the command are wrong. With --applied the state after apply() counts; "
        "a fix that the settings file skips with a reason is accepted then.",
    )
    parser.add_argument("--applied", action="store_true", help="exit by the state after evalfixes.apply()")
    parser.add_argument("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    parser.add_argument("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    parser.add_argument("--fix", action="append", default=[], metavar="ID", help="only this fix (repeatable)")
    parser.add_argument("--dist", metavar="NAME", help="only fixes of this distribution")
    parser.add_argument("--wheels", action="store_true", help="expect patched wheels: what only apply() repairs counts")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examines and prints; returns the exit code."""
    settings.examine()
    rows: list[dict[str, Any]] = []
    for dist, ids in probing.by_dist(args.fix, known_dist(args.dist)).items():
        rows += examine(dist, ids, quiet=args.format != "text")
    _skip(rows)
    _choose(rows, args.fix)
    _expect_wheels(rows, args.wheels)
    code = exit_code(rows, args.applied)
    if args.format == "json":
        document = {"schema_version": 1, "evalfixes": __version__, "exit_code": code, "fixes": rows, **installation()}
        print(json.dumps(document, indent=1))
    elif args.format == "sarif":
        print(json.dumps(reports.sarif(rows, args.applied, code), indent=1))
    elif args.format == "markdown":
        print(reports.markdown(rows, args.applied))
    else:
        reports.print_text(rows, args.applied)
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
        | {"where": "", "scenario": "", "wrong": None, "right": None, "evidence": d.evidence, "failures": []}
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
        rows[row["id"]] = row | {"where": decisions[row["id"]].where if row["bare"] == PATCHED else ""}
        answered.add(row["id"])
    for fix_id in rows:
        if failed and fix_id not in answered:
            last = (errors.strip().splitlines() or ["no message"])[-1]
            rows[fix_id] |= {"bare": UNKNOWN, "applied": UNKNOWN}
            rows[fix_id]["evidence"] += f"; the probe of {dist} broke off ({how}): {last}"
    return [_advised(row) for row in rows.values()]


def _expect_wheels(rows: list[dict[str, Any]], asked: bool) -> None:
    """Tells where a pristine wheel is installed though a patched one is meant to be.

    It is meant to be where that was said, or where a requirements or lock file of the project names one.
    """
    for row in rows:
        if row["bare"] != FAULTY or row.get("by_choice"):
            continue
        if asked:
            row["applied"] = FAULTY
        if f"+{MARK}" in row["release"]:
            if asked:
                row["next"] = (
                    f"{row['release']} was built without {row['id']}: build it again, or evalfixes.apply() on top"
                )
        elif asked or reports.names_patched_wheel(row["dist"], Path.cwd()):
            row["next"] = (
                f"{row['dist']} {row['release']} is not the patched wheel that is expected here: with --hash of the "
                "pristine wheel pip takes that one without a word; pin the hash that `evalfixes wheel` printed"
            )


def _choose(rows: list[dict[str, Any]], named: list[str]) -> None:
    """Marks the fixes that plain `apply()` leaves out, unless they were asked for."""
    for row in rows:
        entry = INDEX.get(row["id"])
        if entry is not None and not entry.default and row["id"] not in named:
            row["by_choice"] = True
            if row["applied"] == PATCHED:
                row["next"] = f"if what upstream documents here is not what you want: evalfixes.apply({row['id']!r})"


def _text(output: str | bytes | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def _advised(row: dict[str, Any]) -> dict[str, Any]:
    if row["bare"] == FAULTY and row["applied"] == PATCHED:
        advice = f"call evalfixes.apply() before the evaluation{_patch_later(row)}"
    elif row["applied"] in (FAULTY, UNKNOWN):
        advice = f"see `evalfixes show {row['id']}`, and report this row with --format json"
    else:
        advice = ""
    return {**row, "next": advice}


def _patch_later(row: dict[str, Any]) -> str:
    """From which release on there is a patch file, where that is later than the installed one."""
    from packaging.version import InvalidVersion, Version

    since = series(row["dist"]).since(row["id"])
    try:
        early = bool(since and row["release"]) and Version(row["release"]) < Version(since)
    except InvalidVersion:
        return ""
    return f"; there is a patch file from {since} on" if early else ""


def exit_code(rows: list[dict[str, Any]], applied: bool) -> int:
    """1 if a fix is faulty, else 2 if one is unknown, else 0."""
    states = {reports.considered(row, applied) for row in rows}
    return 1 if FAULTY in states else 2 if UNKNOWN in states else 0


def skips() -> tuple[dict[str, str], set[str]]:
    """Why fixes are skipped here, and which of them with a reason that is on file."""
    _, accepted = options.settle({}, warn=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return select((), (), accepted)[1], set(accepted)


def _skip(rows: list[dict[str, Any]]) -> None:
    """The probe applies every fix; what the settings leave out stays as it is."""
    if os.environ.get("EVALFIXES_DISABLE"):  # lifted by the probe: what apply() would do is the question
        return
    skipped, accepted = skips()
    for row in rows:
        reason = skipped.get(row["id"])
        if reason and row["applied"] == PATCHED:
            row |= {"applied": row["bare"], "skipped": reason, "accepted": row["id"] in accepted}
            row["next"] = "" if row["accepted"] else "remove the fix from what is skipped, or say why in pyproject.toml"
