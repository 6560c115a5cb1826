"""Checks that every fact about an upstream has one home, ``upstream/*.toml``, and that it is all there.

    python tools/facts.py

Prints what is wrong, a line each, and exits 1 if anything is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from packaging.version import Version
from pins import CONSTRAINTS, ROOT, Pin, dists, pins, upstream

from evalfixes.generate import BEGIN, END, discover
from evalfixes.releases import in_range

STATES = ("faulty", "fixed-upstream", "not-affected")
LINK = re.compile(r"https?://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+")
CONSTRAINT = re.compile(r"[A-Za-z0-9][\w.-]*==[\w.!+-]+")


def main() -> int:
    problems = [*copies(), *catalogue()]
    for dist in dists():
        problems += [f"upstream/{dist}.toml: {problem}" for problem in pinned(dist)]
    print("\n".join(problems) if problems else f"facts of {', '.join(dists())}: each in one place")
    return 1 if problems else 0


def copies() -> Iterator[str]:
    """Links and fingerprints that stand outside of ``upstream/*.toml``."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))}
    prints = {
        value
        for dist in dists()
        for fix in upstream(dist).get("fixes", {}).values()
        for variant in fix.get("variants", ())
        for value in variant["symbols"].values()
        if value != "absent"
    }
    for path, text in texts.items():
        for link in LINK.findall(text):
            yield f"{path.relative_to(ROOT)}: {link} belongs in upstream/*.toml"
        for found in sorted(prints & set(re.findall(r"\b[0-9a-f]{12}\b", text))):
            yield f"{path.relative_to(ROOT)}: fingerprint {found} belongs in upstream/*.toml"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    outside = readme.partition(BEGIN)[0] + readme.partition(END)[2]
    for link in LINK.findall(outside):
        yield f"README.md: {link} outside of the generated table"


def catalogue() -> Iterator[str]:
    """Fixes without facts, facts without a fix, and variants that leave a gap."""
    fixes = {fix_id: fix for fix_id, (_, fix) in discover().items()}
    for dist in dists():
        data = upstream(dist)
        sections: dict[str, Any] = data.get("fixes", {})
        for fix_id in sections.keys() - {fix_id for fix_id, fix in fixes.items() if fix.dist == dist}:
            yield f"upstream/{dist}.toml: fixes.{fix_id} is no fix of the catalogue"
        for fix_id, fix in fixes.items():
            if fix.dist != dist:
                continue
            if fix_id not in sections:
                yield f"upstream/{dist}.toml: no section fixes.{fix_id}"
                continue
            for problem in section(data, sections[fix_id], fix.symbols):
                yield f"upstream/{dist}.toml: fixes.{fix_id}: {problem}"


def section(data: dict[str, Any], facts: dict[str, Any], symbols: tuple[str, ...]) -> Iterator[str]:
    """What is wrong in the facts of one fix."""
    releases = sorted(data.get("releases", {}), key=Version)
    variants = facts.get("variants", [])
    # Nobody may have reported it upstream; then the list of links is there, and empty.
    for key, lacking in (("links", "links" not in facts), ("affected", not facts.get("affected"))):
        if lacking:
            yield f"{key} is missing"
            return
    for link in facts.get("closes", ()):
        if link not in facts["links"] or "/issues/" not in link:
            yield f"closes: {link} is no issue of its links"
    for prior in facts.get("prior", ()):
        for link in prior["links"]:
            if "/pull/" not in link or not LINK.fullmatch(link):
                yield f"prior: {link} is no pull request"
        if prior["state"] not in ("open", "closed") or not prior["does"] or not prior["adds"]:
            yield f"prior: {', '.join(prior['links'])}: its state, what it does or what the fix adds is missing"
    for variant in variants:
        if variant["state"] not in STATES:
            yield f"variant {variant['releases']}: state {variant['state']!r} is not one of {', '.join(STATES)}"
        if set(variant["symbols"]) != set(symbols):
            differing = sorted(set(variant["symbols"]) ^ set(symbols))
            yield f"variant {variant['releases']}: its symbols are not those of the fix: {', '.join(differing)}"
    for release in releases:
        texts = [variant for variant in variants if in_range(release, variant["releases"])]
        affected = in_range(release, facts["affected"])
        if len(texts) > 1:
            yield f"{release} is in {len(texts)} variants"
        elif affected and not texts:
            yield f"{release} is affected and in no variant"
        elif texts and affected != (texts[0]["state"] == "faulty"):
            yield f"{release} is {'' if affected else 'not '}in the affected range and in a {texts[0]['state']} variant"
    if fixed := facts.get("fixed_in"):
        if fixed not in releases:
            yield f"fixed_in {fixed} is no release of the list"
        elif in_range(fixed, facts["affected"]):
            yield f"fixed_in {fixed} is in the affected range"


def pinned(dist: str) -> Iterator[str]:
    """Pins without a release, a hash or a constraints file that holds what they name."""
    releases = upstream(dist).get("releases", {})
    for release, known in releases.items():
        if not re.fullmatch(r"[0-9a-f]{64}", known.get("wheel", "")):
            yield f"{release} has no SHA-256 of its wheel"
    names = set()
    for pin in pins(dist):
        names.add(pin.constraints.name)
        yield from constraints(pin, releases)
    for path in CONSTRAINTS.glob(f"{dist}-[0-9]*.txt"):
        if path.name not in names:
            yield f"constraints/{path.name} belongs to no pin"


def constraints(pin: Pin, releases: dict[str, Any]) -> Iterator[str]:
    if pin.release not in releases:
        yield f"pin {pin.name}: {pin.release} is not among the releases"
    if not pin.constraints.exists():
        yield f"pin {pin.name}: no constraints file; run `nox -s pins`"
        return
    lines = pin.constraints.read_text(encoding="utf-8").splitlines()
    for line in lines:
        if not CONSTRAINT.fullmatch(line):
            yield f"constraints/{pin.constraints.name}: {line!r} is not name==version"
    for needed in (f"{pin.dist}=={pin.release}", *pin.partners):
        if needed not in lines:
            yield f"constraints/{pin.constraints.name}: does not hold {needed}"


if __name__ == "__main__":
    sys.exit(main())
