"""What the generators of google-adk's judged metrics share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import block, rubric_verdicts, segments, verdict
from evalfixes.testing import Reply, operator
from evalfixes.testing.strategies import mutants

THRESHOLDS = st.sampled_from([0.0, 0.25, 0.5, 0.8, 1.0])
GOOD = ["supported", "not_applicable"]
BAD = ["unsupported", "contradictory", "disputed"]
LABELS = st.sampled_from(GOOD + BAD)
UNUSABLE = ["partially supported", "supported / contradictory", "perhaps", "not supported"]
PLAIN = ["'{}'", "[{}]", "- {}", "1. {}", "{} - the text says so"]
GONE = ("refusal", "empty-reply", "error-object", "empty-object", "lost-call", "exception")
"""Operators after which nothing of a reply is left."""
_SENTENCES = ["Paris is big.", "It is 5 m tall.", 'He said "yes".', "- Apples are red", "A\nB", "Paris is big."]


def scripted(reply: Reply) -> Any:
    """A reply in the form that a case holds it in."""
    if reply.error:
        return {"raise": reply.error}
    if reply.lost:
        return {"empty": True}
    return [{"thought": reply.thought}, reply.text] if reply.thought else reply.text


def gone(*names: str) -> st.SearchStrategy[Any]:
    """What comes in place of a reply of which nothing is left: None stands for a response without content."""
    made = mutants(Reply("supported"), [operator(name) for name in names or GONE])
    return st.one_of(made.map(lambda mutant: scripted(mutant.reply)), st.none())


def sentences(prefix: str = "") -> st.SearchStrategy[list[str]]:
    """Sentences of one response; some stand twice."""
    return st.lists(st.sampled_from(_SENTENCES).map(lambda text: prefix + text), min_size=1, max_size=5)


def hallucinations(turns: list[tuple[list[str], Any]], threshold: float) -> dict[str, Any]:
    """A case of turns: their sentences, and the validator's reply."""
    judge: dict[str, list[Any]] = {}
    for number, (texts, reply) in enumerate(turns):
        marked = [f"T{number}: {text}" for text in texts]
        judge[f"segment:T{number}:"] = [segments(*marked)]
        judge[f"validate:<sentence>T{number}:"] = [reply]
    return {
        "metric": "hallucinations_v1",
        "threshold": threshold,
        "turns": [
            {"answer": "\n".join(f"T{number}: {text}" for text in texts)} for number, (texts, _) in enumerate(turns)
        ],
        "judge": judge,
    }


def reply_of(number: int, rows: list[tuple[str, str]]) -> str:
    """The validator's well-formed reply on a turn."""
    return "\n\n".join(block(f"T{number}: {text}", label) for text, label in rows)


@st.composite
def labelled(draw: st.DrawFn) -> list[list[tuple[str, str]]]:
    """Turns of sentences with their labels."""
    return [
        [(text, draw(LABELS)) for text in draw(sentences())] for _ in range(draw(st.integers(min_value=1, max_value=3)))
    ]


def judged(metric: str, replies: list[Any], threshold: float) -> dict[str, Any]:
    """A case of one turn per reply for any judged metric; True and False are a plain yes and no."""
    from evalfixes.fixes.google_adk.unscored_invocations import case_of

    return dict(case_of(metric, replies, threshold))


METRICS = st.sampled_from(["hallucinations_v1", "final_response_match_v2", "rubric_based_final_response_quality_v1"])

__all__ = ["rubric_verdicts", "verdict"]
