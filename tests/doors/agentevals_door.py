"""Starts the real `agentevals` command with a scripted judge, bare or with the fixes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.forked import forked_python

ROOT = Path(__file__).resolve().parents[2]

# The console script's own code, after what a sitecustomize of the user would do.
_START = """
import json, os, sys
fixes = json.loads(os.environ["DOOR_FIXES"])
if fixes is not None:
    import evalfixes
    evalfixes.apply(*fixes)
before = set(sys.modules)
from evalfixes.fixes.agentevals import _harness
_harness.register_judge()
_harness.set_script(json.loads(os.environ["DOOR_JUDGE"]))
"""


def agentevals(
    folder: Path, arguments: list[str], fixes: list[str] | None, judge: dict[str, Any], real: bool = False
) -> tuple[int, str]:
    """Exit code and output of `agentevals`; see `process`."""
    done = process(folder, arguments, fixes, judge, real)
    return done.returncode, done.stdout


def process(
    folder: Path, arguments: list[str], fixes: list[str] | None, judge: dict[str, Any], real: bool = False
) -> subprocess.CompletedProcess[str]:
    """How `agentevals` ended; ``fixes`` None: not applied.

    In a fork of this process, or as the ``real`` console script in a process of its own.
    """
    if not real:
        env = {**os.environ, "DOOR_FIXES": json.dumps(fixes), "DOOR_JUDGE": json.dumps(judge)}
        forked = forked_python(_START + _MAIN, *arguments, cwd=folder, env=env)
        if not forked.stdout:
            raise AssertionError(forked.stderr[-3000:])
        return forked
    (folder / "sitecustomize.py").write_text(_START, encoding="utf-8")
    path = [str(folder), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    beside = Path(sys.executable).with_name("agentevals")
    command = [str(beside)] if beside.exists() and not os.environ.get("PYTHONPATH") else [sys.executable, "-c", _MAIN]
    done = subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path),
            "DOOR_FIXES": json.dumps(fixes),
            "DOOR_JUDGE": json.dumps(judge),
        },
    )
    if not done.stdout:
        raise AssertionError(done.stderr[-3000:])
    return done


_MAIN = "import sys; from agentevals.cli import main; sys.argv[0] = 'agentevals'; main()"
