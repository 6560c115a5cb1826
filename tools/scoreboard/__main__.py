"""The scoreboard: the same mutation operators over judge-backed metrics of several libraries.

    python tools/scoreboard [--write] [--json FILE] [--only PART ...]

Without ``--write`` it prints the page. Each metric is audited bare, and those of google-adk and deepeval once more
with `evalfixes.apply()`, in a process of their own. No network: every judge is scripted. The exit code is 1 if a
mutant is greener with the fixes on where the catalogue covers it.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tools")]
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]
for _name, _value in (
    ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES"),
    ("DEEPEVAL_DISABLE_DOTENV", "1"),
    ("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "1"),
    ("RAGAS_DO_NOT_TRACK", "true"),
    ("LANGSMITH_TRACING", "false"),
    ("OPENAI_API_KEY", "none"),
):
    os.environ.setdefault(_name, _value)

from evalfixes.testing import NothingToAuditError  # noqa: E402
from evalfixes.testing.report import document  # noqa: E402
from evalfixes.testing.targets import Target, deepeval, google_adk, resolve  # noqa: E402
from scoreboard import page  # noqa: E402

REPAIRED = {"google-adk": google_adk, "deepeval": deepeval}
"""The libraries that evalfixes has fixes for."""


def targets(dist: str) -> Iterator[Target]:
    """The metrics of a library that is installed."""
    if dist in REPAIRED:
        for name in REPAIRED[dist].names():
            yield resolve(f"{dist}:{name}")
        return
    from scoreboard.others import LIBRARIES

    yield from LIBRARIES[dist]()


def measure(dist: str, applied: bool, only: list[str]) -> list[dict[str, Any]]:
    """Audits the metrics of one library, in this process."""
    if applied:
        import evalfixes

        evalfixes.apply(rejudge=0)
    rows = []
    for target in targets(dist):
        name = target.name.partition(":")[2] or target.name
        if only and not any(part in f"{dist}:{name}" for part in only):
            continue
        try:
            found = target.audit()
        except NothingToAuditError as error:
            raise SystemExit(str(error)) from error
        rows.append({**document(found), "dist": dist, "metric": name, "release": importlib.metadata.version(dist)})
        counts = rows[-1]["counts"]
        print(f"{dist}:{name}{' with fixes' if applied else ''}: {counts}", file=sys.stderr, flush=True)
    return rows


def in_child(dist: str, applied: bool, only: list[str]) -> list[dict[str, Any]]:
    """The same in a new process, so that no library sees another's patches."""
    command = [sys.executable, str(Path(__file__).parent), "--child", dist, *(["--apply"] if applied else [])]
    for part in only:
        command += ["--only", part]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit(f"{dist}: measuring ended with {done.returncode}")
    rows: list[dict[str, Any]] = json.loads(done.stdout.rpartition("\nRESULT")[2])
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/scoreboard.md and docs/scoreboard.svg")
    parser.add_argument("--json", type=Path, help="write all that was found to a file")
    parser.add_argument("--from", dest="saved", type=Path, help="take what --json wrote instead of measuring")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="only metrics with this in it")
    parser.add_argument("--child", metavar="DIST", help=argparse.SUPPRESS)
    parser.add_argument("--apply", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if arguments.child:
        print(f"\nRESULT{json.dumps(measure(arguments.child, arguments.apply, arguments.only))}")
        return 0
    if arguments.saved:
        table = json.loads(arguments.saved.read_text("utf-8"))
    else:
        table = {"bare": [], "applied": []}
        for dist in (*REPAIRED, "openevals", "autoevals", "ragas", "inspect-ai"):
            table["bare"] += in_child(dist, False, arguments.only)
            if dist in REPAIRED:
                table["applied"] += in_child(dist, True, arguments.only)
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=1), "utf-8")
    if arguments.write:
        (ROOT / "docs" / "scoreboard.md").write_text(page.markdown(table), "utf-8")
        (ROOT / "docs" / "scoreboard.svg").write_text(page.picture(table), "utf-8")
    else:
        print(page.markdown(table))
    wrong = [row for row in table["applied"] if page.covered_greener(row)]
    for row in wrong:
        print(
            f"{row['dist']}:{row['metric']} is greener with the fixes on: {page.covered_greener(row)}", file=sys.stderr
        )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
