"""Works out, in memory, what patching a tree does; writes it when all of it is possible."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evalfixes import catalog
from evalfixes._index import INDEX
from evalfixes.errors import EvalfixesError
from evalfixes.facts import ABSENT, fix_facts, upstream
from evalfixes.fix import Fix
from evalfixes.patching.diff import HunkError, PatchFormatError, apply
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES, Copy, UnsafeFileError, find, text
from evalfixes.patching.write import Change, WriteError, write
from evalfixes.releases import in_range
from evalfixes.runtime.decide import FAULTY, FIXED, NOT_AFFECTED, PATCHED, UNKNOWN, compare, predates, written_release
from evalfixes.runtime.texts import texts

APPLIED = "applied"
REVERSED = "reversed"
THERE = "already there"
NOT_THERE = "not there"
NOT_NEEDED = "not needed"
NO_PATCH = "no patch"
REFUSED = "refused"


class NothingFoundError(EvalfixesError):
    """No copy of an upstream package is where one was looked for."""


@dataclass
class Row:
    """What comes of one fix in one copy.

    Attributes:
        fix_id: The fix.
        state: One of the states of this module.
        why: The reason, for people.
        hunk: The hunk that does not fit; empty otherwise.
        patch: The patch file that was chosen.
    """

    fix_id: str
    state: str
    why: str = ""
    hunk: str = ""
    patch: Patch | None = None


@dataclass
class Plan:
    """What patching does to all copies under a path.

    Attributes:
        top: The path.
        copies: Each copy, with a row per fix.
        asked: The fixes that were named; empty for all.
    """

    top: Path
    copies: list[tuple[Copy, list[Row]]]
    asked: tuple[str, ...] = ()
    problem: str = field(default="")

    @property
    def refused(self) -> bool:
        """Whether nothing may be written."""
        return bool(self.problem) or any(row.state == REFUSED for _, rows in self.copies for row in rows)

    @property
    def changes(self) -> dict[Path, Change]:
        """The files that change."""
        return {
            path: Change(copy.originals[path], after)
            for copy, _ in self.copies
            for path, after in copy.contents.items()
            if after != copy.originals[path]
        }

    def write(self) -> None:
        """Changes the files, all of them or none; a failure is kept in `problem`."""
        try:
            write(self.changes)
        except WriteError as error:
            self.problem = str(error)

    def diff(self) -> Iterator[str]:
        """The changes as a unified diff, for people."""
        for path, change in self.changes.items():
            name = path.relative_to(self.top).as_posix()
            old, new = (text(data or b"").splitlines(keepends=True) for data in (change.before, change.after))
            yield from difflib.unified_diff(
                old,
                new,
                f"a/{name}" if change.before is not None else "/dev/null",
                f"b/{name}" if change.after is not None else "/dev/null",
            )


def make(path: Path, ids: Iterable[str] = (), reverse: bool = False) -> Plan:
    """Looks at a tree and works out what patching it does; writes nothing.

    Args:
        path: A checkout, a vendored copy, a site-packages folder, or a folder above one.
        ids: The fixes; those that they require come with them. None for all, but for those that change
            what upstream means so: they go in by name only.
        reverse: Take patches out; fixes that require one of them are taken out with it.

    Raises:
        UnknownFixError: An id is not in the catalogue.
        NothingFoundError: The path is no folder, or holds no copy of an upstream package that the
            fixes are for.
    """
    asked = tuple(dict.fromkeys(ids))
    catalog.closure(asked)
    if not path.is_dir():
        raise NothingFoundError(
            f"{path} is no folder; give the folder that holds the copy"
            if path.exists()
            else f"{path} does not exist; give the folder that holds the copy"
        )
    top = path.resolve()
    dists = sorted({INDEX[i].dist for i in asked or INDEX})
    copies = find(top, {dist: _landmarks(dist) for dist in dists})
    lacking = [d for d in dists if asked and d not in {copy.dist for copy in copies}]
    if not copies or lacking:
        raise NothingFoundError(
            f"no copy of {' or '.join(lacking or dists)} is under {path}; give the folder that holds it"
        )
    plan = Plan(top, [], asked)
    for copy in copies:
        rows = (_reverse if reverse else _forward)(copy, asked)
        plan.copies.append((copy, rows))
    return plan


def _landmarks(dist: str) -> dict[str, list[bytes]]:
    package = upstream(dist)["package"]
    found: dict[str, list[bytes]] = {}
    for fix in catalog.fixes(dist):
        for symbol in (*fix.symbols, *texts(dist).symbols(fix.id)):
            module, _, qualname = symbol.partition(":")
            path = module.removeprefix(package).lstrip(".").replace(".", "/")
            words = found.setdefault(f"{path}.py", [])
            words += [qualname.rpartition(".")[2].encode()]
    return found


def needs(fix_id: str) -> tuple[str, ...]:
    """What must be in place before a fix's patch: what it requires, and what its hunks stand on."""
    entry = INDEX[fix_id]
    return tuple(dict.fromkeys([*entry.requires, *series(entry.dist).depends_on(fix_id)]))


