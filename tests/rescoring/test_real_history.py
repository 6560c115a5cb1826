"""Files that `adk eval` wrote: what is computed again equals what is stored."""

from evalfixes.rescoring import Rescored, rescore
from tests.shared import data


def test_recomputed_scores_equal_the_stored_ones():
    results = list(rescore([str(data("adk-eval-history"))]))
    assert all(isinstance(result, Rescored) for result in results)
    exact = [
        change
        for result in results
        for change in result.metrics
        if change.metric in ("response_match_score", "tool_trajectory_avg_score")
    ]
    assert len(exact) == 7
    assert all(change.known and not change.changed for change in exact)
    fallen = [result.case for result in results if result.stands is False]
    assert fallen == ["no_reference"], "passed beside a metric without a score"
