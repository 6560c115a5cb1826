"""Makes and checks ``patches/<dist>/blobs.json``: of which releases each content of a file is.

    python tools/blobs.py [DIST ...] [--check] [--all]

For every file that some patch changes, the git blob id of its content in every release on record. Wheels
are kept in ``.nox/wheels``. ``--check`` looks only at the releases at which some patch or variant starts
or ends, which the other checks of patches need anyway; with ``--all`` at every one.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import registry
from releases import released

from evalfixes.facts import upstream
from evalfixes.patching.blobs import blob_id, order, ranges
from evalfixes.patching.series import series
from evalfixes.patching.tree import PREFIXES
from evalfixes.releases import in_range

ROOT = Path(__file__).resolve().parents[1]


def touched(dist: str) -> list[str]:
    """The files that patches change and upstream has."""
    every = [change for found in series(dist).patches.values() for patch in found for change in patch.files]
    created = {change.path for change in every if change.new}
    return sorted({c.path for c in every if c.path.startswith(PREFIXES[dist])} - created)


def contents(dist: str, release: str, paths: Iterable[str]) -> dict[str, str]:
    """The blob ids of files in a release; those that it does not have are left out."""
    package = upstream(dist)["package"].replace(".", "/") + "/"
    wheel = registry.download(dist, release, ROOT / ".nox" / "wheels")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        names = {path: package + path.removeprefix(PREFIXES[dist]) for path in paths}
        return {path: blob_id(archive.read(name)) for path, name in names.items() if name in held}


def make(dist: str) -> dict[str, dict[str, str]]:
    """The whole table, from every release on record."""
    paths, every = touched(dist), order(dist)
    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(every, pool.map(lambda release: contents(dist, release, paths), every), strict=True))
    table: dict[str, dict[str, str]] = {}
    for path in paths:
        blobs: dict[str, list[str]] = {}
        for release in every:
            if path in found[release]:
                blobs.setdefault(found[release][path], []).append(release)
        table[path] = {blob: ranges(dist, releases) for blob, releases in blobs.items()}
    return table


def write(dist: str) -> None:
    path = ROOT / "patches" / dist / "blobs.json"
    path.write_text(json.dumps(make(dist), indent=1) + "\n", "utf-8")
    print(f"{path.relative_to(ROOT)}: written")


def check(dist: str, every: bool) -> int:
    """Prints where the table is not what releases hold; returns how often."""
    path = ROOT / "patches" / dist / "blobs.json"
    table: dict[str, dict[str, str]] = json.loads(path.read_text("utf-8"))
    wrong = 0
    for release in order(dist) if every else [r for r in released(dist) if r in order(dist)]:
        seen = contents(dist, release, touched(dist))
        for file in sorted({*table, *touched(dist)}):
            known = [blob for blob, span in table.get(file, {}).items() if in_range(release, span)]
            if known != ([seen[file]] if file in seen else []):
                wrong += 1
                print(f"{path.relative_to(ROOT)}: {file} of {release} is {seen.get(file, 'absent')}, not {known}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", nargs="*", default=sorted(PREFIXES))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    if args.check:
        return int(sum(check(dist, args.all) for dist in args.dist) > 0)
    for dist in args.dist:
        write(dist)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
