"""One verdict per intention, turn or window."""

from __future__ import annotations

from typing import Any

from tests.strategies.deepeval_cases import SINGLES, complete, damaged, odd_but_plain, second

well_formed = complete(SINGLES)
damage = damaged(SINGLES)
any_reply = second(damaged(SINGLES, changes=4))


def justified(case: Any) -> bool:
    """Odd but plain forms, and the crash where knowledge retention writes its reason."""
    return odd_but_plain(case) or (case["metric"] == "KnowledgeRetentionMetric" and case["include_reason"])
