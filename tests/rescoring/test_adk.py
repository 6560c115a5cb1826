"""What is said of google-adk's stored cases."""

import pytest

from evalfixes import catalog
from evalfixes.rescoring import Options, Place, Problem, Record, rescore_record
from tests.rescoring.stored import (
    FAILED,
    INFORMATIONAL,
    NOT_EVALUATED,
    PASSED,
    answered,
    camel,
    case,
    content,
    events,
    invocation,
    metric,
    thought,
    turn,
)

pytest.importorskip("nltk")

PARIS = thought("Consider Paris, the capital of France.")


def of(stored, **options):
    result = rescore_record(Record("adk", Place("f"), stored), Options(**options))
    assert not isinstance(result, Problem), result
    return result


@pytest.mark.parametrize("written", [lambda stored: stored, camel])
@pytest.mark.parametrize(
    "actual, expected, old, new",
    [
        ([PARIS, "London"], [PARIS, "Paris"], 6 / 7, 0.0),
        ([thought("Paris")], ["Paris"], 1.0, 0.0),
        ([PARIS, "Paris"], [PARIS, "Paris"], 1.0, 1.0),
        (["Paris is nice"], ["Paris is nice"], 1.0, 1.0),
    ],
)
def test_thoughts_leave_rouge(written, actual, expected, old, new):
    result = of(written(answered(content(*actual), content(*expected), old)))
    (change,) = result.metrics
    assert (change.old_score, change.new_score, change.known) == (old, new, True)
    assert result.stands is (new >= 0.8)
    assert (change.fix == "adk-response-match-thoughts") == (old != new)


def test_a_false_failure_is_told_too():
    result = of(answered(content(PARIS, "Paris"), content("Paris"), 0.25, FAILED))
    assert (result.old_status, result.new_status) == ("FAILED", "PASSED")


def test_a_score_of_a_repaired_run_stands():
    assert of(answered(content(PARIS, "Paris"), content("Paris"), 1.0)).stands is True


# 你好 has no word for the tokenizer up to 2.5, and two for the one since.
@pytest.mark.parametrize("score, final", [(1.0, PASSED), (0.0, FAILED)])
def test_the_tokenizer_is_told_by_the_stored_score(score, final):
    result = of(answered(content("你好"), content("你好"), score, final))
    assert not result.changed
    assert all(change.known for change in result.metrics)


def test_a_score_that_the_texts_do_not_give_is_left_alone():
    result = of(answered(content(PARIS, "London"), content("Paris"), 0.93))
    assert result.stands is None
    assert "do not give the stored score" in result.metrics[0].why


def test_expected_answers_may_be_missing():
    stored = answered(content("Paris"), content("Paris"), 1.0)
    stored["eval_metric_result_per_invocation"][0]["expected_invocation"] = None
    assert of(stored).stands is None


def trajectory(actual, expected, score, final=PASSED, **criterion):
    stored = {"threshold": 1.0, **criterion} if criterion else None
    row = metric("tool_trajectory_avg_score", score, final, 1.0, criterion=stored)
    return case(final, [row], [turn(actual, invocation(None, expected), row)])


A, B = ("a", {"x": 1}), ("b", {})


@pytest.mark.parametrize(
    "made, due, criterion, right",
    [
        ([A, B], [A, B], {}, True),
        ([B, A], [A, B], {}, False),
        ([B, A], [A, B], {"match_type": 2}, True),
        ([B, A], [A, B], {"match_type": "any order"}, True),
        ([A, B, A], [A, A], {"match_type": 1}, True),
        ([A, B], [B, A], {"match_type": 1}, False),
        ([A], [A, A], {"match_type": 2}, False),
        ([("a", {"x": 2})], [A], {}, False),
        ([("a", {"x": 2})], [A], {"ignore_args": True}, True),
        ([], [], {}, True),
        ([A], [], {}, False),
        ([A], [], {"match_type": 1}, True),
    ],
)
def test_trajectories(made, due, criterion, right):
    result = of(trajectory(events(*made), due, 1.0, **criterion))
    assert result.stands is right
    assert result.metrics[0].new_score == float(right)
    assert of(trajectory(invocation(None, made), due, 1.0, **criterion)).stands is right


# google-adk 1.39 keeps the threshold of a criterion and nothing else.
def test_a_kind_of_match_that_was_not_stored():
    loose = of(trajectory(events(B, A, B), [A], 1.0, threshold=1.0))
    assert loose.stands is None
    assert "compared as IN_ORDER" in loose.metrics[0].why
    assert of(trajectory(events(A), [A], 1.0, threshold=1.0)).stands is True
    never = of(trajectory(events(A), [B], 1.0, threshold=1.0))
    assert never.stands is False


def test_an_unknown_kind_of_match_is_not_guessed():
    assert of(trajectory(events(A), [A], 1.0, match_type=9)).stands is None


def judged(scores, overall, final, name="hallucinations_v1", threshold=0.5):
    status = {None: NOT_EVALUATED}
    rows = [metric(name, score, status.get(score, PASSED), threshold) for score in scores]
    turns = [turn(invocation(), invocation(), row) for row in rows]
    return case(final, [metric(name, overall, final, threshold)], turns)


