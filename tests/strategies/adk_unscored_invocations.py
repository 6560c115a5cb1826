"""Any pattern of turns judged good, judged bad and not judged, in each metric that averages turns."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies._google_adk import METRICS, THRESHOLDS, gone, judged

_MISSING = gone()

well_formed = st.builds(judged, METRICS, st.lists(st.booleans(), min_size=1, max_size=4), THRESHOLDS)

any_reply = st.builds(judged, METRICS, st.lists(st.one_of(st.booleans(), _MISSING), min_size=1, max_size=4), THRESHOLDS)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    metric, threshold = draw(METRICS), draw(THRESHOLDS)
    replies = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    hurt = [draw(_MISSING) if draw(st.booleans()) else reply for reply in replies]
    return judged(metric, replies, threshold), judged(metric, hurt, threshold)


damage = _damaged()
