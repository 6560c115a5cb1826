"""Makes and checks the patch files by a real git flow.

    python tools/patches.py checkout DIST VERSION FOLDER   the release as a git commit, its patches on top
    python tools/patches.py export FOLDER [--check]        the commits of such a folder as patch files
    python tools/patches.py reexport [DIST] [--check]      the same for all patches there are
    python tools/patches.py texts [DIST] [--check]         patches/<dist>/texts.json
    python tools/patches.py prove [DIST]                   every patch on every release of its range

A commit names its patch file in the trailer ``Origin: vendor, evalfixes <fix-id> <first>..<last>``.
Where releases come from is said in ``releases.py``, what ``texts.json`` holds in ``texts.py``.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from releases import ROOT, release, released, sources
from texts import write_texts

from evalfixes.facts import upstream
from evalfixes.patching.diff import FilePatch, HunkError, apply, parse
from evalfixes.patching.series import Patch, Series, series
from evalfixes.patching.tree import PREFIXES

PATCHES = ROOT / "patches"
AUTHOR = ("evalfixes maintainers", "evalfixes@users.noreply.example")
DATE = "2026-11-30T12:00:00+0000"
FORMAT = ["--full-index", "--zero-commit", "--no-signature", "--no-stat", "--no-renames", "-N", "--stdout"]


def git(folder: Path, *args: str, stdin: bytes | None = None) -> bytes:
    """Runs git with nothing of the user's configuration."""
    name, mail = AUTHOR
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
        "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail, "GIT_COMMITTER_DATE": DATE,
    }  # fmt: skip
    done = subprocess.run(["git", *args], cwd=folder, env=environment, input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}{done.stdout.decode()[-2000:]}")
    return done.stdout


def lay(dist: str, version: str, folder: Path) -> None:
    """Lays a pristine release out as in the upstream repository, as a git commit."""
    package = release(dist, version) / upstream(dist)["package"].replace(".", "/")
    shutil.copytree(package, folder / PREFIXES[dist], ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "core.autocrlf", "false")
    (folder / ".git" / "info" / "exclude").write_text("__pycache__/\n")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", f"{dist} {version}")
    git(folder, "tag", "pristine")


def put_on(folder: Path, patches: Iterable[Patch]) -> None:
    """Applies patches by ``git am``, which knows no fuzz."""
    for patch in patches:
        git(folder, "am", "-q", "--keep-cr", stdin=patch.path.read_bytes())


def checkout(dist: str, version: str, folder: Path) -> None:
    """The release with its patches as commits, to be edited."""
    folder.mkdir(parents=True)
    lay(dist, version, folder)
    put_on(folder, series(dist).for_release(version))
    print(f"{folder}: {dist} {version}; commit, rebase and amend there, then export it")


def export(folder: Path, check: bool) -> int:
    """Writes the commits of a checkout as patch files; returns how many differ."""
    dist, version = git(folder, "log", "-1", "--format=%s", "pristine").decode().split()
    different = 0
    for commit in git(folder, "rev-list", "--reverse", "pristine..HEAD").decode().split():
        message = git(folder, "log", "-1", "--format=%B", commit).decode()
        origin = next((line for line in message.splitlines() if line.startswith("Origin: ")), "").split()
        if origin[:3] != ["Origin:", "vendor,", "evalfixes"]:
            raise SystemExit(f"{commit}: no trailer `Origin: vendor, evalfixes <fix-id> <range>`")
        fix_id, span = origin[3:]
        if span.split("..")[-1] != version:
            continue  # a patch has the index line of the last release that it is for
        target = PATCHES / dist / fix_id / f"{span}.patch"
        data = _formatted(folder, commit, target, dist, version)
        if not target.is_file() or target.read_bytes() != data:
            different += 1
            print(f"{target.relative_to(ROOT)}: {'differs' if check else 'written'}")
            if not check:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
    if not check:
        _sort_series(dist, folder)
    return different


def reexport(dist: str, check: bool) -> int:
    """Lays out the last release of every patch, applies the series and exports it again."""
    different = 0
    for version in sorted({p.releases.split("..")[-1] for found in series(dist).patches.values() for p in found}):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            lay(dist, version, folder)
            put_on(folder, series(dist).for_release(version))
            different += export(folder, check)
    return different


