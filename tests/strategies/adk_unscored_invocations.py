"""Any pattern of turns judged good, judged bad and not judged, in each metric that averages turns."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from hypothesis import strategies as st

from evalfixes.releases import in_range
from tests.strategies._google_adk import GONE, METRICS, THRESHOLDS, gone, judged


def _missing() -> st.SearchStrategy[Any]:
    # Up to 2.7.1 a turn whose judge gives no response at all is left out of the results: see adk-judge-samples.
    left_out = ("lost-call",) if in_range(version("google-adk"), "1.6.1..2.7.1") else ()
    return gone(*(name for name in GONE if name not in left_out))


_MISSING = st.deferred(_missing)

well_formed = st.builds(judged, METRICS, st.lists(st.booleans(), min_size=1, max_size=4), THRESHOLDS)

any_reply = st.builds(judged, METRICS, st.lists(st.one_of(st.booleans(), _MISSING), min_size=1, max_size=4), THRESHOLDS)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[Any, Any]:
    metric, threshold = draw(METRICS), draw(THRESHOLDS)
    replies = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    hurt = [draw(_MISSING) if draw(st.booleans()) else reply for reply in replies]
    return judged(metric, replies, threshold), judged(metric, hurt, threshold)


damage = _damaged()
