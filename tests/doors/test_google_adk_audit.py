"""`evalfixes audit` on google-adk: its judged metrics by name, bare and with the fixes, and classes made on them."""

from __future__ import annotations

from typing import Any

import pytest

import evalfixes
from evalfixes.releases import in_range
from evalfixes.testing import DEAF, GREENER, operator
from tests.forked import forked

pytest.importorskip("google.adk.evaluation.evaluator", reason="google-adk is not installed")
pytestmark = [pytest.mark.door, pytest.mark.slow]

from google.adk import version  # noqa: E402

from evalfixes.testing.targets import google_adk, resolve  # noqa: E402

if not in_range(version.__version__, "2.13.0.."):
    pytest.skip("the audit's cases are those of the newest release", allow_module_level=True)


def counts(metric: str, applied: bool, only: tuple[str, ...] = ()) -> dict[str, Any]:
    if applied:
        evalfixes.apply(rejudge=0)
    target = resolve(f"google-adk:{metric}")
    found = target.audit([operator(name) for name in only]) if only else target.audit()
    return {kind: sorted({f.mutant.operator for f in found.of(kind)}) for kind in (GREENER, DEAF)}


@pytest.mark.parametrize("metric", google_adk.names())
def test_no_mutant_pays_with_the_fixes(metric: str) -> None:
    assert forked(counts, metric, True)[GREENER] == []


@pytest.mark.parametrize(
    "metric, expected",
    [
        ("hallucinations_v1", {"drop-item", "bold", "draft-in-thought", "lost-call"}),
        ("final_response_match_v2", {"draft-before", "draft-in-thought"}),
    ],
)
def test_bare_metrics_are_found_out(metric: str, expected: set[str]) -> None:
    assert set(forked(counts, metric, False, tuple(sorted(expected)))[GREENER]) == expected


def _subclass() -> tuple[int, list[str]]:
    from google.adk.evaluation.hallucinations_v1 import HallucinationsV1Evaluator

    class Mine(HallucinationsV1Evaluator):  # type: ignore[misc, unused-ignore]
        pass

    found = google_adk.classed("mine:Mine", Mine).audit([operator("drop-item")])
    return len(found.of(GREENER)), sorted({f.baseline.name for f in found.of(GREENER)})


def test_a_class_made_on_one_of_them() -> None:
    count, baselines = forked(_subclass)
    assert count > 0
    assert "mixed" in baselines
