"""Role violations, strict or not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.deepeval._families import LISTS
from tests.strategies.deepeval_cases import complete, damaged, second

_FAMILIES = tuple(family for family in LISTS if family.name == "role_violation")


def _bare(case: Any) -> bool:
    """Strict mode with a violation is the fault; everywhere else the outcome is upstream's."""
    words = [found.get("verdict") for reply in case["replies"] for found in reply["verdicts"]]
    return not case["kwargs"].get("strict_mode") or "yes" not in words


well_formed: st.SearchStrategy[Any] = complete(_FAMILIES).filter(_bare)
any_reply = second(damaged(_FAMILIES, changes=4))
# Damage to a reply is what the other fixes are for; here a case stands beside itself.
damage = complete(_FAMILIES).map(lambda case: (case, case))
