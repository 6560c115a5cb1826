"""Builds a wheel of an upstream release with the patches in it, byte for byte the same each time."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evalfixes import catalog
from evalfixes._index import INDEX
from evalfixes.errors import EvalfixesError
from evalfixes.facts import upstream
from evalfixes.patching import sets
from evalfixes.patching.plan import APPLIED, NO_PATCH, REFUSED, Plan, Row, closure, make
from evalfixes.patching.tree import PREFIXES
from evalfixes.runtime.provenance import MARK, NAME

EPOCH = "315532800"
"""The time stamp of every file where SOURCE_DATE_EPOCH says no other: 1980, the first that a zip file can hold."""

_SECONDS = 600
"""Longest that pip may take for a download, and `wheel` for packing."""


class WheelError(EvalfixesError):
    """A wheel cannot be built here: a tool is missing, or what was asked for makes no sense."""


class RefusedError(EvalfixesError):
    """A wheel is not built, since it would not be what its version says.

    Attributes:
        rows: What came of each fix; empty if it did not get that far.
    """

    def __init__(self, message: str, rows: Iterable[Row] = ()) -> None:
        self.rows = tuple(rows)
        super().__init__(f"{message}; nothing was written")


@dataclass(frozen=True)
class Base:
    """The pristine wheel of a release.

    Attributes:
        path: The file.
        dist: Its distribution.
        release: Its version.
        sha256: Its hash, which is the one on record.
    """

    path: Path
    dist: str
    release: str
    sha256: str


@dataclass(frozen=True)
class Built:
    """A patched wheel.

    Attributes:
        path: The file.
        version: Its version, with the local part.
        sha256: Its hash.
        base: What it was built from.
        rows: What came of each fix.
    """

    path: Path
    version: str
    sha256: str
    base: Base
    rows: tuple[Row, ...]

    @property
    def requirement(self) -> str:
        """The line of a requirements file that takes this very file."""
        return f"{self.base.dist}=={self.version} --hash=sha256:{self.sha256}"


def build(source: str, output: Path, ids: Iterable[str] = (), without: Iterable[str] = ()) -> Built:
    """Builds the patched wheel of a release.

    Args:
        source: A requirement such as ``google-adk==2.13.0``, which pip fetches from wherever it is set up to, or
            the path of the pristine wheel.
        output: The folder that the new wheel is put into.
        ids: Only these fixes and what their patches need; the version says so. None for all that `apply()` puts in
            place by itself.
        without: Fixes that are left out on purpose, such as those that have no patch yet; their faults stay.

    Raises:
        UnknownFixError: An id is not in the catalogue.
        RefusedError: The base is not the file on record, or a fix that its release needs cannot be put in.
        WheelError: A tool is missing or failed, or the source cannot be read.
    """
    _tool("wheel")
    with tempfile.TemporaryDirectory(prefix="evalfixes-") as name:
        work = Path(name)
        base = _verified(_base(source, work / "base"))
        tree = _unpacked(base, work)
        plan = _plan(base, tree, _chosen(base, tuple(dict.fromkeys(ids)), tuple(without)))
        rows = [row for row in plan.copies[0][1] if plan.asked or INDEX[row.fix_id].default]
        applied = [row for row in rows if row.state == APPLIED]
        number = sets.current(base.dist)
        possible, left_out = _left_out(tree, plan, applied)
        version = f"{base.release}+{_label(applied, possible, number.number)}"
        plan.write()
        if plan.problem:
            raise RefusedError(plan.problem)
        _rename(base, tree, version)
        info = tree / f"{_stem(base)}-{version}.dist-info"
        (info / NAME).write_text(_provenance(base, version, number, applied, left_out), "utf-8")
        _modes(base, tree)
        packed = _packed(tree, work / "packed")
        _verify(packed, version)
        sha256 = _sha256(packed)
        return Built(_deliver(packed, output), version, sha256, base, tuple(rows))


def _tool(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise WheelError(
            f"the package {module!r} is not installed in {sys.prefix}: pip install 'evalfixes[wheel]'"
            + (", or give the path of a wheel instead of a requirement" if module == "pip" else "")
        )


def _run(*command: str) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _epoch(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, timeout=_SECONDS,
            env=environment, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise WheelError(f"`{' '.join(command[:2])}` is not done after {_SECONDS} s") from None
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        telling = [line for line in lines if "ERROR" in line] or lines[-1:] or ["no message"]
        raise WheelError(f"`{' '.join(command[:2])}` failed: {telling[-1]}")


def _epoch() -> str:
    said = os.environ.get("SOURCE_DATE_EPOCH") or EPOCH
    if not said.isdecimal():
        raise WheelError(f"SOURCE_DATE_EPOCH is {said!r}; give whole seconds since 1970, or unset it")
    return said


def _base(source: str, folder: Path) -> Path:
    if source.endswith(".whl"):
        path = Path(source)
        if not path.is_file():
            raise WheelError(f"{source} does not exist; give the path of a release's wheel, or dist==version")
        return path
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    try:
        wanted = Requirement(source)
    except InvalidRequirement:
        raise WheelError(f"{source!r} is neither a wheel nor a requirement such as google-adk==2.13.0") from None
    dist = str(canonicalize_name(wanted.name))
    if dist not in PREFIXES:
        raise WheelError(f"there are no patches for {wanted.name}; they are for {', '.join(sorted(PREFIXES))}")
    if wanted.url:
        raise WheelError(f"{source!r} names an address; download the wheel and give its path")
    # === is exact: == would take a patched wheel that the index has already.
    span = ",".join(re.sub("^==(?!=)(?!.*\\*)", "===", str(s)) for s in wanted.specifier)
    _tool("pip")
    options = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--quiet"]
    _run("pip", "download", *options, "--dest", str(folder), f"{dist}{span}")
    found = sorted(folder.glob("*.whl"))
    if len(found) != 1:
        raise WheelError(f"pip brought {len(found)} wheels for {source}")
    return found[0]


def _verified(path: Path) -> Base:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        name, version, *_ = parse_wheel_filename(path.name)
    except InvalidWheelFilename as error:
        raise WheelError(f"{path}: {error}") from None
    dist = str(name)
    if dist not in PREFIXES:
        raise WheelError(f"{path.name}: there are no patches for {dist}; they are for {', '.join(sorted(PREFIXES))}")
    if version.local:
        raise RefusedError(f"{path.name} is no release of {dist}: build from the wheel of {version.public}")
    known = upstream(dist)["releases"].get(str(version))
    if known is None:
        raise RefusedError(f"{dist} {version} is not among the releases on record, so its content cannot be verified")
    sha256 = _sha256(path)
    if sha256 != known["wheel"]:
        raise RefusedError(
            f"{path.name} is not the wheel of {dist} {version}: its SHA-256 is {sha256}, that of the release is "
            f"{known['wheel']}"
        )
    return Base(path, dist, str(version), sha256)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _stem(base: Base) -> str:
    return base.path.name.partition("-")[0]


def _unpacked(base: Base, work: Path) -> Path:
    target = work / "unpacked"
    _run("wheel", "unpack", "--dest", str(target), str(base.path.resolve()))
    (tree,) = target.iterdir()
    return tree


def _plan(base: Base, tree: Path, ids: tuple[str, ...]) -> Plan:
    plan = make(tree, ids)
    if len(plan.copies) != 1 or plan.copies[0][0].dist != base.dist:
        raise RefusedError(f"{base.path.name} does not hold one copy of {base.dist}")
    rows = plan.copies[0][1]
    lacking = [
        row for row in rows if row.state == REFUSED or (row.state == NO_PATCH and not ids and INDEX[row.fix_id].default)
    ]
    if lacking:
        names = ", ".join(row.fix_id for row in lacking)
        raise RefusedError(f"{base.dist} {base.release} would keep faults, no patch fits for {names}", lacking)
    if not any(row.state == APPLIED for row in rows):
        raise RefusedError(f"{base.dist} {base.release} needs none of the patches", rows)
    return plan


def _chosen(base: Base, ids: tuple[str, ...], without: tuple[str, ...]) -> tuple[str, ...]:
    """The fixes to name; none for all."""
    if not without:
        return ids
    if ids:
        raise WheelError("name the fixes to put in (--fix), or those to leave out (--without), not both")
    for fix_id in without:
        catalog.get(fix_id)
    wanted = [i for i, entry in INDEX.items() if entry.dist == base.dist and entry.default and i not in without]
    clash = [(i, left) for i in wanted for left in closure([i]) if left in without]
    if clash:
        raise WheelError(f"{clash[0][0]} needs {clash[0][1]}; leave that one out too")
    return tuple(wanted)


def _left_out(tree: Path, plan: Plan, applied: list[Row]) -> tuple[set[str], list[str]]:
    """The fixes whose patches all go on this base, and those whose faults the new wheel keeps."""
    every = plan.copies[0][1] if not plan.asked else [row for _, rows in make(tree).copies for row in rows]
    mine = {row.fix_id for row in applied}
    default = [row for row in every if INDEX[row.fix_id].default]
    possible = {row.fix_id for row in default if row.state == APPLIED}
    kept = {row.fix_id for row in default if row.state in (APPLIED, NO_PATCH)} - mine
    return possible, sorted(kept)


def _label(applied: list[Row], possible: set[str], number: int) -> str:
    """The local version; a part of the patches sorts before all of them, and never has their version."""
    mine = sorted(row.fix_id for row in applied)
    if set(mine) == possible:
        return f"{MARK}.{number}"
    return f"{MARK}.part.{number}.x{hashlib.sha256(' '.join(mine).encode()).hexdigest()[:8]}"


def _rename(base: Base, tree: Path, version: str) -> None:
    for kind in ("dist-info", "data"):
        folder = tree / f"{_stem(base)}-{base.release}.{kind}"
        if folder.is_dir():
            folder.rename(tree / f"{_stem(base)}-{version}.{kind}")
        elif kind == "dist-info":
            raise RefusedError(f"{base.path.name} has no {folder.name}")
    path = tree / f"{_stem(base)}-{version}.dist-info" / "METADATA"
    head, blank, body = path.read_bytes().partition(b"\n\n")
    new, count = re.subn(rb"(?m)^Version: .*$", f"Version: {version}".encode(), head)
    if count != 1:
        raise RefusedError(f"{base.path.name} names its version {count} times")
    path.write_bytes(new + blank + body)


def _provenance(base: Base, version: str, number: sets.PatchSet, applied: list[Row], left_out: list[str]) -> str:
    fixes = [
        {
            "id": row.fix_id,
            "patch": f"{row.patch.fix_id}/{row.patch.path.name}",
            "sha256": _sha256(row.patch.path),
        }
        for row in applied
        if row.patch is not None
    ]
    said = {
        "schema_version": 1,
        "version": version,
        "base": {"file": base.path.name, "sha256": base.sha256},
        # Not the version that builds: then a later one could not build the same bytes under the same version.
        "evalfixes": number.evalfixes,
        "patch_set": {"number": number.number, "sha256": number.digest},
        "fixes": fixes,
        "left_out": left_out,
    }
    return json.dumps(said, indent=1) + "\n"


def _modes(base: Base, tree: Path) -> None:
    """Gives every file the mode that it has in the base, whatever this machine gives new files."""
    with zipfile.ZipFile(base.path) as archive:
        runnable = {i.filename for i in archive.infolist() if i.external_attr >> 16 & 0o111}
    for path in tree.rglob("*"):
        if path.is_file():
            path.chmod(0o755 if path.relative_to(tree).as_posix() in runnable else 0o644)


def _packed(tree: Path, folder: Path) -> Path:
    folder.mkdir()
    _run("wheel", "pack", "--dest-dir", str(folder), str(tree))
    (packed,) = folder.iterdir()
    return packed


def _verify(path: Path, version: str) -> None:
    """Reads the new wheel as an installer would: its name, its version, and a hash for every file."""
    import base64
    import csv

    stem, _, rest = path.name.partition("-")
    info = f"{stem}-{version}.dist-info"
    with zipfile.ZipFile(path) as archive:
        rows = {name: h for name, h, _ in csv.reader(archive.read(f"{info}/RECORD").decode().splitlines())}
        for name in archive.namelist():
            want = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
            if name != f"{info}/RECORD" and rows.get(name) != f"sha256={want}":
                raise RefusedError(f"the packed {path.name} has a wrong RECORD for {name}")
    if not rest.startswith(f"{version}-") or f"{info}/{NAME}" not in rows:
        raise RefusedError(f"the packed {path.name} is not version {version}")


def _deliver(packed: Path, output: Path) -> Path:
    target = output / packed.name
    try:
        output.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{packed.name}.", dir=output)
        with os.fdopen(handle, "wb") as stream:
            stream.write(packed.read_bytes())
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except OSError as error:
        raise WheelError(f"{target} cannot be written: {error.strerror or error}") from None
    return target
