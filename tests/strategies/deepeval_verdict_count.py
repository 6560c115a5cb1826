"""Lists of more or fewer verdicts than items."""

from __future__ import annotations

from tests.strategies.deepeval_cases import damaged, odd_but_plain, rising, second, unspoiled

well_formed = unspoiled()
damage = damaged(rising())
any_reply = second(damaged(changes=4))
justified = odd_but_plain
