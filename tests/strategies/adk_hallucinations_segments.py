"""Segments left out, repeated, rewritten and put in another order."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.google_adk._harness import blocks, segments
from tests.strategies._google_adk import LABELS, THRESHOLDS

_TEXTS = st.lists(
    st.sampled_from(["Paris is big.", "It is 5 m tall.", "**Apples** are red", "- Pears: 2.5 cm", "Ça va?"]),
    min_size=1,
    max_size=5,
    unique=True,
)


def _case(texts: list[str], given: list[str], labels: dict[str, str], threshold: float) -> dict[str, Any]:
    told = [(text, labels.get(text, "supported")) for text in given]
    return {
        "metric": "hallucinations_v1",
        "threshold": threshold,
        "turns": [{"answer": "\n".join(texts)}],
        "judge": {"segment": [segments(*given)], "validate": [blocks(*told)]},
    }


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    texts, threshold = draw(_TEXTS), draw(THRESHOLDS)
    labels = {text: draw(LABELS) for text in texts}
    given = list(texts)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(given) - 1)) if given else 0
        match draw(st.sampled_from(["drop", "double", "rewrite", "reverse"])):
            case "drop":
                del given[place : place + 1]
            case "double":
                given[place:place] = given[place : place + 1]
            case "rewrite":
                given[place : place + 1] = ["Enjoy!"]
            case "reverse":
                given.reverse()
    return _case(texts, texts, labels, threshold), _case(texts, given, labels, threshold)


well_formed = _pairs().map(lambda pair: pair[0])
any_reply = _pairs().map(lambda pair: pair[1])
damage = _pairs()
