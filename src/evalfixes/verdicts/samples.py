"""The majority of repeated samples of one question, some of which may have failed.

A sample that failed, or whose reply cannot be read, is an abstention: it is no vote, and it is no
reason to throw the other votes away.
"""

from __future__ import annotations

from collections.abc import Sequence

from evalfixes.verdicts.aggregate import Policy


def majority(votes: Sequence[bool | None], policy: Policy | str = "decide") -> bool | None:
    """What the samples say together.

    Args:
        votes: One per sample that was asked for; None is an abstention.
        policy: What abstentions do. ``decide``: the majority stands if it would stand however the
            missing samples had voted. ``unscored``: any abstention leaves the question open.
            ``worst``: they count as no.

    Returns:
        True or False (also for a tie, as upstream has it), or None if it is open.
    """
    yes = sum(vote is True for vote in votes)
    no = sum(vote is False for vote in votes)
    missing = len(votes) - yes - no
    if not missing:
        return yes > no if votes else None
    if policy == "worst":
        return yes > no + missing
    if policy == "unscored":
        return None
    if yes > no + missing:
        return True
    if no >= yes + missing and no:
        return False
    return None
