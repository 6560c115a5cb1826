"""Turns of known and unknown authors; damage makes an author unknown."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_TEXT = "The answer is correct."
_AGENTS = {"root": {"instructions": "Be brief."}, "helper": {"instructions": ""}}


def _case(authors: list[str], verdict: str, agents: Any) -> dict[str, Any]:
    turns = [
        {"user": "q", "answer": "x", "events": [{"author": author, "content": ["so"]}], "agents": agents}
        for author in authors
    ]
    return {
        "metric": "rubric_based_final_response_quality_v1",
        "threshold": 0.5,
        "criterion": {"rubrics": [{"id": "a", "text": _TEXT}]},
        "turns": turns,
        "judge": {"rubric": [f"ID: a\nProperty: {_TEXT}\nRationale: r\nVerdict: {verdict}\n"]},
        "verdict": verdict,
    }


_KNOWN = st.lists(st.sampled_from(["root", "helper"]), min_size=1, max_size=3)
_ANY = st.lists(st.sampled_from(["root", "helper", "guard", "user", ""]), min_size=1, max_size=3)
_VERDICT = st.sampled_from(["yes", "no"])

well_formed = st.builds(_case, _KNOWN, _VERDICT, st.just(_AGENTS))
any_reply = st.builds(_case, _ANY, _VERDICT, st.sampled_from([_AGENTS, {}]))
damage = st.builds(
    lambda known, authors, verdict, agents: (_case(known, verdict, _AGENTS), _case(authors, verdict, agents)),
    _KNOWN,
    _ANY,
    _VERDICT,
    st.sampled_from([_AGENTS, {}]),
)


def justified(case: Any) -> bool:
    """The judge was for it; that an author kept the metric from asking it is the fault."""
    return bool(case["verdict"] == "yes")