def closure(ids: Iterable[str]) -> set[str]:
    """The fixes and all that their patches need."""
    found: set[str] = set()
    todo = list(ids)
    while todo:
        fix_id = todo.pop()
        if fix_id not in found:
            found.add(fix_id)
            todo += needs(fix_id)
    return found


def order(dist: str, ids: Iterable[str]) -> list[str]:
    """Fix ids of a distribution, in the order of its series; those without a patch first."""
    place = {fix_id: n for n, fix_id in enumerate(series(dist).order)}
    return sorted((i for i in ids if INDEX[i].dist == dist), key=lambda i: (place.get(i, -1), i))


def _forward(copy: Copy, asked: tuple[str, ...]) -> list[Row]:
    rows: dict[str, Row] = {}
    promised = catalog.closure(asked)
    for fix_id in order(copy.dist, closure(asked or (i for i, entry in INDEX.items() if entry.default))):
        before = dict(copy.contents)
        try:
            row = _put(copy, catalog.get(fix_id), {i for i, r in rows.items() if r.state in (APPLIED, THERE)})
        except (UnsafeFileError, OSError) as error:
            row = Row(fix_id, REFUSED, str(error))
        row = _held_back(row, rows)
        if row.state == NO_PATCH and fix_id in promised:
            row.state = REFUSED
        if row.state != APPLIED:
            _restore(copy, before)
        rows[fix_id] = row
    return list(rows.values())


def _restore(copy: Copy, before: dict[Path, bytes | None]) -> None:
    copy.contents.update({path: before.get(path, copy.originals[path]) for path in copy.contents})


def _held_back(row: Row, rows: dict[str, Row]) -> Row:
    """A fix must not go in where one that it needs is not: it would do harm alone."""
    # What another patch of the same fix stands on, for other releases, is no matter here.
    stands_on = row.patch.depends_on if row.patch else ()
    needed = (*INDEX[row.fix_id].requires, *stands_on)
    lacking = [n for n in needed if n in rows and rows[n].state in (NO_PATCH, REFUSED)]
    lacking += [n for n in stands_on if n in rows and rows[n].state == NOT_NEEDED]
    if row.state != APPLIED or not lacking:
        return row
    return Row(row.fix_id, NO_PATCH, f"it needs {', '.join(lacking)}, which is not in place")


def _put(copy: Copy, fix: Fix, there: set[str]) -> Row:
    prints = copy.prints((*fix.symbols, *texts(fix.dist).symbols(fix.id)))
    state, evidence = compare(fix, prints)
    release = written_release(copy.root)
    affected = fix_facts(fix.dist, fix.id).affected
    if state == UNKNOWN and all(prints[symbol] == ABSENT for symbol in fix.symbols) and predates(release, affected):
        state, evidence = NOT_AFFECTED, f"{release} predates {affected}, and has none of what the fix repairs"
    if state == PATCHED:
        return Row(fix.id, THERE, evidence)
    if state in (FIXED, NOT_AFFECTED):
        return Row(fix.id, NOT_NEEDED, f"{state}: {evidence}")
    patches = _candidates(copy, fix, release)
    # Of texts that several patches fit, the patches before decide: its hunks alone do not show what it stands on.
    patches.sort(key=lambda patch: not set(patch.depends_on) <= there)
    if not any(_present(copy, patch) for patch in patches) and not _any_module(copy, fix):
        return Row(fix.id, NOT_NEEDED, "this copy has none of the files that have the fault")
    problems: list[tuple[Patch, HunkError]] = []
    for patch in patches:
        try:
            new = _carry_out(copy, patch, reverse=False)
        except HunkError as error:
            problems.append((patch, error))
            continue
        why = evidence or "its text is of no release, but every hunk fits"
        copy.contents.update(new)
        return Row(fix.id, APPLIED, why, patch=patch)
    for patch in patches:
        try:
            _carry_out(copy, patch, reverse=True)
        except HunkError:
            continue
        return Row(fix.id, THERE, "its text is of no release, but every hunk is in it", patch=patch)
    meant = [p for p in patches if p.covers(release)]
    if state == FAULTY and not meant:
        return Row(fix.id, NO_PATCH, _no_patch(fix, evidence, patches))
    if not problems:
        return Row(fix.id, NO_PATCH, _no_patch(fix, evidence or "its text is of no release", patches))
    patch, worst = problems[0]
    why = f"{worst}" + (f" ({patch.releases})" if not evidence else f" ({evidence})")
    return Row(fix.id, REFUSED, why, str(worst.hunk or ""), patch)


