"""Pristine releases: which there are, where one is unpacked, and what it holds.

Releases are fetched by pip or uv; ``EVALFIXES_TREES`` names a folder with some unpacked already, as
``<dist>/<version>/``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from evalfixes.facts import fix_facts, upstream
from evalfixes.patching.series import series
from evalfixes.patching.tree import PREFIXES

ROOT = Path(__file__).resolve().parents[1]


@cache
def release(dist: str, version: str) -> Path:
    """A folder with the release unpacked as in site-packages."""
    for base in (os.environ.get("EVALFIXES_TREES"), ROOT / ".nox" / "releases"):
        if base and (Path(base) / dist / version / upstream(dist)["package"].replace(".", "/")).is_dir():
            return Path(base) / dist / version
    target = ROOT / ".nox" / "releases" / dist / version
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    install = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
    command = [*install, "install", "--no-deps", "--target", str(target), f"{dist}=={version}"]
    subprocess.run(
        [*command, *(["--python-version", "3.12"] if uv else ["--ignore-requires-python"])],
        check=True,
        capture_output=True,
    )
    return target


def released(dist: str) -> list[str]:
    """All releases that some variant on record names, and those between that are at hand."""
    from packaging.version import Version

    ends = {
        end
        for fix_id in upstream(dist).get("fixes", {})
        for v in fix_facts(dist, fix_id).variants
        for part in v.releases.split(",")
        for end in part.strip().partition("..")[::2]
        if end
    }
    ends |= {end for patches in series(dist).patches.values() for p in patches for end in p.releases.split("..")}
    trees = os.environ.get("EVALFIXES_TREES")
    at_hand = {p.name for p in (Path(trees) / dist).iterdir()} if trees else set()
    return sorted(ends | at_hand, key=Version)


def sources(dist: str, version: str, paths: Iterable[str]) -> dict[str, bytes | None]:
    """The pristine files of a release, by their path in the upstream repository."""
    package = release(dist, version) / upstream(dist)["package"].replace(".", "/")
    found = {}
    for path in paths:
        file = package / path.removeprefix(PREFIXES[dist])
        found[path] = file.read_bytes() if path.startswith(PREFIXES[dist]) and file.is_file() else None
    return found
