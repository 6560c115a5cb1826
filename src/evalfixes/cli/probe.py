"""`evalfixes probe`: the scenarios of fixes in this very process, one JSON line per fix."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from dataclasses import asdict
from typing import Any


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command; it has no help line, since `evalfixes doctor` is what people run."""
    parser = commands.add_parser("probe", description=__doc__)
    parser.add_argument("ids", nargs="+", metavar="ID")
    parser.add_argument("--forced", action="store_true", help="replace texts that no variant knows, too")
    parser.add_argument("--bare", action="store_true", help="the outcomes of all scenarios, and no apply()")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what was seen; 0 unless the probe itself fails."""
    from evalfixes import catalog, probing
    from evalfixes.runtime.settings import VARIABLES

    for name, value in (
        ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES"),
        ("DEEPEVAL_DISABLE_DOTENV", "1"),
        ("DEEPEVAL_UPDATE_WARNING_OPT_OUT", "YES"),
        ("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "1"),
        ("OTEL_SDK_DISABLED", "true"),
    ):
        os.environ.setdefault(name, value)
    for name in (*VARIABLES, "EVALFIXES_DISABLE", "EVALFIXES_SKIP"):
        os.environ.pop(name, None)
    os.environ["EVALFIXES_CONFIG"] = ""  # the values on record are those of the defaults
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # upstreams print while they are imported and run
        if args.bare:
            for fix_id in args.ids:
                print(json.dumps(probing.bare(catalog.get(fix_id)), default=str), file=out, flush=True)
            return 0
        for result in probing.probe([catalog.get(fix_id) for fix_id in args.ids], args.forced):
            print(json.dumps(asdict(result), default=str), file=out, flush=True)
    return 0
