"""Finds the fixes that a newer upstream release has absorbed, and says so in their facts and patches.

Two things have to agree: the text of the touched symbols is none that has the fault, and no scenario gives its wrong
value. Everything else stays as it is, with the reason.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalfixes import catalog
from evalfixes.errors import EvalfixesError
from evalfixes.facts import fix_facts, upstream
from evalfixes.patching.series import series
from evalfixes.patching.write import Change, write
from evalfixes.releases import in_range
from evalfixes.resources import folder
from evalfixes.runtime.decide import FAULTY, FIXED, NOT_AFFECTED, NOT_INSTALLED, PATCHED, UNKNOWN

ABSORBED = "absorbed"
STILL = "still faulty"
BEFORE = "retired before"
NOTHING = "not there"
UNSURE = "unknown"

_SECONDS = 1200


class RetireError(EvalfixesError):
    """The release cannot be looked at, or the facts cannot be written here."""


@dataclass(frozen=True)
class Finding:
    """What became of one fix in a release.

    Attributes:
        fix_id: The fix.
        state: One of the states of this module.
        why: What text and scenarios say, for people.
    """

    fix_id: str
    state: str
    why: str


@dataclass(frozen=True)
class Retirement:
    """What a release has absorbed, and what is to be written.

    Attributes:
        dist: The distribution.
        release: The release that was looked at.
        findings: Each fix of the distribution.
        changes: The files that change.
    """

    dist: str
    release: str
    findings: tuple[Finding, ...]
    changes: Mapping[Path, Change]


def checkout() -> Path:
    """The root of the checkout whose facts and patches are written.

    Raises:
        RetireError: This evalfixes is an installed one; its data are not to be edited.
    """
    root = folder("upstream").parent
    if not (root / "pyproject.toml").is_file():
        raise RetireError(f"{root} is no checkout of evalfixes; facts and patches are written in one")
    return root


def retire(wanted: str, against: str | None = None, today: dt.date | None = None) -> Retirement:
    """Looks at a release and works out what changes; writes nothing.

    Args:
        wanted: ``dist==release``.
        against: A Python that has the release installed, or its wheel, which is looked at with the dependencies that
            are installed here; this Python if None.
        today: The date that goes into the patches.

    Raises:
        RetireError: The release is not there, or the facts cannot be written here.
    """
    root = checkout()
    dist, _, release = wanted.partition("==")
    try:
        ids = [fix.id for fix in catalog.fixes(dist)]
        upstream(dist)
    except FileNotFoundError:
        ids = []
    if not ids or not release:
        raise RetireError(f"{wanted!r} names no release; give one such as agentevals-cli==0.9.12")
    rows = _probed(ids, against)
    findings = tuple(_finding(row) for row in rows)
    found = {row["release"].partition("+")[0] for row in rows if row["bare"] != NOT_INSTALLED}
    if found != {release}:
        seen = ", ".join(sorted(filter(None, found))) or "none"
        raise RetireError(f"{dist} {release} is to be looked at, and {against or sys.executable} has {seen}")
    absorbed = [f.fix_id for f in findings if f.state == ABSORBED]
    changes = _facts(root, dist, release, absorbed) if absorbed else {}
    changes |= _patches(dist, release, absorbed, today or dt.date.today())  # noqa: DTZ011 - the writer's own day
    return Retirement(dist, release, findings, changes)


def _probed(ids: list[str], against: str | None) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="evalfixes-") as name:
        python, first = against or sys.executable, [str(Path(__file__).resolve().parents[2])]
        if against and against.endswith(".whl"):
            python = sys.executable
            try:
                zipfile.ZipFile(against).extractall(Path(name) / "site")
            except (OSError, zipfile.BadZipFile) as error:
                raise RetireError(f"{against} is no wheel that can be read: {error}") from None
            first.insert(0, str(Path(name) / "site"))
        known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*first, *known]), "EVALFIXES_DISABLE": "1"}
        environment["EVALFIXES_CACHE_DIR"] = name  # what is proven here is not for the user's own runs
        try:
            done = subprocess.run(
                [python, "-m", "evalfixes", "probe", "--forced", *ids], env=environment, capture_output=True,
                text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RetireError(f"the scenarios cannot be run by {python}: {error}") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or len(lines) != len(ids):
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RetireError(f"the scenarios cannot be run by {python}: {last}")
    return [json.loads(line) for line in lines]


def _finding(row: Mapping[str, Any]) -> Finding:
    why = row["evidence"]
    if row["failures"]:
        why += f"; {row['failures'][0]}"
    known = fix_facts(row["dist"], row["id"]).fixed_in
    bare, content = row["bare"], row["content"]
    if bare == NOT_AFFECTED:
        state = NOTHING
    elif bare == FAULTY:
        state = STILL
    elif known and bare == FIXED:
        state, why = BEFORE, f"since {known}; {why}"
    elif bare in (FIXED, PATCHED) and content in (UNKNOWN, FIXED, PATCHED) and not row["failures"]:
        told = {UNKNOWN: "a new text", FIXED: "a text that is known as repaired", PATCHED: "the text of our patch"}
        state, why = ABSORBED, f"{told[content]}, and every scenario is right"
    else:
        state = UNSURE
    return Finding(row["id"], state, why)


def affected_before(affected: str, release: str, releases: Iterable[str]) -> str:
    """The affected range without a release and those after it.

    Args:
        affected: The range on record.
        release: The first release that is not affected.
        releases: All releases on record.
    """
    from packaging.version import Version

    inside = [r for r in releases if in_range(r, affected) and Version(r) < Version(release)]
    last = max(inside, key=Version, default="")
    head, comma, part = affected.rpartition(",")
    first, _, end = part.strip().partition("..")
    if not last or (end and Version(end) < Version(release)) or Version(first) >= Version(release):
        return affected
    return f"{head}{comma}{first}..{last}"


def _facts(root: Path, dist: str, release: str, absorbed: list[str]) -> dict[Path, Change]:
    try:
        import tomlkit
    except ImportError:
        raise RetireError(f"tomlkit is not installed in {sys.prefix}: pip install 'evalfixes[dev]'") from None
    path = root / "upstream" / f"{dist}.toml"
    before = path.read_bytes()
    document: Any = tomlkit.parse(before.decode("utf-8"))
    for fix_id in absorbed:
        entry = document["fixes"][fix_id]
        entry["affected"] = affected_before(entry["affected"], release, document["releases"])
        if "fixed_in" in entry:
            entry["fixed_in"] = release
        else:
            # There is no public way to say where a key goes, and it belongs beside the range.
            entry.value._insert_after("affected", "fixed_in", tomlkit.string(release))
    after = tomlkit.dumps(document).encode("utf-8")
    return {path: Change(before, after)}


def _patches(dist: str, release: str, absorbed: list[str], today: dt.date) -> dict[Path, Change]:
    changes = {}
    for fix_id in absorbed:
        for patch in series(dist).patches.get(fix_id, ()):
            before = patch.path.read_bytes()
            head, mark, rest = before.partition(b"\ndiff --git ")
            for name, said in (
                ("Forwarded", "not-needed"), ("Applied-Upstream", release), ("Last-Update", today.isoformat())
            ):  # fmt: skip
                head = re.sub(rf"(?m)^{name}: .*$".encode(), f"{name}: {said}".encode(), head)
            changes[patch.path] = Change(before, head + mark + rest)
    return changes


def put_down(found: Retirement) -> None:
    """Writes what changes, all of it or nothing.

    Raises:
        WriteError: The disk says no.
    """
    write(found.changes)
