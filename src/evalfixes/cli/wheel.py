"""`evalfixes wheel`: the wheel of an upstream release with the patches in it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "wheel",
        help="build the wheel of an upstream release with the patches in it",
        description="Takes the wheel of a release, by pip or from a file, verifies its hash, puts the patches in and "
        "writes it as version X+evalfixes.N, which a pin ==X accepts. Byte for byte the same each time; "
        "SOURCE_DATE_EPOCH sets its time stamps. Exit code: 0 built, 1 refused.",
    )
    parser.add_argument("source", metavar="REQUIREMENT", help="such as google-adk==2.13.0, or the path of a wheel")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path(), help="where to (default: here)")
    parser.add_argument("--fix", action="append", default=[], metavar="ID", help="only this fix and what it requires")
    parser.add_argument(
        "--without", action="append", default=[], metavar="ID", help="leave this fix out; its fault stays"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Builds the wheel and prints the line that pins it; returns the exit code."""
    from evalfixes.patching.plan import NO_PATCH
    from evalfixes.patching.wheel import RefusedError, build

    try:
        built = build(args.source, args.output, args.fix, args.without)
    except RefusedError as refusal:
        for row in refusal.rows:
            print(f"  {row.fix_id}  {row.state}  {row.why}")
        print(f"refused: {refusal}", file=sys.stderr)
        if any(row.state == NO_PATCH for row in refusal.rows):
            print(
                "--without ID leaves a fix out on purpose; evalfixes.apply() repairs that at run time", file=sys.stderr
            )
        return 1
    width = max(len(row.fix_id) for row in built.rows)
    for row in built.rows:
        print(f"  {row.fix_id:<{width}}  {row.state:<13}  {row.why}".rstrip())
    print(built.path)
    print(f"pin it: {built.requirement}")
    print(
        f"a pin =={built.base.release} takes it where it can be found, but not together with --hash of the pristine "
        f"wheel:\npip then takes the pristine one without a word. `evalfixes doctor --wheels` tells."
    )
    return 0
