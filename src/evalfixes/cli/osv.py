"""The catalogue as records in the Open Source Vulnerability format, for tools that read such feeds.

A wrong score is no vulnerability. The format is used for what it does say well: which releases of which
distribution have a fault, as measured. The ids are our own, and are sent to no database.
"""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from evalfixes.facts import fix_facts, upstream
from evalfixes.fix import Fix
from evalfixes.releases import in_range

SCHEMA_VERSION = "1.7.3"
PREFIX = "x_evalfixes-"
"""The format keeps ``x_`` for ids of no registered database."""


def record(fix: Fix) -> dict[str, Any]:
    """One fix as an OSV record.

    It depends on nothing but the facts: ``modified`` is the day of the newest release that was measured.
    """
    facts = fix_facts(fix.dist, fix.id)
    releases = upstream(fix.dist).get("releases", {})
    versions = [version for version in sorted(releases, key=Version) if in_range(version, facts.affected)]
    end = {"fixed": facts.fixed_in} if facts.fixed_in else {"last_affected": last(facts.affected)}
    measured = [*versions, *([facts.fixed_in] if facts.fixed_in in releases else [])]
    day = releases[max(measured, key=Version)]["date"] if measured else "1970-01-01"
    affected = {
        "package": {"ecosystem": "PyPI", "name": fix.dist, "purl": f"pkg:pypi/{fix.dist}"},
        "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": first(facts.affected)}, end]}],
        "versions": versions,
        "ecosystem_specific": {"symbols": [r.target for r in fix.replacements]},
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "id": f"{PREFIX}{fix.id}",
        "modified": f"{day}T00:00:00Z",
        "summary": f"{fix.dist}: {fix.title}",
        "details": f"{fix.before}\n\n{fix.after}",
        "affected": [affected],
        "references": [{"type": kind(link), "url": link} for link in facts.links],
        "database_specific": {
            "fix": fix.id,
            "repair": f"evalfixes.apply({fix.id!r})",
            "requires": list(fix.requires),
            "default": fix.default,
            "notes": facts.notes,
        },
    }


def first(span: str) -> str:
    """The first release of a range."""
    return span.partition("..")[0]


def last(span: str) -> str:
    """The last release of a range."""
    return span.rpartition("..")[2]


def kind(link: str) -> str:
    """What OSV calls a link to an issue, a pull request or anything else."""
    return "REPORT" if "/issues/" in link else "FIX" if "/pull/" in link else "WEB"
