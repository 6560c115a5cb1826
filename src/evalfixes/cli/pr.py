"""`evalfixes pr`: all that is needed to open the upstream pull request of a fix."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "pr",
        help="make the upstream pull request of a fix: diff, test, message, text, commands",
        description="Measures the fix on the newest release, which has to be installed here, and writes the change "
        "with its regression test, the commit message, the text of the pull request with what was measured, and the "
        "commands. Exit code: 0 written, 1 the measurement does not show what the text would claim.",
    )
    parser.add_argument("id", metavar="ID")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, required=True, help="where to; made if need be")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Makes the bundle and writes it; returns the exit code."""
    from evalfixes.patching.pull_request import PullRequestError, UnprovenError, make
    from evalfixes.patching.write import WriteError

    try:
        bundle = make(args.id)
    except UnprovenError as error:
        print(f"refused, nothing was written: {error}", file=sys.stderr)
        return 1
    try:
        bundle.write(args.output)
    except (OSError, WriteError) as error:
        raise PullRequestError(f"{args.output} cannot be written: {error}") from None
    print(bundle.title)
    for name in bundle.files:
        print(f"  {args.output / name}")
    print(f"next: read {args.output / 'README.md'}")
    return 0
