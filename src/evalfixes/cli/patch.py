"""`evalfixes patch`: puts the fixes into the files of a copy of an upstream package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "patch",
        help="put the fixes into a vendored copy, a checkout or a site-packages folder",
        description="Finds copies of google-adk, deepeval and agentevals under PATH by what is in them, and applies "
        "the patches that fit, without fuzz. On a refusal no file changes. Exit code: 0 done, 1 refused.",
    )
    parser.add_argument("path", metavar="PATH", type=Path)
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        metavar="ID",
        help="only this fix and what it requires; fixes of deliberate upstream behaviour go in only so",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="say of which releases the files are and what would be done, change nothing",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the changes as a diff too, change nothing")
    parser.add_argument("--reverse", action="store_true", help="take the patches out")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Patches and says per copy and fix what came of it; returns the exit code."""
    from evalfixes.patching.blobs import look
    from evalfixes.patching.plan import APPLIED, REFUSED, REVERSED, make
    from evalfixes.runtime.decide import written_release

    plan = make(args.path, args.fix, args.reverse)
    dry = args.check or args.dry_run
    if not dry and not plan.refused:
        plan.write()
    planned = {APPLIED: "to apply", REVERSED: "to reverse"}
    width = max((len(row.fix_id) for _, rows in plan.copies for row in rows), default=0)
    for copy, rows in plan.copies:
        where = copy.root.relative_to(plan.top).as_posix()
        _say(f"{where}: {copy.dist} {written_release(copy.root)}".rstrip())
        if args.check:
            _say(f"  {look(copy)}")
        for row in rows:
            state = planned.get(row.state, row.state) if dry or plan.refused else row.state
            _say(f"  {row.fix_id:<{width}}  {state:<13}  {row.why}".rstrip())
            if row.hunk:
                _say("\n".join(f"      {line}" for line in row.hunk.splitlines()))
    if args.dry_run:
        for line in plan.diff():
            _say(line.rstrip("\r\n"))
    files = len(plan.changes)
    if plan.problem:
        _say(plan.problem)
    if plan.refused:
        done = "refused; no file was changed"
    elif dry:
        done = f"{files} files would change"
    else:
        done = f"{files} files changed" if files else "nothing to change"
    _say(done)
    return int(plan.refused or any(row.state == REFUSED for _, rows in plan.copies for row in rows))


def _say(line: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    print(line.encode(encoding, "backslashreplace").decode(encoding))
