"""Pieces that the generators of google-adk's cases share: well-formed replies, and damage to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from evalfixes.testing.strategies import damaged_lines

THRESHOLDS = st.sampled_from([0.3, 0.5, 0.6, 0.8, 1.0])
TEXTS = ("The answer is short.", "The answer is correct.", "It names a city.", "It is polite, and calm.")
IDS = ("a", "b2", "c", "d")


def rubric_block(number: int, verdict: str, evidence: bool = False) -> str:
    lines = [f"ID: {IDS[number]}", f"Property: {TEXTS[number]}"]
    lines += ["Evidence: a tool said so"] if evidence else []
    return "\n".join([*lines, "Rationale: because of that", f"Verdict: {verdict}"])


def rubric_reply(verdicts: Sequence[str], evidence: bool = False) -> str:
    return "\n\n".join(rubric_block(number, verdict, evidence) for number, verdict in enumerate(verdicts)) + "\n"


def rubric_case(count: int, replies: Sequence[Any], threshold: float, samples: int = 1, turns: int = 1) -> Any:
    return {
        "metric": "rubric_based_final_response_quality_v1",
        "threshold": threshold,
        "samples": samples,
        "criterion": {"rubrics": [{"id": IDS[n], "text": TEXTS[n]} for n in range(count)]},
        "turns": [{"user": f"q{n}", "answer": "x"} for n in range(turns)],
        "judge": {"rubric": list(replies)},
    }


def match_case(replies: Sequence[Any], threshold: float = 0.8, samples: int | None = None, turns: int = 1) -> Any:
    return {
        "metric": "final_response_match_v2",
        "threshold": threshold,
        "samples": samples or len(replies),
        "turns": [{"user": f"q{n}", "answer": "London", "expected": "Paris"} for n in range(turns)],
        "judge": {"match": list(replies)},
    }


_WORSE = ("no", "N/A", "unclear", "yes|no", "", "partially", "invalid", "dunno")


def damaged(reply: str) -> st.SearchStrategy[str]:
    """The reply after one to three injuries; none of them writes a better verdict into it."""
    return damaged_lines(reply, _WORSE, ("yes", '"valid"'))
