"""The patch files of a distribution, in the order in which they go on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from evalfixes.patching.diff import FilePatch, parse
from evalfixes.releases import in_range
from evalfixes.resources import folder


@dataclass(frozen=True)
class Patch:
    """One patch file: a fix for a run of releases.

    Attributes:
        fix_id: The fix.
        dist: Its distribution.
        releases: The range of releases it is for, which is the file's name.
        path: The file.
    """

    fix_id: str
    dist: str
    releases: str
    path: Path

    @cached_property
    def _parsed(self) -> tuple[bytes, tuple[FilePatch, ...]]:
        return parse(self.path.read_bytes())

    @property
    def files(self) -> tuple[FilePatch, ...]:
        """What it changes."""
        return self._parsed[1]

    @property
    def message(self) -> str:
        """Its mail header and commit message."""
        return self._parsed[0].decode("utf-8")

    def trailer(self, name: str) -> list[str]:
        """The values of a trailer of its commit message."""
        head = f"{name}:"
        return [line[len(head) :].strip() for line in self.message.splitlines() if line.startswith(head)]

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The fixes whose patches must be in place before this one fits."""
        return tuple(part.strip() for line in self.trailer("Depends-On") for part in line.split(",") if part.strip())

    def covers(self, release: str) -> bool:
        """Whether it is meant for a release."""
        return bool(release) and in_range(release, self.releases)


@dataclass(frozen=True)
class Series:
    """All patches of a distribution.

    Attributes:
        dist: The distribution.
        order: Fix ids in the order in which their patches go on.
        patches: Per fix its patch files, newest releases first.
    """

    dist: str
    order: tuple[str, ...]
    patches: dict[str, tuple[Patch, ...]]

    def depends_on(self, fix_id: str) -> tuple[str, ...]:
        """The fixes that some patch of a fix needs in place."""
        return tuple(dict.fromkeys(d for patch in self.patches.get(fix_id, ()) for d in patch.depends_on))

    def since(self, fix_id: str) -> str:
        """The first release that there is a patch of a fix for; empty if there is none."""
        from packaging.version import Version

        firsts = [patch.releases.partition("..")[0] for patch in self.patches.get(fix_id, ())]
        return min(firsts, key=Version, default="")

    def for_release(self, release: str) -> list[Patch]:
        """The patches that go on a release, in order."""
        return [p for fix_id in self.order for p in self.patches[fix_id] if p.covers(release)]


@cache
def series(dist: str) -> Series:
    """The patches of a distribution; empty if it has none."""
    try:
        home = folder("patches") / dist
        lines = (home / "series").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return Series(dist, (), {})
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    found: dict[str, list[Patch]] = {}
    for name in names:
        fix_id, _, file = name.partition("/")
        found.setdefault(fix_id, []).append(Patch(fix_id, dist, file.removesuffix(".patch"), home / name))
    return Series(dist, tuple(found), {fix_id: tuple(reversed(patches)) for fix_id, patches in found.items()})
