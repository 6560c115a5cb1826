"""`evalfixes retire`: the fixes that an upstream release has absorbed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "retire",
        help="which fixes a newer upstream release has absorbed; in a checkout of evalfixes",
        description="Looks at a release by the text of what the fixes touch and by their scenarios. For what upstream "
        "has absorbed it fills in fixed_in, the end of the affected range, and Applied-Upstream in the patches. Exit "
        "code: 0 done, 2 of a fix it could not be told.",
    )
    parser.add_argument("release", metavar="DIST==RELEASE")
    parser.add_argument("--against", metavar="PYTHON|WHEEL", help="where the release is (default: this Python)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, write nothing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Looks, says what came of each fix and writes; returns the exit code."""
    from evalfixes.patching.retire import ABSORBED, UNSURE, RetireError, checkout, put_down, retire
    from evalfixes.patching.write import WriteError

    found = retire(args.release, args.against)
    width = max(len(f.fix_id) for f in found.findings)
    for finding in found.findings:
        print(f"  {finding.fix_id:<{width}}  {finding.state:<14}  {finding.why}")
    for path in found.changes:
        print(f"{'would change' if args.dry_run else 'changed'}: {path.relative_to(Path(checkout()))}")
    if not args.dry_run:
        try:
            put_down(found)
        except WriteError as error:
            raise RetireError(str(error)) from None
    absorbed = [f.fix_id for f in found.findings if f.state == ABSORBED]
    print(f"{found.dist} {found.release} has absorbed {', '.join(absorbed) or 'none of the fixes'}")
    if absorbed and not args.dry_run:
        print("next: nox -s survey -- --write (records the new texts), nox -s generate, nox -s export")
    return 2 if any(f.state == UNSURE for f in found.findings) else 0
