"""Runs the regression test that each patch carries, where and as the patch puts it, without the patch and with it.

    python tools/patched_tests.py DIST [RELEASE ...]

Each release (the installed one, if none is named) is laid out as in the upstream repository, in four states:

- pristine: the release and the test. Tests must fail one by one, and none for an import: a test that asks for a
  name that only the patch brings says nothing of what the release does.
- unused: the same, with what the patch depends on in place, and the modules that the patch creates lying
  there, but no change of a file that upstream has. The same must come of it.
- patched: the patch, alone with what it depends on. Every test must pass.
- together: all patches of the release. Every test must pass.

Test files are those that the patch names. Exits 1 if a test says otherwise in one of the states.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from importlib.abc import MetaPathFinder
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from releases import release as unpacked

from evalfixes.facts import upstream
from evalfixes.patching.diff import apply
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES
from evalfixes.runtime import fingerprint
from patches import needs

SECONDS = 600
"""The longest that one run of the tests may take."""

IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")
"""How pytest's message of a failure starts where a test could not import what it names."""


@dataclass(frozen=True)
class Outcome:
    """What came of the tests of one file: those that passed, those that failed, and what could not even run.

    A test that ends in an import error counts with the last.
    """

    passed: int = 0
    failed: int = 0
    broken: int = 0

    def __str__(self) -> str:
        parts = [f"{n} {word}" for word, n in vars(self).items() if n]
        return ", ".join(parts) or "no test"

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(self.passed + other.passed, self.failed + other.failed, self.broken + other.broken)

    @property
    def good(self) -> bool:
        """Whether there are tests and all of them passed."""
        return self.passed > 0 and not self.failed and not self.broken


@dataclass
class Row:
    """The four states of one patch."""

    patch: Patch
    pristine: Outcome
    unused: Outcome
    patched: Outcome
    together: Outcome

    @property
    def problems(self) -> list[str]:
        """What is not as it must be."""
        found = []
        if not self.pristine.failed or self.pristine.broken:
            found.append("no test of it fails on the pristine release, or one does for an import")
        if not self.unused.failed or self.unused.broken:
            found.append("without its changes, but with its new modules, no test of it fails on what it asserts")
        if not self.patched.good:
            found.append("its test does not pass with the patch")
        if not self.together.good:
            found.append("its test does not pass with all patches on")
        return found


class RunError(Exception):
    """A run of pytest gave no result; the message is what it printed."""


def carried_tests(patch: Patch) -> list[str]:
    """The test files that a patch names, by their path in the upstream repository."""
    return [c.path for c in patch.files if not c.path.startswith(PREFIXES[patch.dist])]


