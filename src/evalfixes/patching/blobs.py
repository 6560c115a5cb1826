"""Tells from its bytes of which releases a file is: ``patches/<dist>/blobs.json`` has the blob ids of git.

Per file that some patch changes, the table holds the id of each of its contents and the releases that have
it. So files as released are told from patched and from edited ones, without git and without a network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evalfixes.facts import upstream
from evalfixes.patching.plan import make
from evalfixes.patching.series import series
from evalfixes.patching.tree import PREFIXES, Copy, UnsafeFileError
from evalfixes.releases import in_range
from evalfixes.resources import folder

_SHOWN = 4
"""Names of files that are told before the rest is counted only."""


@dataclass(frozen=True)
class Files:
    """The files of a copy that patches change, by what they are. Those that no release of its has are left out.

    Attributes:
        pristine: As released.
        patched: As released once the patches in them are taken out.
        edited: Neither.
        releases: The releases that all pristine and patched files are of, oldest first.
    """

    pristine: tuple[str, ...]
    patched: tuple[str, ...]
    edited: tuple[str, ...]
    releases: tuple[str, ...]

    def __str__(self) -> str:
        span = f"{self.releases[0]}..{self.releases[-1]}" if len(self.releases) > 1 else "".join(self.releases)
        of = span or ("several releases" if self.pristine or self.patched else "no release")
        parts = [f"{len(self.pristine)} pristine"] if self.pristine else []
        parts += [_named(paths, word) for paths, word in ((self.patched, "patched"), (self.edited, "edited")) if paths]
        return f"files of {of}: {'; '.join(parts) or 'none that a patch changes'}"


def _named(paths: tuple[str, ...], word: str) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f"{len(paths)} {word} ({', '.join(paths[:_SHOWN])}{more})"


def blob_id(data: bytes) -> str:
    """What ``git hash-object`` says of a file with these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@cache
def table(dist: str) -> Mapping[str, Mapping[str, str]]:
    """Per file, by its path in the upstream repository, and blob id: the ranges of releases. Empty without patches."""
    try:
        found: Mapping[str, Mapping[str, str]] = json.loads(
            (folder("patches") / dist / "blobs.json").read_text("utf-8")
        )
    except FileNotFoundError:
        return {}
    return found


def releases_of(dist: str, path: str, data: bytes) -> frozenset[str]:
    """The releases in which a file is this, whatever its line ends; none if it is in no release.

    Args:
        dist: The distribution.
        path: The file's path in the upstream repository.
        data: Its bytes.
    """
    known = table(dist).get(path, {})
    span = known.get(blob_id(data)) or known.get(blob_id(data.replace(b"\r\n", b"\n")), "")
    return frozenset(r for r in order(dist) if span and in_range(r, span))


@cache
def order(dist: str) -> tuple[str, ...]:
    """The releases on record, and those at which a patch starts or ends, oldest first."""
    from packaging.version import Version

    ends = {end for found in series(dist).patches.values() for patch in found for end in patch.releases.split("..")}
    return tuple(sorted({*upstream(dist)["releases"], *ends}, key=Version))


def look(copy: Copy) -> Files:
    """Sorts the files of a copy that patches change; what is planned for the copy is not looked at.

    Raises:
        OSError: A file cannot be read.
    """
    fresh = Copy(copy.dist, copy.root, copy.top)
    bare = next(c for c, _ in make(copy.root, reverse=True).copies if c.root == copy.root and c.dist == copy.dist)
    sorted_out: dict[str, list[str]] = {"pristine": [], "patched": [], "edited": []}
    common: set[str] | None = None
    for path in table(copy.dist):
        inner = path.removeprefix(PREFIXES[copy.dist])
        now, before = _read(fresh, copy.root / inner), _read(bare, copy.root / inner)
        if now is None:
            continue
        of = releases_of(copy.dist, path, now)
        state = "pristine" if of else "edited"
        if not of and before is not None and (of := releases_of(copy.dist, path, before)):
            state = "patched"
        sorted_out[state].append(inner)
        if of:
            common = set(of) if common is None else common & of
    ordered = tuple(r for r in order(copy.dist) if r in (common or ()))
    return Files(tuple(sorted_out["pristine"]), tuple(sorted_out["patched"]), tuple(sorted_out["edited"]), ordered)


def _read(copy: Copy, path: Path) -> bytes | None:
    try:
        return copy.read(path)
    except UnsafeFileError:
        return None


def ranges(dist: str, releases: Iterable[str]) -> str:
    """Releases of a distribution as ranges: ``1.5.0..1.8.0, 2.0.0..2.1.0``."""
    all_of_them = order(dist)
    places = sorted(all_of_them.index(release) for release in releases)
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(f"{all_of_them[run[0]]}..{all_of_them[run[-1]]}" for run in runs)
