"""Numbers the patch sets of a distribution: the N of a patched wheel's version ``X+evalfixes.N``.

``patches/<dist>/sets.toml`` is the home of N: the digest of the patch set that each number stands for, and the
evalfixes that brought it. What a released evalfixes has numbered is never renumbered, so two wheels of one version
have the same patches in them.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from evalfixes.errors import EvalfixesError
from evalfixes.patching.series import series
from evalfixes.resources import folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "sets.toml"

_HEAD = """\
# The patch sets of this distribution, written by `nox -s generate`: N of the wheels' version X+evalfixes.N. A changed
# patch set gets the next number; only the set of an evalfixes that is not released yet is replaced by its successor.
"""


@dataclass(frozen=True)
class PatchSet:
    """One numbered patch set.

    Attributes:
        number: Its number, from 1.
        digest: SHA-256 over the series and all its patch files.
        evalfixes: The version of evalfixes that brought it.
    """

    number: int
    digest: str
    evalfixes: str


class UnnumberedSetError(EvalfixesError):
    """The patches of a distribution are no patch set that has a number.

    Attributes:
        dist: The distribution.
    """

    def __init__(self, dist: str) -> None:
        self.dist = dist
        super().__init__(
            f"patches/{dist} is not the set that patches/{dist}/{NAME} numbers: patches were changed. "
            "In a checkout run `python -m evalfixes.generate`; otherwise reinstall evalfixes"
        )


def digest(dist: str) -> str:
    """The SHA-256 of a distribution's patch set: the names in its series, in order, and their contents."""
    found = hashlib.sha256()
    every = series(dist)
    for fix_id in every.order:
        for patch in every.patches[fix_id]:
            content = hashlib.sha256(patch.path.read_bytes()).hexdigest()
            found.update(f"{content}  {patch.fix_id}/{patch.path.name}\n".encode())
    return found.hexdigest()


def read(path: Path) -> tuple[PatchSet, ...]:
    """The patch sets that a file numbers; none if there is no such file."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return ()
    return tuple(PatchSet(s["number"], s["digest"], s["evalfixes"]) for s in data["sets"])


def current(dist: str) -> PatchSet:
    """The numbered set that the patches of a distribution are.

    Raises:
        UnnumberedSetError: They are none: somebody changed a patch.
    """
    known = read(folder("patches") / dist / NAME)
    if not known or known[-1].digest != digest(dist):
        raise UnnumberedSetError(dist)
    return known[-1]


def text(dist: str, present: tuple[PatchSet, ...], evalfixes: str) -> str:
    """What the file of a distribution should say.

    Args:
        dist: The distribution.
        present: The sets that it numbers now.
        evalfixes: The version of this evalfixes; a set that an earlier one brought is released, and stays.
    """
    sets = list(present)
    new = digest(dist)
    if not sets or sets[-1].digest != new:
        if sets and sets[-1].evalfixes == evalfixes:
            sets.pop()
        sets.append(PatchSet(sets[-1].number + 1 if sets else 1, new, evalfixes))
    entries = [f'    {{ number = {s.number}, digest = "{s.digest}", evalfixes = "{s.evalfixes}" }},\n' for s in sets]
    return f"{_HEAD}sets = [\n{''.join(entries)}]\n"
