"""The three metrics that compare the verdict exactly."""

from __future__ import annotations

from evalfixes.fixes.deepeval._families import LISTS, SINGLES
from tests.strategies.deepeval_cases import complete, damaged, second

_NAMES = ("role_violation", "prompt_alignment", "conversation_completeness")
_FAMILIES = tuple(family for family in (*LISTS, *SINGLES) if family.name in _NAMES)

well_formed = complete(_FAMILIES)
# Lists of another length are counted from 4.2.4 on, by deepeval-verdict-count.
damage = damaged(_FAMILIES, length=False)
any_reply = second(damaged(_FAMILIES, changes=4))
