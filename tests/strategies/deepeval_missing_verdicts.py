"""Lists of verdicts, some of them unusable or not there at all."""

from __future__ import annotations

from tests.strategies.deepeval_cases import damaged, odd_but_plain, rising, second, unspoiled

well_formed = unspoiled()
# Lists of another length are what deepeval-verdict-count is for.
damage = damaged(rising(), length=False)
any_reply = second(damaged(changes=4))
justified = odd_but_plain
