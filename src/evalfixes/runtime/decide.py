"""Tells from the installed files whether a fix fits them, without importing any upstream."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evalfixes.facts import ABSENT, Variant, fix_facts, upstream
from evalfixes.fix import Fix
from evalfixes.runtime import fingerprint, proven

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
        where: For ``patched``: ``source``, that is, a patch file was applied.
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
        prints, files = fingerprint.read(fix.symbols)
    except (OSError, SyntaxError, ValueError) as error:
        return Decision(UNKNOWN, f"{named}: its source cannot be read: {error}", version)
    variant = _match(facts.variants, prints)
    if variant is not None:
        evidence = f"{named}: text of {variant.releases}"
        where = "source" if variant.state == PATCHED else ""
        return Decision(variant.state, evidence, version, where, files)
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
        pass
    for name in ("_version.py", "version.py", "__init__.py"):
        path = home.parent / name
        if path.is_file():
            found = re.search(r"""^__version__\s*(?::\s*str\s*)?=\s*["']([^"']+)""", path.read_text("utf-8"), re.M)
            if found:
                return found.group(1)
    return ""
