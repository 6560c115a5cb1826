"""Puts recorded replies to the real metrics again, on whatever release is installed.

Other releases have other prompts, so replies are given in their order and not by prompt.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import evalfixes
from tests.forked import forked
from tests.realjudge.doors import DOORS
from tests.realjudge.evidence import Evaluation, evaluations, facts
from tests.realjudge.judge import MODELS, Judge

FIXED = "rejudge0"
"""The side of evalfixes that sees the same replies as upstream and no more."""


def recorded(metrics: Sequence[str]) -> list[Evaluation]:
    """What is recorded of the metrics."""
    return [one for model in MODELS for one in evaluations(model) if one.metric in metrics]


def check(found: Sequence[Evaluation], *dists: str) -> None:
    """Fails on a false pass with the fixes; on the recorded releases, on any outcome but the recorded one too.

    The recorded outcomes of upstream have the false passes, so that what never judges is found out there.

    Args:
        found: What is recorded.
        dists: The distributions whose releases an outcome depends on.
    """
    assert found
    before, after = again(found)
    assert false_passes(found, after) == []
    if all(facts(one.model)["releases"][dist] == version(dist) for one in found for dist in dists):
        assert differences(found, before, "upstream") == []
        assert differences(found, after, FIXED) == []


def again(found: Sequence[Evaluation]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Score and status of each, before and after the fixes, in a process of its own."""
    outcomes: tuple[list[dict[str, Any]], list[dict[str, Any]]] = forked(_again, found)
    return outcomes


def _again(found: Sequence[Evaluation]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    warnings.simplefilter("ignore")
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it is fetched
    with Judge("", folder=None) as judge:
        before = _measured(judge, found)
        evalfixes.apply(rejudge=0)
        return before, _measured(judge, found)


def _measured(judge: Judge, found: Sequence[Evaluation]) -> list[dict[str, Any]]:
    outcomes = []
    for number, one in enumerate(found):
        label = f"{one.metric.replace(' ', '_')}.{one.case.id}.{one.model}{number}"
        judge.queues[label] = [reply.text for reply in one.replies()]
        outcome = DOORS[one.metric](one.case, label, judge.base_url)
        outcomes.append({"score": outcome["score"], "status": outcome["status"]})
    return outcomes


def differences(found: Sequence[Evaluation], outcomes: Sequence[dict[str, Any]], side: str) -> list[str]:
    """Where outcomes are not the recorded ones of a side."""
    wrong = []
    for one, outcome in zip(found, outcomes, strict=True):
        known = {name: one.outcomes[side][name] for name in ("score", "status")}
        if outcome != known:
            wrong.append(f"{one.metric} {one.model} {one.case.id}: {outcome}, recorded {known}")
    return wrong


def false_passes(found: Sequence[Evaluation], outcomes: Sequence[dict[str, Any]]) -> list[str]:
    """Passes of false answers without the complete, readable evidence."""
    return [
        f"{one.metric} {one.model} {one.case.id}"
        for one, outcome in zip(found, outcomes, strict=True)
        if outcome["status"] == "PASSED" and not one.case.true and not one.evidence
    ]