def test_turns_without_a_score():
    result = of(judged([1.0, None], 1.0, PASSED, threshold=0.8))
    assert (result.new_status, result.stands) == ("NOT_EVALUATED", False)
    assert result.metrics[0].fix == "adk-unscored-invocations"
    decided = of(judged([1.0, 1.0, 1.0, None], 1.0, PASSED, threshold=0.7))
    assert (decided.metrics[0].new_score, decided.new_status, decided.stands) == (0.75, "PASSED", True)
    assert of(judged([1.0, None], 1.0, PASSED), incomplete="unscored").new_status == "NOT_EVALUATED"
    assert of(judged([1.0, None], 1.0, PASSED, threshold=0.8), incomplete="worst").new_status == "FAILED"


def test_what_only_the_judge_knows_is_not_guessed():
    result = of(judged([1.0, 1.0], 1.0, PASSED))
    assert result.stands is None
    assert "stores no judge's replies" in result.metrics[0].why


def test_metrics_that_score_the_last_turn_only():
    assert of(judged([None, 1.0], 1.0, PASSED, "multi_turn_task_success_v1")).stands is None


def test_metrics_of_ones_own_are_left_alone():
    assert of(judged([None, 1.0], 1.0, PASSED, "mine")).stands is None


def test_passed_beside_no_score():
    results = [metric("response_match_score", None, NOT_EVALUATED), metric("mine", 1.0, PASSED)]
    result = of(case(PASSED, results, []))
    assert (result.new_status, result.stands) == ("NOT_EVALUATED", False)
    assert "adk-gate-unscored" in result.why[0]
    informational = [metric("tokens", None, INFORMATIONAL, None), metric("mine", 1.0, PASSED)]
    assert of(case(PASSED, informational, [])).new_status == "PASSED"
    nothing_to_compare = [metric("tokens", None, NOT_EVALUATED, None), metric("mine", 1.0, PASSED)]
    assert of(case(PASSED, nothing_to_compare, [])).new_status == "PASSED"
    failed = [metric("response_match_score", None, NOT_EVALUATED), metric("mine", 0.0, FAILED)]
    assert of(case(FAILED, failed, [])).new_status == "FAILED"


def rubric(rubric_id, kind=None):
    return {"rubric_id": rubric_id, "rubric_content": {"text_property": rubric_id}, "type": kind}


def rubric_case(asked, answers, overall, own=(), threshold=0.8, name="rubric_based_final_response_quality_v1"):
    given = [{"rubric_id": rubric_id, "score": score} for rubric_id, score in answers]
    row = metric(name, overall, PASSED, threshold, details={"rubric_scores": given})
    criterion = {"threshold": threshold, "rubrics": [rubric(rubric_id) for rubric_id in asked]}
    whole = {**row, "criterion": criterion, "details": {"rubric_scores": given}}
    return case(PASSED, [whole], [turn(invocation(rubrics=list(own)), None, row)])


def test_rubrics_that_were_never_answered():
    result = of(rubric_case(["r1", "r2"], [("r1", 1.0)], 1.0))
    assert (result.new_status, result.metrics[0].fix) == ("NOT_EVALUATED", "adk-rubric-answers")
    assert "r2 in turn 1" in result.metrics[0].why
    assert of(rubric_case(["r1", "r2"], [("r1", 1.0), ("r2", None)], 1.0)).stands is False
    assert of(rubric_case(["r1", "r2"], [("r1", 1.0), ("r2", 1.0)], 1.0)).stands is None
    own = [rubric("r3", "FINAL_RESPONSE_QUALITY"), rubric("r4", "TOOL_USE_QUALITY")]
    assert "1 of 2 rubrics" in of(rubric_case(["r1"], [("r1", 1.0)], 1.0, own)).metrics[0].why
    assert of(rubric_case([], [("r1", 1.0)], 1.0)).stands is None
    enough = of(rubric_case(["r1", "r2", "r3"], [("r1", 1.0), ("r2", 1.0)], 1.0, threshold=0.6))
    assert (enough.new_status, enough.metrics[0].new_score) == ("PASSED", 2 / 3)


def test_the_oldest_files_hold_pairs():
    stored = answered(content(PARIS, "London"), content(PARIS, "Paris"), 6 / 7)
    row = stored.pop("overall_eval_metric_results")[0]
    stored["eval_metric_results"] = [[{"metric_name": row["metric_name"], "threshold": 0.8}, row]]
    assert of(stored).stands is False


@pytest.mark.parametrize(
    "damage",
    [
        {"final_eval_status": 17},
        {"final_eval_status": True},
        {"final_eval_status": None},
        {"overall_eval_metric_results": "x"},
        {"overall_eval_metric_results": [None]},
        {"overall_eval_metric_results": [metric("response_match_score", "high", PASSED)]},
        {"eval_metric_result_per_invocation": [3]},
        {"eval_metric_result_per_invocation": [{"actual_invocation": [], "expected_invocation": {}}]},
    ],
)
def test_damage_is_told(damage):
    stored = {**answered(content("Paris"), content("Paris"), 1.0), **damage}
    assert isinstance(rescore_record(Record("adk", Place("f", "p"), stored)), Problem)


def test_the_fixes_that_are_named_exist():
    for fix_id in (
        "adk-response-match-thoughts",
        "adk-unscored-invocations",
        "adk-rubric-answers",
        "adk-gate-unscored",
    ):
        catalog.get(fix_id)
    for fix_id in ("deepeval-missing-verdicts", "deepeval-metric-recovers", "deepeval-score-scale"):
        catalog.get(fix_id)
    for fix_id in ("agentevals-gate-unscored", "agentevals-turn-count"):
        catalog.get(fix_id)
