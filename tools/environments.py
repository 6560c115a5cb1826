"""Virtual environments for the sessions of noxfile.py: made once, used again, with uv or else with pip."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".nox"

SETTINGS = {
    # Nothing is sent, downloaded or asked for while tests run.
    "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONHASHSEED": "0",
    "UV_PYTHON_DOWNLOADS": "never",
}

FORBIDDEN = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "EVALFIXES_SKIP",
    "EVALFIXES_DISABLE",
)
"""Without bytecode an import of an upstream takes three times as long; the others change what is tested."""


class FailedError(Exception):
    """A command failed; its output is the message."""


def environ(**more: str) -> dict[str, str]:
    """The process environment that tests and installers run in."""
    kept = {key: value for key, value in os.environ.items() if key not in FORBIDDEN}
    return {**kept, **SETTINGS, **more}


def run(command: Sequence[str], cwd: Path = ROOT) -> str:
    """Runs a command to its end and returns what it printed.

    Raises:
        FailedError: Its exit code is not 0.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environ(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise FailedError(f"{' '.join(command)}\n{done.stdout[-6000:]}")
    return done.stdout


@cache
def interpreter(version: str) -> str | None:
    """An interpreter of the given minor version, or None; asked itself, since a shim may lead nowhere."""
    tried = [f"python{version}", sys.executable, "python3", "python"]
    if (root := os.environ.get("PYENV_ROOT")) is not None:
        tried += sorted(map(str, Path(root, "versions").glob(f"{version}.*/bin/python")), reverse=True)
    for name in tried:
        path = shutil.which(name)
        if path is None:
            continue
        ask = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys._base_executable or sys.executable)"
        done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
        lines = done.stdout.split("\n")
        if done.returncode == 0 and lines[0] == version and Path(lines[1]).exists():
            return lines[1]
    return None


@cache
def uv() -> str | None:
    """The uv command, or None: then pip does the same, slower."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.exists() else shutil.which("uv")


class Environment:
    """One virtual environment below ``.nox``.

    Args:
        name: Its folder.
        python: The minor version of its interpreter.
    """

    def __init__(self, name: str, python: str) -> None:
        self.home = HOME / name
        self.version = python

    @property
    def bin(self) -> Path:
        return self.home / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> str:
        return str(self.bin / "python")

    def make(
        self,
        requirements: Sequence[str],
        constraints: Path | None = None,
        editable: bool = True,
        bare: Sequence[str] = (),
    ) -> bool:
        """Sees that the environment holds the requirements and this checkout; True if it was made anew.

        Args:
            requirements: What is installed with all that it depends on.
            constraints: A file of constraints.
            editable: Whether this checkout is installed too.
            bare: What is installed without what it depends on.

        Raises:
            FailedError: An installer failed; the environment is then made again the next time.
        """
        base = interpreter(self.version)
        if base is None:
            raise FailedError(f"no Python {self.version} here")
        pinned = constraints.read_text(encoding="utf-8") if constraints else ""
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8") if editable else ""
        wanted = "\0".join([base, *requirements, *bare, pinned, project, str(ROOT)])
        stamp = self.home / "evalfixes-stamp"
        digest = hashlib.sha256(wanted.encode()).hexdigest()
        if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
            return False
        shutil.rmtree(self.home, ignore_errors=True)
        limits = ["--constraint", str(constraints)] if constraints else []
        if (command := uv()) is not None:
            run([command, "venv", "--quiet", "--python", base, str(self.home)])
            install = [command, "pip", "install", "--quiet", "--python", self.python]
            # No --compile-bytecode: of google-adk's 15,000 files the tests import 3,800, once, in the parent of
            # all forks; compiled there they cost 12 s of a core instead of 48 s.
            run([*install, *limits, *requirements])
        else:
            run([base, "-m", "venv", str(self.home)])
            install = [self.python, "-m", "pip", "install", "--quiet", "--no-compile"]
            run([*install, *limits, *requirements])
        if bare:
            run([*install, "--no-deps", *bare])
        if editable:
            run([*install, "--no-deps", "--editable", str(ROOT)])
        stamp.write_text(digest, encoding="utf-8")
        return True
