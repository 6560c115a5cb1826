"""Measures the texts of all touched symbols again, over every release, and compares with ``upstream/*.toml``.

    python tools/survey.py [--write] [--trees DIR] [--dist NAME] [--fix ID]

Releases come from the registry (their wheels are kept in ``.nox/wheels``) or, with ``--trees``, from
``DIR/<dist>/``, which holds wheels or folders named after releases. Nothing is installed or imported.

Reports, a line each: new releases, new texts, gaps in the promised range, records that are wrong.
``--write`` rewrites the ``variants`` that differ (comments stay) and lists new releases. A text that is
new after the promised range gets no state from here: that is measured, by `evalfixes doctor`.
Exits 1 while something differs.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import registry
import tomlkit
from packaging.version import InvalidVersion, Version
from tomlkit.items import Array, InlineTable

from evalfixes.facts import ABSENT
from evalfixes.releases import in_range
from evalfixes.runtime.fingerprint import of_source

ROOT = Path(__file__).resolve().parents[1]
Reader = Callable[[str], "str | None"]
"""A module's text in one release, or None where it has no such module."""
Prints = Mapping[str, str]


@dataclass(frozen=True)
class Run:
    """Neighbouring releases in which all symbols of a fix read the same."""

    first: str
    last: str
    state: str | None
    symbols: Prints

    @property
    def releases(self) -> str:
        return f"{self.first}..{self.last}"


@dataclass
class Found:
    """What the survey of one fix came to."""

    runs: list[Run]
    remarks: list[str] = field(default_factory=list)


def files(module: str) -> tuple[str, str]:
    path = module.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


def in_folder(folder: Path) -> Reader:
    """Reads modules below a folder such as site-packages."""

    def read(module: str) -> str | None:
        for name in files(module):
            if (folder / name).is_file():
                return (folder / name).read_text(encoding="utf-8")
        return None

    return read


def in_wheel(wheel: Path) -> Reader:
    """Reads modules out of a wheel, without unpacking it."""

    def read(module: str) -> str | None:
        with zipfile.ZipFile(wheel) as archive:
            held = set(archive.namelist())
            for name in files(module):
                if name in held:
                    return archive.read(name).decode("utf-8")
        return None

    return read


def local(folder: Path) -> dict[str, Reader]:
    """A reader per release that a folder holds, as wheels or as folders named after releases."""
    found: dict[str, Reader] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.suffix == ".whl":
            found[path.name.split("-")[1]] = in_wheel(path)
        elif path.is_dir() and is_version(path.name):
            found[path.name] = in_folder(path)
    return {release: found[release] for release in sorted(found, key=Version)}


def served(dist: str, since: str) -> dict[str, Reader]:
    """A reader per release that the registry serves, from the given one on."""
    releases = [r for r in registry.releases(dist) if is_version(r) and Version(r) >= Version(since)]

    def fetch(release: str) -> tuple[str, Reader | None]:
        try:
            return release, in_wheel(registry.download(dist, release, ROOT / ".nox" / "wheels"))
        except LookupError as error:
            print(f"{error} (left out)", file=sys.stderr)
            return release, None

    with ThreadPoolExecutor(4) as pool:
        fetched = dict(pool.map(fetch, sorted(releases, key=Version)))
    return {release: read for release, read in fetched.items() if read is not None}


def is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def prints(read: Reader, symbols: Iterable[str]) -> dict[str, str]:
    """The fingerprint of each ``module:qualname`` in a release."""
    by_module: dict[str, list[str]] = {}
    for symbol in symbols:
        module, _, qualname = symbol.partition(":")
        by_module.setdefault(module, []).append(qualname)
    found = dict.fromkeys(symbols, ABSENT)
    for module, qualnames in by_module.items():
        text = read(module)
        if text is not None:
            found.update({f"{module}:{name}": value for name, value in of_source(text, qualnames).items()})
    return found


def survey(facts: Mapping[str, Any], symbols: Sequence[str], readers: Mapping[str, Reader]) -> Found:
    """Reads the releases of one fix's range and later, and compares them with what is on record.

    Args:
        facts: The fix's section of ``upstream/<dist>.toml``.
        symbols: The fix's symbols.
        readers: A reader per release, oldest first.
    """
    variants = list(facts.get("variants", ()))
    affected = str(facts["affected"])
    start = min(bound for span in [affected, *(str(v["releases"]) for v in variants)] for bound in bounds(span))
    remarks = []
    runs: list[Run] = []
    for release, read in readers.items():
        if Version(release) < start:
            continue
        seen = prints(read, symbols)
        listed = [v for v in variants if in_range(release, str(v["releases"]))]
        alike = [v for v in variants if dict(v["symbols"]) == seen]
        state = state_of(release, facts, listed, alike)
        remarks += remarks_on(release, seen, affected, listed, alike, state)
        if runs and runs[-1].symbols == seen and runs[-1].state == state:
            runs[-1] = Run(runs[-1].first, release, state, seen)
        else:
            runs.append(Run(release, release, state, seen))
    missing = [str(v["releases"]) for v in variants if not any(in_range(r, str(v["releases"])) for r in readers)]
    remarks += [f"{span}: on record, but none of these releases was found" for span in missing]
    return Found(runs, remarks)


def bounds(span: str) -> list[Version]:
    return [Version(bound) for part in span.split(",") for bound in part.strip().split("..") if bound]


def state_of(
    release: str, facts: Mapping[str, Any], listed: Sequence[Mapping[str, Any]], alike: Sequence[Mapping[str, Any]]
) -> str | None:
    """The state on record or the one that the promised range implies; None where only measuring tells."""
    for variant in listed:
        if variant in alike:
            return str(variant["state"])
    if in_range(release, str(facts["affected"])):
        return "faulty"
    if Version(release) < min(bounds(str(facts["affected"]))):
        return "not-affected"
    if facts.get("fixed_in") and Version(release) >= Version(str(facts["fixed_in"])):
        return "fixed-upstream"
    return str(alike[-1]["state"]) if alike else None


