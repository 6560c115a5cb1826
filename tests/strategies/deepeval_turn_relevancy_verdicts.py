"""One verdict per window of turns."""

from __future__ import annotations

from evalfixes.fixes.deepeval._families import SINGLES
from tests.strategies.deepeval_cases import complete, damaged, odd_but_plain, second

_FAMILIES = tuple(family for family in SINGLES if family.name == "turn_relevancy")

well_formed = complete(_FAMILIES)
damage = damaged(_FAMILIES)
any_reply = second(damaged(_FAMILIES, changes=4))
justified = odd_but_plain
