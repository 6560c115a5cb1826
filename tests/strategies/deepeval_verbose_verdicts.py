"""The three metrics that compare the verdict exactly."""

from __future__ import annotations

from typing import Any

from evalfixes.fixes.deepeval._families import LISTS, SINGLES
from tests.strategies.deepeval_cases import damaged, second, unspoiled

_NAMES = ("role_violation", "prompt_alignment", "conversation_completeness")
_FAMILIES = tuple(family for family in (*LISTS, *SINGLES) if family.name in _NAMES)


def _lists(case: Any) -> bool:
    """Whether no container stands for an empty list: the releases before 4.2.4 go over it as over one."""
    return all(reply.get("verdicts") != {} for reply in case["replies"])


well_formed = unspoiled(_FAMILIES)
# Lists of another length, empty ones among them, are counted from 4.2.4 on, by deepeval-verdict-count.
damage = damaged(_FAMILIES, length=False).filter(lambda pair: _lists(pair[1]))
any_reply = second(damaged(_FAMILIES, changes=4))
