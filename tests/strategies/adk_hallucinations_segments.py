"""Segments left out, repeated, cut off and rewritten."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import blocks, segments
from evalfixes.testing import Reply, operator
from evalfixes.testing.strategies import damaged
from tests.strategies._google_adk import LABELS, THRESHOLDS

_TEXTS = st.lists(
    st.sampled_from(["Paris is big.", "It is 5 m tall.", "**Apples** are red", "- Pears: 2.5 cm", "Ça va?"]),
    min_size=1,
    max_size=5,
    unique=True,
)


_OPERATORS = [operator(name) for name in ("drop-asked", "empty-asked", "drop-line", "repeat-line", "cut-off")]
_SENTENCE = re.compile(r"<sentence>(.*?)</sentence>", re.DOTALL)


def _case(texts: list[str], reply: str, labels: dict[str, str], threshold: float) -> dict[str, Any]:
    told = [(text, labels.get(text, "supported")) for text in _SENTENCE.findall(reply)]
    return {
        "metric": "hallucinations_v1",
        "threshold": threshold,
        "turns": [{"answer": "\n".join(texts)}],
        "judge": {"segment": [reply], "validate": [blocks(*told)]},
    }


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    texts, threshold = draw(_TEXTS), draw(THRESHOLDS)
    labels = {text: draw(LABELS) for text in texts}
    reply = segments(*texts)
    worse = draw(damaged(Reply(reply), _OPERATORS, most=2)).text
    if draw(st.booleans()):  # no operator: such a sentence is as good as any
        worse = worse.replace(draw(st.sampled_from(texts)), "Enjoy!")
    return _case(texts, reply, labels, threshold), _case(texts, worse, labels, threshold)


well_formed = _pairs().map(lambda pair: pair[0])
any_reply = _pairs().map(lambda pair: pair[1])
damage = _pairs()