def remarks_on(
    release: str,
    seen: Prints,
    affected: str,
    listed: Sequence[Mapping[str, Any]],
    alike: Sequence[Mapping[str, Any]],
    state: str | None,
) -> list[str]:
    if any(variant in alike for variant in listed):
        return []
    if listed:
        known = dict(listed[0]["symbols"])
        changed = sorted(s for s in {*seen, *known} if seen.get(s) != known.get(s))
        return [f"{release}: not the text on record for {listed[0]['releases']}: {', '.join(changed)}"]
    promised = in_range(release, affected)
    where = (
        "gap in the promised range" if promised else "new release" if state != "not-affected" else "before the range"
    )
    if alike:
        return [f"{release}: {where}, reads like {alike[-1]['releases']} ({alike[-1]['state']})"]
    advice = "" if state else "; measure its state with `evalfixes doctor`"
    return [f"{release}: {where}, new text{advice}"]


def rewrite(section: Any, runs: Sequence[Run]) -> bool:
    """Makes the variants of a section those of the runs whose state is known; True if that changed it.

    Variants that stay keep their place, their layout and the comments around them.
    """
    wanted = [run for run in runs if run.state is not None]
    array = section.get("variants")
    if array is None:
        array = tomlkit.array().multiline(True)
        section["variants"] = array
        array = section["variants"]
    rest = list(array)
    changed = False
    place = 0
    for run in wanted:
        same = next((v for v in rest if dict(v["symbols"]) == dict(run.symbols) and v["state"] == run.state), None)
        if same is not None:
            place = list(array).index(same) + 1
            rest.remove(same)
            if not covers(str(same["releases"]), run):
                same["releases"] = run.releases
                changed = True
            continue
        if any(covers(str(v["releases"]), run) and dict(v["symbols"]) == dict(run.symbols) for v in array):
            continue  # a variant of several runs
        insert(array, place, run)
        place += 1
        changed = True
    for gone in rest:
        del array[list(array).index(gone)]
        changed = True
    return changed


def covers(span: str, run: Run) -> bool:
    """Whether a variant on record says the same as a run, be it as one of several ranges."""
    return (
        span == run.releases or (run.first == run.last == span) or run.releases in [p.strip() for p in span.split(",")]
    )


def insert(array: Any, place: int, run: Run) -> None:
    if not isinstance(array, Array):  # [[fixes.x.variants]]
        table = tomlkit.table()
        table.update({"releases": run.releases, "state": run.state, "symbols": dict(run.symbols)})
        array.insert(place, table)
        return
    array.multiline(True)
    array.insert(place, inline({"releases": run.releases, "state": run.state, "symbols": inline(dict(run.symbols))}))


def inline(items: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(items)
    return table


def list_releases(document: Any, dist: str, readers: Mapping[str, Reader]) -> list[str]:
    """Adds releases that are newer than all on record, with the hashes of their wheels."""
    known = document.get("releases", {})
    newest = max(map(Version, known), default=Version("0"))
    added = []
    for release in readers:
        if Version(release) > newest:
            described = registry.describe(dist, release)
            items = {"wheel": described.sha256, "requires_python": described.requires_python, "date": described.date}
            document["releases"][release] = inline(items)
            added.append(release)
    return added


def one_dist(path: Path, catalogue: Mapping[str, Sequence[str]], options: argparse.Namespace) -> bool:
    """Surveys the fixes of one file; True if something differs still."""
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    dist = path.stem
    sections: Any = document.get("fixes", {})
    chosen = [i for i in sections if i in catalogue and options.fix in (None, i)]
    if not chosen:
        return False
    if options.trees:
        readers = local(Path(options.trees) / dist)
    else:
        spans = [
            str(s)
            for i in chosen
            for s in (sections[i]["affected"], *(v["releases"] for v in sections[i].get("variants", ())))
        ]
        readers = served(dist, str(min(bound for span in spans for bound in bounds(span))))
    print(f"{dist}: {len(readers)} releases, {len(chosen)} fixes")
    differs = False
    for fix_id in chosen:
        found = survey(sections[fix_id], catalogue[fix_id], readers)
        for remark in found.remarks:
            print(f"  {fix_id}: {remark}")
        open_ones = [run.releases for run in found.runs if run.state is None]
        changed = options.write and rewrite(sections[fix_id], found.runs)
        if changed:
            print(f"  {fix_id}: variants written{', but not of ' + ', '.join(open_ones) if open_ones else ''}")
        differs |= bool(open_ones) or (bool(found.remarks) and not options.write)
    if options.write:
        if not options.trees and (added := list_releases(document, dist, readers)):
            print(f"  releases added: {', '.join(added)}")
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return differs


def main(arguments: Sequence[str] | None = None, catalogue: Mapping[str, Sequence[str]] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--trees", metavar="DIR")
    parser.add_argument("--dist")
    parser.add_argument("--fix")
    parser.add_argument("--upstream", type=Path, default=ROOT / "upstream", help="the folder of the facts")
    options = parser.parse_args(arguments)
    if catalogue is None:
        from evalfixes.generate import discover

        catalogue = {fix_id: fix.symbols for fix_id, (_, fix) in discover().items()}
    paths = [p for p in sorted(options.upstream.glob("*.toml")) if options.dist in (None, p.stem)]
    differing = [path.stem for path in paths if one_dist(path, catalogue, options)]
    print(f"differs: {', '.join(differing)}" if differing else "nothing differs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
