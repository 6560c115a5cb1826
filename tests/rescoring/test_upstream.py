"""Files that the installed google-adk writes itself, from scores that it computed itself."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalfixes.rescoring import rescore

pytest.importorskip("nltk")

# Texts for which upstream's score with thoughts tells the tokenizer, or for which it does not matter.
WORDS = st.lists(st.sampled_from(["Paris", "is", "the", "capital", "running", "runs", "Straße", "東京"]), max_size=5)
PARTS = st.lists(st.tuples(WORDS.map(" ".join), st.booleans()), max_size=3)
CALLS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([{}, {"x": 1}, {"x": 1.0}, {"x": [2]}])), max_size=3)
TURNS = st.lists(st.tuples(PARTS, PARTS, CALLS, CALLS), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def adk():
    module = pytest.importorskip("google.adk.evaluation.local_eval_set_results_manager")
    pytest.importorskip("google.adk.evaluation.final_response_match_v1")
    pytest.importorskip("google.adk.evaluation.trajectory_evaluator")
    return module


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(TURNS, st.sampled_from([0.3, 0.5, 0.8]), st.sampled_from([0, 1, 2]))
def test_what_upstream_wrote(adk, tmp_path_factory, turns, threshold, match):
    from google.adk.evaluation import eval_metrics
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, EvalMetricResult, EvalMetricResultPerInvocation
    from google.adk.evaluation.eval_result import EvalCaseResult
    from google.adk.evaluation.evaluator import EvalStatus
    from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types

    def content(parts, thoughts):
        made = [types.Part(text=text, thought=thought or None) for text, thought in parts if thoughts or not thought]
        return types.Content(role="model", parts=made)

    def invocation(parts, calls, thoughts=True):
        uses = [types.FunctionCall(name=name, args=args) for name, args in calls]
        user = types.Content(role="user", parts=[types.Part(text="q")])
        data = IntermediateData(tool_uses=uses)
        return Invocation(user_content=user, final_response=content(parts, thoughts), intermediate_data=data)

    def evaluated(evaluator, thoughts=True):
        actual = [invocation(parts, calls, thoughts) for parts, _, calls, _ in turns]
        return evaluator.evaluate_invocations(actual, [invocation(p, c, thoughts) for _, p, _, c in turns])

    kinds = getattr(eval_metrics, "ToolTrajectoryCriterion", None)
    rouge = EvalMetric(metric_name="response_match_score", threshold=threshold)
    extra = {"criterion": kinds(threshold=1.0, match_type=kinds.MatchType(match))} if kinds is not None else {}
    calls = EvalMetric(metric_name="tool_trajectory_avg_score", threshold=1.0, **extra)
    results = [(rouge, evaluated(RougeEvaluator(rouge))), (calls, evaluated(TrajectoryEvaluator(eval_metric=calls)))]
    right = evaluated(RougeEvaluator(rouge), thoughts=False)
    passed = all(result.overall_eval_status == EvalStatus.PASSED for _, result in results)

    def stored(metric, score, status):
        return EvalMetricResult(**metric.model_dump(), score=score, eval_status=status)

    per_turn = [
        EvalMetricResultPerInvocation(
            actual_invocation=rows[0].actual_invocation,
            expected_invocation=rows[0].expected_invocation,
            eval_metric_results=[stored(m, r.score, r.eval_status) for (m, _), r in zip(results, rows, strict=True)],
        )
        for rows in zip(*(result.per_invocation_results for _, result in results), strict=True)
    ]
    case = EvalCaseResult(
        eval_set_file="s", eval_set_id="s", eval_id="c", session_id="1",
        final_eval_status=EvalStatus.PASSED if passed else EvalStatus.FAILED,
        overall_eval_metric_results=[stored(m, r.overall_score, r.overall_eval_status) for m, r in results],
        eval_metric_result_per_invocation=per_turn,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("agents")
    adk.LocalEvalSetResultsManager(str(folder)).save_eval_set_result("app", "s", [case])
    (result,) = rescore([str(folder)])
    answer, trajectory = result.metrics
    assert not trajectory.changed
    assert trajectory.known or "does not say how calls were compared" in trajectory.why
    assert answer.old_score == results[0][1].overall_score
    if answer.known:
        assert (answer.new_score, answer.new_status) == (right.overall_score, right.overall_eval_status.name)
    else:
        assert "both fit" in answer.why