def _formatted(folder: Path, commit: str, target: Path, dist: str, version: str) -> bytes:
    """The patch of a commit, with the context of the present file or else the least that is unique."""
    first = _context(parse(target.read_bytes())[1]) if target.is_file() else 1
    before = {
        path: git(folder, "show", f"{commit}^:{path}")
        for path in git(folder, "diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).decode().split()
    }
    for context in range(first, 12):
        data = git(folder, "format-patch", f"-U{context}", *FORMAT, "-1", commit)
        try:
            for change in parse(data)[1]:
                apply(change, before.get(change.path))
        except HunkError:
            continue
        return data
    raise SystemExit(f"{target}: no context makes its hunks unique in {dist} {version}")


def _context(files: tuple[FilePatch, ...]) -> int:
    def leading(lines: Iterable[tuple[str, bytes, bool]]) -> int:
        return len(list(itertools.takewhile(lambda line: line[0] == " ", lines)))

    hunks = [hunk for change in files if not change.new for hunk in change.hunks]
    return max([1, *(leading(h.lines) for h in hunks), *(leading(reversed(h.lines)) for h in hunks)])


def _sort_series(dist: str, folder: Path) -> None:
    """Keeps the order of the commits for fixes that are new to the series."""
    path = PATCHES / dist / "series"
    present = path.read_text("utf-8").splitlines() if path.is_file() else []
    order = list(dict.fromkeys(line.partition("/")[0] for line in present if line))
    log = git(folder, "log", "--reverse", "--format=%B", "pristine..HEAD").decode().splitlines()
    order += [i for line in log if line.startswith("Origin: ") and (i := line.split()[3]) not in order]
    from packaging.version import Version

    files = sorted(
        (p for p in (PATCHES / dist).glob("*/*.patch")),
        key=lambda p: (order.index(p.parent.name), Version(p.stem.partition("..")[0])),
    )
    path.write_text("".join(f"{p.parent.name}/{p.name}\n" for p in files), "utf-8")


def step(files: dict[str, bytes | None], patch: Patch) -> dict[str, bytes | None]:
    """The files after a patch, tests left out."""
    after = dict(files)
    for change in patch.files:
        if change.path.startswith(PREFIXES[patch.dist]):
            after[change.path] = apply(change, after.get(change.path))
    return after


def prove(dist: str) -> int:
    """Every patch alone with what it needs, and all together, on every release; by git at the ends."""
    table: dict[tuple[str, str], list[str]] = {}
    failed = 0
    every: Series = series(dist)
    for version in released(dist):
        patches = every.for_release(version)
        files = sources(dist, version, sorted({c.path for p in patches for c in p.files}))
        for patch in patches:
            alone = [p for p in patches if p is patch or p.fix_id in needs(patch, patches)]
            try:
                result = files
                for each in alone:
                    result = step(result, each)
                for each in reversed(alone):
                    result = _undo(result, each)
                if result != files:
                    raise HunkError(patch.path.name, None, "reversing it gives another text")
                table.setdefault((patch.fix_id, patch.releases), []).append(version)
            except HunkError as error:
                failed += 1
                print(f"{dist} {version}: {patch.fix_id} {patch.releases}: {error}\n{error.hunk}")
    ends = {end for p in itertools.chain(*every.patches.values()) for end in p.releases.split("..")}
    for version in sorted(ends):
        _by_git(dist, version)
    for fix_id in every.order:
        for patch in reversed(every.patches[fix_id]):
            done = table.get((fix_id, patch.releases), [])
            print(f"{fix_id:40} {patch.releases:18} applies and reverses on {len(done)} releases")
    return failed


def needs(patch: Patch, patches: list[Patch]) -> set[str]:
    found: set[str] = set()
    todo = [patch]
    while todo:
        for fix_id in todo.pop().depends_on:
            found.add(fix_id)
            todo += [p for p in patches if p.fix_id == fix_id]
    return found


def _undo(files: dict[str, bytes | None], patch: Patch) -> dict[str, bytes | None]:
    after = dict(files)
    for change in patch.files:
        if change.path.startswith(PREFIXES[patch.dist]):
            after[change.path] = apply(change.reversed(), after.get(change.path))
    return after


def _by_git(dist: str, version: str) -> None:
    """``git am`` of all patches, ``git apply -R`` of all; nothing else may change."""
    patches = series(dist).for_release(version)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay(dist, version, folder)
        put_on(folder, patches)
        named = {c.path for p in patches for c in p.files}
        changed = set(git(folder, "diff", "--name-only", "pristine", "HEAD").decode().split())
        if changed != named:
            raise SystemExit(f"{dist} {version}: patches name {named ^ changed}, and do not change it")
        for patch in reversed(patches):
            git(folder, "apply", "-R", "--index", str(patch.path))
        if git(folder, "diff", "--cached", "pristine"):
            raise SystemExit(f"{dist} {version}: reversing all patches leaves something behind")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("checkout")
    one.add_argument("dist")
    one.add_argument("version")
    one.add_argument("folder", type=Path)
    one = commands.add_parser("export")
    one.add_argument("folder", type=Path)
    one.add_argument("--check", action="store_true")
    for name in ("texts", "prove", "reexport"):
        one = commands.add_parser(name)
        one.add_argument("dist", nargs="*", default=sorted(PREFIXES))
        one.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.command == "checkout":
        checkout(args.dist, args.version, args.folder.resolve())
        return 0
    if args.command == "export":
        return int(export(args.folder.resolve(), args.check) > 0 and args.check)
    dists = [d for d in args.dist if series(d).order]
    if args.command == "reexport":
        return int(sum(reexport(d, args.check) for d in dists) > 0 and args.check)
    if args.command == "texts":
        return int(sum(write_texts(d, args.check) for d in dists) > 0 and args.check)
    return int(sum(prove(d) for d in dists) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
