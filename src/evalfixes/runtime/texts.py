"""Recognises a patched text: which patches a symbol has, and which upstream text it was.

``patches/<dist>/texts.json`` is written by ``nox -s export``. It holds, per symbol that some patch
touches, the fingerprint of each text that a combination of patches gives, with the fingerprint of
the upstream text it was made from and the fixes in it. So a stack of patches is told apart symbol by
symbol, and fixes keep their variants as upstream wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from evalfixes.facts import ABSENT
from evalfixes.resources import folder


@dataclass(frozen=True)
class Texts:
    """The patched texts of one distribution.

    Attributes:
        marks: Per fix the symbols that its patches touch, per patch file.
        known: Per symbol and fingerprint: the upstream fingerprint, and the fixes in it.
    """

    marks: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    known: Mapping[str, Mapping[str, tuple[str, frozenset[str]]]] = field(default_factory=dict)

    def symbols(self, fix_id: str) -> tuple[str, ...]:
        """All symbols that any patch of a fix touches."""
        return tuple(dict.fromkeys(s for marks in self.marks.get(fix_id, ()) for s in marks))

    def plain(self, prints: Mapping[str, str]) -> dict[str, str]:
        """The upstream fingerprints that the given ones were made from."""
        return {s: self.known.get(s, {}).get(p, (p,))[0] for s, p in prints.items()}

    def patched(self, fix_id: str, prints: Mapping[str, str]) -> bool | None:
        """Whether a fix's patch is in these texts; None if only a part of it is.

        A symbol that the patch adds is no sign of a part: a release to come may have, to the letter, what a patch
        adds, such as a module's logger. `tools/texts.py` sees that no release on record has.
        """
        was = {s: self.known.get(s, {}).get(p, (p, frozenset())) for s, p in prints.items()}
        seen = {s: base for s, (base, fixes) in was.items() if fix_id in fixes}
        if any(all(s in seen for s in marks) for marks in self.marks.get(fix_id, ())):
            return True
        return None if any(base != ABSENT for base in seen.values()) else False


@cache
def texts(dist: str) -> Texts:
    """The patched texts on record for a distribution; none if it has no patches."""
    try:
        data: Any = json.loads((folder("patches") / dist / "texts.json").read_text("utf-8"))
    except FileNotFoundError:
        return Texts()
    return Texts(
        {fix_id: tuple(tuple(m) for m in marks) for fix_id, marks in data["marks"].items()},
        {
            symbol: {p: (was[0], frozenset(was[1:])) for p, was in known.items()}
            for symbol, known in data["texts"].items()
        },
    )