class Runner:
    """Runs test files of a tree, each time in a child in which the package is not imported yet.

    What else the tests load is imported once, in this process: of google-adk's start-up that is most. Modules that
    ask for the package themselves, as vertexai's do, are left to the children.

    Args:
        folder: Where the tests are, and where pytest runs.
        package: The package that must be imported from this tree.
        root: The folder that the package is found in.
    """

    def __init__(self, folder: Path, package: str, root: Path) -> None:
        self.folder, self.package, self.root = folder, package, root
        self._warm = False

    def run(self, tests: Iterable[str]) -> dict[str, Outcome]:
        """The outcomes per test file.

        Raises:
            RunError: pytest did not run them, or something else than this tree was tested.
        """
        tests = sorted(set(tests))
        if not tests:
            return {}  # pytest would look for tests by itself
        report, said = self.folder / "report.xml", self.folder / "said.txt"
        report.unlink(missing_ok=True)
        child = get_context("fork").Process(target=self._in_child, args=(tests, report, said))
        child.start()
        child.join(SECONDS)
        if child.exitcode is None:
            child.kill()
            child.join()
        lines = said.read_text("utf-8", "replace").splitlines()
        home = next((line[5:] for line in lines if line.startswith("HOME ")), "")
        if child.exitcode not in (0, 1) or not report.is_file() or not home.startswith(str(self.root)):
            shown = "\n".join(lines[-40:])
            raise RunError(f"pytest ended with {child.exitcode}, {self.package} is from {home or 'nowhere'}\n{shown}")
        if not self._warm:
            self._warm = True
            self._import(line[5:] for line in lines if line.startswith("ALSO "))
        return read(report, tests)

    def _in_child(self, tests: list[str], report: Path, said: Path) -> None:
        os.chdir(self.folder)
        sys.path.insert(0, str(self.root))
        importlib.invalidate_caches()
        with said.open("w", encoding="utf-8") as stream:
            os.dup2(stream.fileno(), 1)
            os.dup2(stream.fileno(), 2)
        import pytest

        options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-o", "junit_family=xunit1"]
        options += ["-c", os.devnull, "--rootdir", str(self.folder), "--continue-on-collection-errors"]
        code = pytest.main([*options, f"--junitxml={report}", *tests])
        sys.stdout.flush()
        with said.open("a", encoding="utf-8") as stream:
            print(f"\nHOME {importlib.import_module(self.package).__file__}", file=stream)
            for name, module in list(sys.modules.items()):
                if not self._mine(name, module):
                    print(f"ALSO {name}", file=stream)
        os._exit(min(int(code), 2))

    def _mine(self, name: str, module: object) -> bool:
        inside = f"{name}.".startswith(f"{self.package}.") or name.startswith(("_pytest", "tests", "__"))
        return inside or str(getattr(module, "__file__", None) or "").startswith(str(self.folder))

    def _import(self, names: Iterable[str]) -> None:
        refuse = _Refuse(self.package)
        sys.meta_path.insert(0, refuse)
        for name in names:
            with suppress(Exception):
                importlib.import_module(name)
        sys.meta_path.remove(refuse)
        for name in refuse.askers:
            sys.modules.pop(name, None)
        if self.package in sys.modules:
            raise RunError(f"{self.package} is imported by what its tests load; no tree of it can be tested")


class _Refuse(MetaPathFinder):
    """Refuses a package, and keeps which modules were being imported when it was asked for.

    Args:
        package: The package.
    """

    def __init__(self, package: str) -> None:
        self.package, self.askers = package, set[str]()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if not f"{name}.".startswith(f"{self.package}."):
            return
        frame = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_name == "<module>":
                self.askers.add(frame.f_globals["__name__"])
            frame = frame.f_back
        raise ImportError(f"{name} is for a tree of its own")


def read(report: Path, tests: Iterable[str]) -> dict[str, Outcome]:
    """The outcomes of a JUnit report, per test file."""
    found = dict.fromkeys(tests, Outcome())
    dotted = {path.removesuffix(".py").replace("/", "."): path for path in found}
    for case in ET.parse(report).iter("testcase"):
        path = case.get("file") or dotted.get(case.get("name", ""), "")
        if path not in found:
            raise RunError(f"{report}: a test of no file: {dict(case.attrib)}")
        failure = case.find("failure")
        if case.find("error") is not None:
            found[path] += Outcome(broken=1)
        elif failure is not None:
            imports = failure.get("message", "").startswith(IMPORT_ERRORS)
            found[path] += Outcome(broken=1) if imports else Outcome(failed=1)
        elif case.find("skipped") is None:
            found[path] += Outcome(passed=1)
    return found


