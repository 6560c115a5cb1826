"""Ranges of releases: ``"1.5.0..2.13.0"``, both ends included; ``""`` is every release."""

from __future__ import annotations


def in_range(release: str, span: str) -> bool:
    """Whether a release lies in a range.

    Args:
        release: A version as PyPI writes it; a local part (``+x``) is ignored.
        span: ``first..last``, ``first..``, a single version, or empty for every release. Several
            ranges are separated by commas.

    Raises:
        packaging.version.InvalidVersion: One of the versions cannot be read.
    """
    if not span:
        return True
    from packaging.version import Version

    version = Version(release.partition("+")[0])
    for part in span.split(","):
        first, dots, last = part.strip().partition("..")
        low = Version(first)
        if version >= low and (version <= Version(last) if last else bool(dots) or version == low):
            return True
    return False
