"""Identifiers, addresses and networks: digits that are no quantities, taken out before numbers are read."""

from __future__ import annotations

import re

_MASKS = re.compile(
    r"""
      (?:https?|ftp|file|s3|gs)://\S+ | www\.\S+                              # addresses of pages and files
    | [\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+                                            # of mail
    | (?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?(?::\d{1,5})?(?![\w.]\d)  # of hosts and networks
    | (?<![\w:])(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{1,4})?(?:/\d{1,3})?(?![\w:])
    | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b                                   # of network cards
    | \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b                         # UUIDs
    | \b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,}\b                       # hashes
    | \b0x[0-9a-f]+\b
    | \bv\d+(?:\.\d+)*(?:[-+][\w.]+)?\b | \b\d+(?:\.\d+){2,}(?:[-+][\w.]+)?   # versions
    | \b(?:version|rfc|iso|ieee|section|chapter|page|isbn|issn|doi|cve|ticket|issue|pr)\s*[:\#]?\s*\d[\d./-]*
    | \#\d+\b
    | \b(?=[\w/-]{0,40}[a-z])(?=[\w/-]{0,40}\d)(?!\d{1,3}(?:st|nd|rd|th)\b)   # NCC-1701, C55H70, asn65001, eth0/1
      (?:[a-z]+[-/_]?\d[\w/-]*|\d+[a-z]{1,3}\d[\w/-]*)
    | (?<!\d)\+?\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}\b                           # telephone
    | (?<![\d.,/:-])(?<!\d\s)0\d+(?![\d.,/:-]*\d)                                           # 007, not 0.07
    """,
    re.IGNORECASE | re.VERBOSE,
)


def mask(text: str) -> str:
    """The text with each identifier replaced by as many fillers, so that places stay."""
    return _MASKS.sub(lambda match: "\u25a1" * len(match.group()), text)
