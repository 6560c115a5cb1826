"""Any pattern of metrics, turns and runs with and without a score, through both doors."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import block, verdict
from evalfixes.fixes.google_adk.gate_unscored import HALLUCINATIONS, MATCH, TRAJECTORY
from evalfixes.releases import in_range
from tests.strategies._google_adk import GONE, THRESHOLDS, gone

# A judge that fails ends the whole run up to 1.17: no gate is reached.
_MISSING = gone(*(name for name in GONE if name != "exception"))


def _case(
    door: str, metrics: list[dict[str, Any]], replies: list[list[Any]], thresholds: list[float], runs: int
) -> dict[str, Any]:
    """Turns of a reply per metric and run, in that order; True and False are a plain yes and no."""
    turns = [{"user": f"Q{n}?", "answer": f"Answer {n}.", "expected": f"Reference {n}."} for n in range(len(replies))]
    judge: dict[str, list[Any]] = {}
    for number, said in enumerate(replies):
        answer = f"Answer {number}."
        judge[f"match:{answer}"] = [verdict("valid" if s else "invalid") if isinstance(s, bool) else s for s in said]
        judge[f"validate:<sentence>{answer}"] = [
            block(answer, "supported" if s else "disputed") if isinstance(s, bool) else s for s in said
        ]
    chosen = [{**metric, "threshold": threshold} for metric, threshold in zip(metrics, thresholds, strict=True)]
    return {"door": door, "metrics": chosen, "turns": turns, "judge": judge, "runs": runs}


@st.composite
def _cases(draw: st.DrawFn, missing: bool) -> tuple[Any, Any]:
    door = draw(st.sampled_from(["service", "agent"]))
    metrics = draw(
        st.lists(st.sampled_from([HALLUCINATIONS, MATCH, TRAJECTORY]), min_size=1, max_size=3, unique_by=str)
    )
    runs = draw(st.integers(1, 3)) if door == "agent" else 1
    # The service leaves the turns to the metrics (adk-unscored-invocations); its gate is about metrics.
    turns = draw(st.integers(1, 3)) if door == "agent" else 1
    replies = [[draw(st.booleans()) for _ in range(runs)] for _ in range(turns)]
    # Not 0: up to 1.16 AgentEvaluator takes a mean of 0 for no score ("Expected 0.0, but got None"). At that
    # threshold the runtime fix leaves upstream's failure be, and the patch, which repairs the mean itself, does not.
    thresholds = [1.0 if metric == TRAJECTORY else draw(THRESHOLDS.filter(bool)) for metric in metrics]
    hurt = [[draw(_MISSING) if missing and draw(st.booleans()) else s for s in said] for said in replies]
    return _case(door, metrics, replies, thresholds, runs), _case(door, metrics, hurt, thresholds, runs)


def _kept(case: dict[str, Any]) -> bool:
    """Whether upstream is right about a complete case: up to 1.16 AgentEvaluator leaves zeros out of its mean."""
    bad = any(word in str(case["judge"]) for word in ('"invalid"', "disputed"))
    return not (bad and case["door"] == "agent" and in_range(version("google-adk"), "1.9.0..1.16.0"))


well_formed = _cases(missing=False).map(lambda pair: pair[0]).filter(_kept)
any_reply = _cases(missing=True).map(lambda pair: pair[1])
damage = _cases(missing=True)
