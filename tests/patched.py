"""A patched copy of the installed upstream, and the outcomes of cases in a process that imports it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from evalfixes.facts import upstream
from evalfixes.fix import Fix
from evalfixes.patching.plan import Plan, make
from evalfixes.runtime import fingerprint

ROOT = Path(__file__).resolve().parents[1]


def patched_copy(fix: Fix, folder: Path, *ids: str) -> Plan:
    """Copies the installed package into a folder that can stand first on the path, and patches it."""
    package = upstream(fix.dist)["package"]
    home = fingerprint.source_file(package)
    assert home is not None
    # With its bytecode, which stays valid (times are copied): compiling google-adk anew takes longer than the cases.
    shutil.copytree(home.parent, folder / package.replace(".", "/"))
    plan = make(folder, ids or [fix.id])
    if not plan.refused:
        plan.write()
    assert not plan.problem
    return plan


def outcomes(fix: Fix, cases: list[Any], folder: Path, both: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the metric makes of each case where the folder's package is imported: as it is, and after `apply()`.

    The package is imported once; each list is worked out in a child of that process.

    Args:
        fix: The fix that evaluates.
        cases: Its cases.
        folder: Stands first on the path.
        both: How many of the cases, the first ones, are put to the metric after `apply()` too: it finds
            everything patched and does nothing, which a few cases show as well as many.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT), *_inherited()])}
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), fix.id, str(both)],
        input=json.dumps(cases), capture_output=True, text=True, env=environment, check=False, timeout=1800,
    )  # fmt: skip
    line = next((part for part in done.stdout.splitlines() if part.startswith("RESULT")), None)
    assert line is not None, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(line.removeprefix("RESULT"))
    assert result["home"].startswith(str(folder)), result["home"]
    return result["bare"], result["applied"]


def _inherited() -> list[str]:
    return [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]


def comparable(outcome: Any) -> Any:
    """An outcome without what may differ: the wording of errors and failures, not their classes."""
    plain = {k: v for k, v in outcome.items() if k not in ("error", "reason")}
    plain["error"] = str(outcome.get("error", "")).partition(":")[0]
    plain["failures"] = [_failure(line) for line in outcome.get("failures", ())]
    return json.dumps(plain, sort_keys=True)


_FAILURE = re.compile(r"(\S+) for \S+ (?:was not evaluated|Failed\. Expected \S+, but got (None|[^.\s]\S*?)\.(?= |$))")


def _failure(line: str) -> list[str | None]:
    """A line of AgentEvaluator: the metric and its score; None if unscored, whatever the release calls that.

    Up to 1.16 upstream says None for a mean of 0; the runtime fix leaves a line that fails rightly as it is.
    """
    found = _FAILURE.match(line)
    if found is None:
        return [line]
    return [found[1], None if found[2] in ("None", "0.0", "0") else found[2]]


def _seen(fix: Fix, cases: list[Any], apply: bool) -> dict[str, Any]:
    import evalfixes
    from evalfixes import catalog

    if apply:
        evalfixes.apply(fix.id, rejudge=0, strict=True)
    found = []
    for case in cases:
        try:
            found.append(dict(fix.evaluate(case)))
        except Exception as error:
            found.append({"score": None, "status": "ERROR", "error": f"{type(error).__name__}: {error}"})
    states = {row.id: [row.state, row.where] for row in evalfixes.status(*catalog.closure([fix.id]))}
    return {"outcomes": found, "states": states}


def _main() -> None:
    from evalfixes import catalog
    from evalfixes.probing import load
    from tests.forked import forked

    fix = catalog.get(sys.argv[1])
    load(fix)
    cases = json.load(sys.stdin)
    bare, applied = forked(_seen, fix, cases, False), forked(_seen, fix, cases[: int(sys.argv[2])], True)
    home = str(fingerprint.source_file(upstream(fix.dist)["package"]))
    print("\nRESULT" + json.dumps({"bare": bare, "applied": applied, "home": home}))


if __name__ == "__main__":
    _main()
