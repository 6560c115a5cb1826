"""Replies with the judge's drafts in front; damage puts a draft in front of a reply that had none."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.google_adk import THRESHOLDS, match_case, rubric_case, rubric_reply

_LABELS = st.sampled_from(["valid", "invalid"])
_YES_NO = st.lists(st.sampled_from(["yes", "no"]), min_size=2, max_size=2)


def _label(label: str) -> str:
    return f'{{"reasoning": "r", "is_the_agent_response_valid": "{label}"}}'


def _thinking(draft: str, answer: str, block: bool) -> list[Any]:
    return [f"<think>\n{draft}\n</think>\n{answer}"] if block else [{"thought": f"{draft}\n"}, answer]


@st.composite
def _well_formed(draw: st.DrawFn) -> Any:
    idle = draw(st.sampled_from(["", "Hm.", "Let me see: London?"]))
    front = [{"thought": idle}] if idle and draw(st.booleans()) else []
    if draw(st.booleans()):
        return rubric_case(2, [[*front, rubric_reply(draw(_YES_NO))]], draw(THRESHOLDS))
    return match_case([[*front, _label(draw(_LABELS))]], draw(THRESHOLDS))


@st.composite
def _pair(draw: st.DrawFn) -> tuple[Any, Any, bool]:
    """A case without a draft, the same with one, and whether its answer passes."""
    block, threshold = draw(st.booleans()), draw(THRESHOLDS)
    if draw(st.booleans()):
        answer, draft = draw(_YES_NO), rubric_reply(draw(_YES_NO)) * draw(st.integers(1, 2))
        plain, thinking = rubric_reply(answer), _thinking(draft, rubric_reply(answer), block)
        return (
            rubric_case(2, [plain], threshold),
            rubric_case(2, [thinking], threshold),
            (answer.count("yes") / 2 >= threshold),
        )
    label = draw(_LABELS)
    thinking = _thinking(_label(draw(_LABELS)), _label(label), block)
    return match_case([_label(label)], threshold), match_case([thinking], threshold), label == "valid"


def justified(case: Any) -> bool:
    """The judge's answer passes, and only its draft did not."""
    return bool(case["plain"])


well_formed = _well_formed()
any_reply = _pair().map(lambda pair: {**pair[1], "plain": pair[2]})
damage = _pair().map(lambda pair: (pair[0], pair[1]))
