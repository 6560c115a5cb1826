"""Answers on the coverage of a summary, for the original and for the summary."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from evalfixes.testing.strategies import ODD_FORMS
from evalfixes.verdicts.yesno import read

_WORD = st.sampled_from(["yes", "no"])
_UNUSABLE = st.sampled_from(["", "maybe", "yes and no", "No doubt, yes it did", "n/a", "unclear"])


@st.composite
def _complete(draw: st.DrawFn) -> Any:
    answers = [{"answers": draw(st.lists(_WORD, min_size=2, max_size=2))} for _ in range(2)]
    return {
        "metric": "SummarizationMetric",
        "items": 1,
        "path": draw(st.sampled_from(["json", "schema"])),
        "mode": draw(st.sampled_from(["sync", "async"])),
        "kwargs": draw(st.sampled_from([{}, {"strict_mode": True}, {"threshold": 0.8}, {"threshold": 0.3}])),
        "replies": [{"verdicts": [{"verdict": draw(_WORD), "reason": "r"}]}],
        "extracted": {"Answers": answers},
    }


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    case = draw(_complete())
    worse = copy.deepcopy(case)
    for _ in range(draw(st.integers(1, 2))):
        answers = draw(st.sampled_from(worse["extracted"]["Answers"]))["answers"]
        place = draw(st.integers(0, 1))
        kind = draw(st.sampled_from(["unusable", "odd", "capitals", "short"]))
        if kind == "unusable" and len(answers) == 2:
            answers[place] = draw(_UNUSABLE)
        elif kind == "short":  # both, since upstream refuses lists of different lengths
            for both in worse["extracted"]["Answers"]:
                del both["answers"][place : place + 1]
        elif len(answers) == 2 and answers[place] in ("yes", "no"):
            form = draw(st.sampled_from(ODD_FORMS)) if kind == "odd" else answers[place].upper()
            answers[place] = form.format(answers[place])
    return case, worse


well_formed = _complete()
damage = _damaged()
any_reply = _damaged().map(lambda pair: pair[1])


def justified(case: Any) -> bool:
    """A yes stands in a form that upstream does not read: of the summary as a no, of the original as no question."""
    return any(
        answer.strip().lower() != "yes" and read(answer, ("yes", "no")) == "yes"
        for reply in case["extracted"]["Answers"]
        for answer in reply["answers"]
    )
