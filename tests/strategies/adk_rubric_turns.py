"""Cases of one to three turns with rubrics of their own, of the metric, or both, and a judge that answers all."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.google_adk import IDS, TEXTS, THRESHOLDS

_TYPE = "FINAL_RESPONSE_QUALITY"


def _case(own: list[list[int]], common: list[int], verdicts: list[str], threshold: float, left_out: int = -1) -> Any:
    turns, judge = [], {}
    for turn, numbers in enumerate(own):
        asked = [*common, *numbers]
        blocks = [
            f"ID: {IDS[n]}\nProperty: {TEXTS[n]}\nRationale: r\nVerdict: {verdicts[(turn + n) % 4]}\n"
            for n in asked
            if n != left_out
        ]
        judge[f"rubric:question {turn}"] = ["\n".join(blocks)]
        rubrics = [{"id": IDS[n], "text": TEXTS[n], "type": _TYPE} for n in numbers]
        turns.append({"user": f"question {turn}", "answer": "x", "rubrics": rubrics})
    return {
        "metric": "rubric_based_final_response_quality_v1",
        "threshold": threshold,
        "criterion": {"rubrics": [{"id": IDS[n], "text": TEXTS[n]} for n in common]},
        "turns": turns,
        "judge": judge,
    }


_VERDICTS = st.lists(st.sampled_from(["yes", "no"]), min_size=4, max_size=4)
_OWN = st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True)


@st.composite
def _well_formed(draw: st.DrawFn) -> Any:
    """The same rubrics in all turns: upstream reads them right."""
    own = draw(_OWN)
    return _case([own] * draw(st.integers(1, 3)), draw(st.sampled_from([[], [0]])), draw(_VERDICTS), draw(THRESHOLDS))


@st.composite
def _any_reply(draw: st.DrawFn) -> Any:
    own = draw(st.lists(_OWN, min_size=1, max_size=3))
    common = draw(st.sampled_from([[], [0]]))
    verdicts, threshold = draw(_VERDICTS), draw(THRESHOLDS)
    answers = [verdicts[(turn + n) % 4] == "yes" for turn, numbers in enumerate(own) for n in [*common, *numbers]]
    return {**_case(own, common, verdicts, threshold), "plain": sum(answers) / len(answers) >= threshold}


def justified(case: Any) -> bool:
    """All that the judge said, turn by turn, makes a pass: a part of it was read against other turns' rubrics."""
    return bool(case["plain"])


@st.composite
def _damage(draw: st.DrawFn) -> tuple[Any, Any]:
    own = draw(st.lists(_OWN, min_size=1, max_size=3))
    verdicts, threshold = draw(_VERDICTS), draw(THRESHOLDS)
    worse = ["no" if draw(st.booleans()) else verdict for verdict in verdicts]
    return _case(own, [0], verdicts, threshold), _case(own, [0], worse, threshold)


well_formed = _well_formed()
any_reply = _any_reply()
damage = _damage()