def _no_patch(fix: Fix, evidence: str, patches: list[Patch]) -> str:
    since = series(fix.dist).since(fix.id)
    spans = ", ".join(sorted(p.releases for p in patches))
    there = f"there is a patch from {since} on ({spans})" if since else "there is no patch"
    affected = fix_facts(fix.dist, fix.id).affected
    return f"{evidence}: affected are {affected}, {there}; evalfixes.apply() repairs it"


def _candidates(copy: Copy, fix: Fix, release: str) -> list[Patch]:
    """A fix's patches, the most likely first: that of the variant, that of the release, the newest."""
    known = texts(fix.dist)
    plain = known.plain(copy.prints(fix.symbols))
    spans = [
        v.releases
        for v in fix_facts(fix.dist, fix.id).variants
        if all(plain.get(symbol) == value for symbol, value in v.symbols.items())
    ]

    def rank(patch: Patch) -> tuple[bool, bool]:
        ends = [end for span in spans for end in span.split(",")[-1].partition("..")[::2] if end]
        return not any(in_range(end, patch.releases) for end in ends), not patch.covers(release)

    return sorted(series(fix.dist).patches.get(fix.id, ()), key=rank)


def _any_module(copy: Copy, fix: Fix) -> bool:
    package = upstream(fix.dist)["package"]
    paths = [s.partition(":")[0].removeprefix(package).lstrip(".").replace(".", "/") for s in fix.symbols]
    return any(copy.read(copy.root / f"{path}.py") is not None for path in paths)


def _present(copy: Copy, patch: Patch) -> bool:
    places = [copy.place(change.path) for change in patch.files if not change.new]
    return any(place is not None and copy.read(place) is not None for place in places)


def _carry_out(copy: Copy, patch: Patch, reverse: bool) -> dict[Path, bytes | None]:
    """The contents after a patch; what only an upstream checkout has is left out elsewhere.

    Raises:
        HunkError: It does not fit.
    """
    result: dict[Path, bytes | None] = {}
    for change in patch.files:
        source = change.path.startswith(PREFIXES[copy.dist])
        place = copy.place(change.path)
        if place is None:
            continue
        data = copy.read(place)
        if not source and reverse and data is None:
            continue
        if not source and not reverse and change.new and data == apply(change, None):
            continue
        after = apply(change.reversed() if reverse else change, data)
        _still_parses(change.path, data, after)
        result[place] = after
    return result


def _still_parses(path: str, before: bytes | None, after: bytes | None) -> None:
    if before is None or after is None or not path.endswith(".py"):
        return
    try:
        ast.parse(before)
    except (SyntaxError, ValueError):
        return
    try:
        ast.parse(after)
    except (SyntaxError, ValueError):
        raise HunkError(path, None, "the hunks fit, but what comes out is no Python") from None


def _reverse(copy: Copy, asked: tuple[str, ...]) -> list[Row]:
    wanted = {i for i in INDEX if not asked or closure([i]) & set(asked)}
    rows: dict[str, Row] = {}
    for fix_id in reversed(order(copy.dist, wanted)):
        fix = catalog.get(fix_id)
        before = dict(copy.contents)
        try:
            row = _take(copy, fix)
        except (UnsafeFileError, OSError) as error:
            row = Row(fix_id, REFUSED, str(error))
        if row.state != REVERSED:
            _restore(copy, before)
        rows[fix_id] = row
    return list(rows.values())


def _take(copy: Copy, fix: Fix) -> Row:
    state, evidence = compare(fix, copy.prints((*fix.symbols, *texts(fix.dist).symbols(fix.id))))
    if state not in (PATCHED, UNKNOWN):
        return Row(fix.id, NOT_THERE, evidence)
    problem: HunkError | None = None
    for patch in _candidates(copy, fix, written_release(copy.root)):
        try:
            new = _carry_out(copy, patch, reverse=True)
        except HunkError as error:
            problem = problem or error
            continue
        copy.contents.update(new)
        return Row(fix.id, REVERSED, evidence, patch=patch)
    if state == UNKNOWN and not evidence:
        return Row(fix.id, NOT_THERE, "its text is of no release, and the patch is not in it")
    return Row(
        fix.id, REFUSED, str(problem or "there is no patch to take out"), str(problem.hunk or "") if problem else ""
    )


__all__ = ["NothingFoundError", "PatchFormatError", "Plan", "Row", "make"]
