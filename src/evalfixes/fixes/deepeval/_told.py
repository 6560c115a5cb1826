"""Scenarios of the metrics that score a list of verdicts, for every release that has them."""

from __future__ import annotations

from typing import Any

from evalfixes.fix import Case, Outcome, Scenario
from evalfixes.fixes.deepeval._families import Family

BEFORE_QAG = "4.2.3"
"""The last release in which each metric asks for its verdicts by itself."""

PASSED: dict[str, Any] = {"score": 1.0, "status": "PASSED"}
FAILED: dict[str, Any] = {"score": 0.0, "status": "FAILED"}
UNSCORED: dict[str, Any] = {"score": None, "status": "ERROR"}


def _gap(family: Family, path: str) -> tuple[str, str] | None:
    """The last release before, and the first one after those in which upstream cannot measure a metric on a path.

    Such a metric raises an error over every reply.
    """
    if family.turns and path == "json":
        return "3.7.6", "4.2.4"  # those that score windows of a conversation cannot read their judge's text
    if family.name == "knowledge_retention" and path == "json":
        return "3.7.5", "3.9.1"  # nor can this one
    if family.name == "argument_correctness":
        return "4.0.6", "4.0.8"  # its prompt cannot be made
    return None


def spans(family: Family, path: str = "") -> str:
    """The releases in which a metric can be measured on a path."""
    gap = _gap(family, path)
    return f"{family.since}.." if gap is None else f"{family.since}..{gap[0]},{gap[1]}.."


def from_qag(family: Family) -> str:
    """The releases from 4.2.4 on that have a metric."""
    later = max("4.2.4", family.since, key=lambda release: [int(part) for part in release.split(".")])
    return f"{later}.."


def before_qag(family: Family, path: str = "") -> str:
    """The same, up to `BEFORE_QAG`."""
    gap = _gap(family, path)
    if gap is None:
        return f"{family.since}..{BEFORE_QAG}"
    return f"{family.since}..{gap[0]}" if family.turns else f"{family.since}..{gap[0]},{gap[1]}..{BEFORE_QAG}"


def told(
    family: Family, name: str, case: Case, right: Outcome, wrong: Outcome | None = None, releases: str = ""
) -> list[Scenario]:
    """A scenario; two where the scale was turned round in 4.2.0, with the scores turned round in the older one.

    Args:
        family: The metric.
        name: The scenario's name.
        case: Its case.
        right: The right outcome, in releases from 4.2.0 on.
        wrong: The wrong one; None for a control.
        releases: Where it can be run; all that have the metric if empty.
    """
    path = str(case.get("path", "json"))
    if not family.low:
        return [Scenario(name, case, right, wrong, releases=releases or spans(family, path))]
    found = []
    if not releases or not releases.endswith(BEFORE_QAG):
        found.append(Scenario(name, case, right, wrong, releases=releases or "4.2.0.."))
    if not releases or releases.endswith(BEFORE_QAG):
        older = f"{family.since}..4.1.10"
        found.append(Scenario(f"{name}, up to 4.1.10", case, _turned(right), wrong and _turned(wrong), releases=older))
    if releases and releases.endswith(BEFORE_QAG):
        found.append(Scenario(name, case, right, wrong, releases=f"4.2.0..{BEFORE_QAG}"))
    return found


def _turned(outcome: Outcome) -> Outcome:
    score = outcome.get("score")
    return outcome if score is None else {**outcome, "score": 1 - score}
