"""Steps judged good, judged bad and not judged, with intermediate responses judged and not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import block
from tests.strategies._google_adk import THRESHOLDS, gone

_MISSING = gone()


def _case(turns: list[list[Any]], threshold: float, intermediate: bool) -> dict[str, Any]:
    judge: dict[str, list[Any]] = {}
    made = []
    for number, steps in enumerate(turns):
        texts = [f"Step {number} {place}." for place in range(len(steps))]
        for text, step in zip(texts, steps, strict=True):
            said = block(text, "supported" if step is True else "unsupported") if isinstance(step, bool) else step
            judge[f"validate:<sentence>{text}"] = [said]
        made.append({"events": [{"author": "a", "content": text} for text in texts[:-1]], "answer": texts[-1]})
    return {
        "metric": "hallucinations_v1",
        "threshold": threshold,
        "criterion": {"evaluate_intermediate_nl_responses": intermediate},
        "turns": made,
        "judge": judge,
    }


def _turns(step: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    return st.lists(st.lists(step, min_size=1, max_size=3), min_size=1, max_size=3)


well_formed = st.builds(_case, _turns(st.booleans()), THRESHOLDS, st.booleans())
any_reply = st.builds(_case, _turns(st.one_of(st.booleans(), _MISSING)), THRESHOLDS, st.booleans())


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    turns, threshold, intermediate = draw(_turns(st.booleans())), draw(THRESHOLDS), draw(st.booleans())
    hurt = [[draw(_MISSING) if draw(st.booleans()) else step for step in steps] for steps in turns]
    return _case(turns, threshold, intermediate), _case(hurt, threshold, intermediate)


damage = _damaged()
