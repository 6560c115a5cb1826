"""A metric object that measures two cases, the first one with or without an invalid reply."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evalfixes.fixes.deepeval._families import LISTS
from tests.strategies.deepeval_cases import complete, damaged

# The metric that scores alike in every release.
_FAMILIES = tuple(family for family in LISTS if family.name == "prompt_alignment")
_INVALID = st.sampled_from([[{"text": "no JSON"}], [{"text": ""}], [{"error": "x"}], [{"text": "{"}]])

well_formed = complete(_FAMILIES)


@st.composite
def _twice(draw: st.DrawFn) -> Any:
    case = draw(complete(_FAMILIES))
    earlier = draw(st.one_of(_INVALID, damaged(_FAMILIES).map(lambda pair: pair[1]["replies"])))
    return {**case, "before": earlier}


any_reply = _twice()


def justified(case: Any) -> bool:
    """Failing on a good reply because of the case before it is the fault."""
    return "before" in case


damage = _twice().map(lambda case: ({k: v for k, v in case.items() if k != "before"}, case))
