"""What the package registry says of a distribution, asked through pip and uv as they are configured here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Release:
    """A release's wheel: the SHA-256 of its file, the Pythons it asks for, the day of upload (ISO 8601)."""

    sha256: str
    requires_python: str
    date: str


def uv() -> str:
    """The uv command, beside this interpreter or on PATH."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        sys.exit("uv is needed: python -m pip install uv")
    return found


def releases(dist: str, pip: str = sys.executable) -> list[str]:
    """All releases served today, oldest first, pre-releases included."""
    command = [pip, "-m", "pip", "index", "versions", "--pre", "--ignore-requires-python", dist]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    listed = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    if listed is None:
        sys.exit(f"pip cannot list the releases of {dist}: {done.stderr.strip()[-300:]}")
    return [version.strip() for version in reversed(listed[1].split(","))]


def describe(dist: str, release: str) -> Release:
    """The hash of a release's wheel, the Pythons it asks for, and the day of its upload.

    Raises:
        LookupError: The registry has no such release, or no wheel of it.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed"]
    command += ["--ignore-requires-python", "--pre", "--only-binary", ":all:", "--report", "-", f"{dist}=={release}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(f"{dist} {release}: {done.stderr.strip()[-300:]}")
    (found,) = json.loads(done.stdout)["install"]
    sha256 = found["download_info"]["archive_info"]["hashes"]["sha256"]
    return Release(sha256, found["metadata"].get("requires_python", ""), _uploaded(dist, release, sha256))


def _uploaded(dist: str, release: str, sha256: str) -> str:
    """The day of upload, which only uv's lock files tell."""
    command = [uv(), "pip", "compile", "--quiet", "--no-deps", "--no-header", "--format", "pylock.toml"]
    # Its own Requires-Python is no matter here: nothing is installed.
    command += ["--python-version", "3.13", "--prerelease", "allow", "-"]
    done = subprocess.run(command, input=f"{dist}=={release}\n", capture_output=True, text=True, check=False)
    for package in tomllib.loads(done.stdout).get("packages", ()) if done.returncode == 0 else ():
        for wheel in package.get("wheels", ()):
            if wheel["hashes"].get("sha256") == sha256 and "upload-time" in wheel:
                return str(wheel["upload-time"].date().isoformat())
    raise LookupError(f"{dist} {release}: no day of upload: {done.stderr.strip()[-300:]}")


def download(dist: str, release: str, into: Path) -> Path:
    """The release's wheel in a folder; fetched only where it is not there yet.

    Raises:
        LookupError: It cannot be fetched.
    """
    pattern = f"{re.sub(r'[-_.]+', '_', dist)}-{release}-*.whl"
    into.mkdir(parents=True, exist_ok=True)
    if not list(into.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--ignore-requires-python", "--pre", "--dest", str(into), f"{dist}=={release}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LookupError(f"{dist} {release}: {done.stderr.strip()[-300:]}")
    return next(into.glob(pattern))