class Tree:
    """A release as in the upstream repository, brought into one state after another.

    Bytecode stays from state to state, but not that of a file which changes.
    """

    def __init__(self, dist: str, release: str, folder: Path) -> None:
        self.dist, self.folder = dist, folder
        self.package = upstream(dist)["package"]
        self.root = folder / PREFIXES[dist].removesuffix(self.package.replace(".", "/") + "/")
        shutil.copytree(
            _home(dist, release), folder / PREFIXES[dist], ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
        self._pristine: dict[str, bytes | None] = {}
        self.runner = Runner(folder, self.package, self.root)

    def show(self, changed: Mapping[str, bytes | None]) -> None:
        """Puts the tree into the pristine state but for these files."""
        for path in {*self._pristine, *changed}:
            target = self.folder / path
            if path not in self._pristine:
                self._pristine[path] = target.read_bytes() if target.is_file() else None
            _put(target, changed.get(path, self._pristine[path]))

    def pristine(self, path: str) -> bytes | None:
        """A file of the release; None where it has none."""
        target = self.folder / path
        return self._pristine[path] if path in self._pristine else target.read_bytes() if target.is_file() else None

    def with_patches(self, whole: Iterable[Patch], unused: Iterable[Patch] = ()) -> dict[str, bytes | None]:
        """The files that patches change; of the unused ones only those that they create."""
        texts: dict[str, bytes | None] = {}
        for patch, complete in [*((p, True) for p in whole), *((p, False) for p in unused)]:
            for change in patch.files:
                if complete or change.new:
                    texts[change.path] = apply(change, texts.get(change.path, self.pristine(change.path)))
        return texts


def _home(dist: str, release: str) -> Path:
    package = upstream(dist)["package"]
    try:
        installed = fingerprint.source_file(package) if metadata.version(dist) == release else None
    except metadata.PackageNotFoundError:
        installed = None
    return installed.parent if installed else unpacked(dist, release) / package.replace(".", "/")


def _put(path: Path, data: bytes | None) -> None:
    if (path.read_bytes() if path.is_file() else None) == data:
        return
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        cached.unlink()
    if data is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def prove(dist: str, release: str, ids: Iterable[str] = ()) -> list[Row]:
    """The states of all patches of a release, or of the patches of the fixes named."""
    every = series(dist).for_release(release)
    chosen = [p for p in every if not ids or p.fix_id in ids]
    with tempfile.TemporaryDirectory() as name:
        tree = Tree(dist, release, Path(name).resolve())
        whole = tree.with_patches(every)
        tests = {p: carried_tests(p) for p in chosen}
        all_tests = [path for paths in tests.values() for path in paths]
        tree.show({path: data for path, data in whole.items() if path in all_tests})
        pristine = tree.runner.run(all_tests)
        tree.show(whole)
        together = tree.runner.run(all_tests)
        # Modules that nothing uses change nothing, so the patches that stand on the pristine release share a tree.
        tree.show(tree.with_patches([], unused=[p for p in chosen if not p.depends_on]))
        apart = tree.runner.run(path for p in chosen if not p.depends_on for path in tests[p])
        rows = []
        for patch in chosen:
            needed = [p for p in every if p.fix_id in needs(patch, every)]
            if patch.depends_on:
                tree.show(tree.with_patches(needed, unused=[patch]))
                apart.update(tree.runner.run(tests[patch]))
            tree.show(tree.with_patches([*needed, patch]))
            patched = tree.runner.run(tests[patch])
            rows.append(Row(patch, *(_sum(seen, tests[patch]) for seen in (pristine, apart, patched, together))))
    return rows


def _sum(seen: Mapping[str, Outcome], tests: Iterable[str]) -> Outcome:
    return sum((seen[path] for path in tests), Outcome())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", choices=sorted(PREFIXES))
    parser.add_argument("release", nargs="*")
    parser.add_argument("--fix", action="append", default=[], metavar="ID", help="only the patches of this fix")
    args = parser.parse_args()
    wrong = 0
    for release in args.release or [metadata.version(args.dist)]:
        rows = prove(args.dist, release, args.fix)
        if not rows:
            print(f"{args.dist} {release}: no patch is for this release")
            wrong += 1
        for row in rows:
            print(
                f"{args.dist} {release}: {row.patch.fix_id} {row.patch.releases}: pristine: {row.pristine}; "
                f"unused: {row.unused}; patched: {row.patched}; together: {row.together}"
            )
            for problem in row.problems:
                print(f"  {problem}")
            wrong += bool(row.problems)
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
