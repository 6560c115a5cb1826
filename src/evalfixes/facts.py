"""Reads ``upstream/<dist>.toml``: links, affected ranges, variants, pinned releases."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from evalfixes.resources import folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ABSENT = "absent"
"""Stands for the fingerprint of a symbol that a release does not have."""


@dataclass(frozen=True)
class Variant:
    """A run of releases in which all symbols of a fix read the same.

    Attributes:
        releases: The range, ``first..last``.
        state: ``faulty``, ``fixed-upstream`` or ``not-affected``.
        symbols: Fingerprint per ``module:qualname``.
    """

    releases: str
    state: str
    symbols: Mapping[str, str]


@dataclass(frozen=True)
class Prior:
    """Public pull requests for the same fault, or for one near it.

    Attributes:
        links: Their addresses.
        state: ``open`` or ``closed``, when last seen.
        does: What they do, as the end of a sentence that begins with them.
        adds: What the fix adds to that.
        same: Whether they repair this very fault, so that it is better to join them than to open another one.
    """

    links: tuple[str, ...]
    state: str
    does: str
    adds: str
    same: bool = False


@dataclass(frozen=True)
class FixFacts:
    """What is known of a fix's upstream.

    Attributes:
        links: Issue and pull request addresses, most telling first.
        affected: The range of releases in which the fault was measured.
        fixed_in: The first release without it; empty while there is none.
        variants: All known texts of its symbols.
        notes: Anything else a reader of the range should know.
        prior: Pull requests that whoever sends the fix upstream should know of.
        closes: Those of its links that are open issues about this very fault and nothing more.
    """

    links: tuple[str, ...]
    affected: str
    fixed_in: str
    variants: tuple[Variant, ...]
    notes: str = ""
    prior: tuple[Prior, ...] = ()
    closes: tuple[str, ...] = ()


@cache
def upstream(dist: str) -> Mapping[str, Any]:
    """The parsed ``upstream/<dist>.toml``."""
    with (folder("upstream") / f"{dist}.toml").open("rb") as stream:
        parsed: Mapping[str, Any] = tomllib.load(stream)
    return parsed


@cache
def fix_facts(dist: str, fix_id: str) -> FixFacts:
    """The facts of one fix.

    Raises:
        KeyError: The file has no section for the fix.
    """
    entry = upstream(dist)["fixes"][fix_id]
    return FixFacts(
        links=tuple(entry["links"]),
        affected=entry["affected"],
        fixed_in=entry.get("fixed_in", ""),
        variants=tuple(Variant(v["releases"], v["state"], v["symbols"]) for v in entry.get("variants", ())),
        notes=entry.get("notes", ""),
        prior=tuple(
            Prior(tuple(p["links"]), p["state"], p["does"], p["adds"], p.get("same", False))
            for p in entry.get("prior", ())
        ),
        closes=tuple(entry.get("closes", ())),
    )
