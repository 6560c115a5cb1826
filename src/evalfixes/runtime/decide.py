"""Tells from the installed files whether a fix fits them, without importing any upstream."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evalfixes.facts import ABSENT, Variant, fix_facts, upstream
from evalfixes.fix import Fix
from evalfixes.runtime import fingerprint, proven, provenance
from evalfixes.runtime.texts import texts

FAULTY = "faulty"
FIXED = "fixed-upstream"
PATCHED = "patched"
NOT_AFFECTED = "not-affected"
NOT_INSTALLED = "not-installed"
UNKNOWN = "unknown"
ARMED = "armed"


@dataclass(frozen=True)
class Decision:
    """What the installed files say about a fix.

    Attributes:
        state: One of the states of a fix; ``faulty`` is the one in which it is put in place.
        evidence: Why, for people.
        release: The installed release as far as it can be told; empty otherwise.
        where: For ``patched``: ``wheel`` if the installed wheel was built with the patch, else ``source``.
        files: The files that were read, by module.
        drift: Whether the reason for ``unknown`` is a text that no variant has.
    """

    state: str
    evidence: str
    release: str = ""
    where: str = ""
    files: Mapping[str, Path] = field(default_factory=dict)
    drift: bool = False


def decide(fix: Fix) -> Decision:
    """Compares the installed text of a fix's symbols with the variants on record."""
    facts = fix_facts(fix.dist, fix.id)
    package = upstream(fix.dist)["package"]
    home = fingerprint.source_file(package)
    if home is None:
        return Decision(NOT_INSTALLED, f"no module {package} is installed")
    version = release(fix.dist, home)
    named = f"{fix.dist} {version}" if version else fix.dist
    try:
        prints, files = fingerprint.read([*fix.symbols, *texts(fix.dist).symbols(fix.id)])
    except (OSError, SyntaxError, ValueError) as error:
        return Decision(UNKNOWN, f"{named}: its source cannot be read: {error}", version)
    state, evidence = compare(fix, prints)
    if state != UNKNOWN:
        where = ""
        if state == PATCHED:
            where = "wheel" if fix.id in provenance.of_wheel(fix.dist, home) else "source"
        elif state == FAULTY and provenance.MARK in version and fix.id in provenance.of_wheel(fix.dist, home):
            evidence += "; the installed wheel was built with the patch, but its files were changed since"
        return Decision(state, f"{named}: {evidence}", version, where, files)
    if evidence:
        return Decision(UNKNOWN, f"{named}: {evidence}", version, files=files)
    prints = {symbol: value for symbol, value in prints.items() if symbol in fix.symbols}
    if all(value == ABSENT for value in prints.values()):
        early = _predates(version, facts.affected)
        if early:
            return Decision(NOT_AFFECTED, f"{named} predates {facts.affected}", version, files=files)
    proof = proven.lookup(fix.id, files)
    if proof is not None:
        return Decision(proof, f"{named}: no known text, but proven by `evalfixes doctor`", version, files=files)
    missing = [symbol for symbol, value in prints.items() if value == ABSENT]
    known = {value for v in facts.variants for value in v.symbols.values()}
    changed = [symbol for symbol, value in prints.items() if value not in known and value != ABSENT]
    what = [f"{s} reads differently" for s in changed] + [f"{s} is missing" for s in missing]
    reason = "; ".join(what[:3]) or "its symbols are in no known combination"
    return Decision(UNKNOWN, f"{named} matches no known text: {reason}", version, files=files, drift=True)


def compare(fix: Fix, prints: Mapping[str, str]) -> tuple[str, str]:
    """The state that the texts of a fix's symbols and of its patch's symbols amount to, and why.

    Patches of other fixes in the same symbols are seen through. Unknown without a reason: no variant
    has these texts.
    """
    known = texts(fix.dist)
    patched = known.patched(fix.id, prints)
    if patched is None:
        return UNKNOWN, f"only a part of the patch of {fix.id} is in it"
    variant = _match(fix_facts(fix.dist, fix.id).variants, known.plain(prints))
    if patched:
        return PATCHED, f"text of {variant.releases}, with the patch" if variant else "has the patch"
    if variant is None:
        return UNKNOWN, ""
    return variant.state, f"text of {variant.releases}"


def _match(variants: tuple[Variant, ...], prints: Mapping[str, str]) -> Variant | None:
    for variant in variants:
        if all(prints.get(symbol) == value for symbol, value in variant.symbols.items()):
            return variant
    return None


def _predates(version: str, affected: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return bool(version) and Version(version) < Version(affected.partition("..")[0])
    except InvalidVersion:
        return False


def release(dist: str, home: Path) -> str:
    """The installed release of a distribution; forks that renamed theirs are read from their files.

    Args:
        dist: The distribution's name.
        home: The ``__init__.py`` of its package.
    """
    from importlib import metadata

    try:
        return metadata.version(dist)
    except metadata.PackageNotFoundError:
        return written_release(home.parent)


def written_release(package: Path) -> str:
    """The release that a package's own files name; empty if they name none."""
    for name in ("_version.py", "version.py", "__init__.py"):
        path = package / name
        if path.is_file():
            found = re.search(
                r"""^__version__\s*(?::\s*str\s*)?=\s*["']([^"']+)""", path.read_text("utf-8", "replace"), re.M
            )
            if found:
                return found.group(1)
    return ""
