"""What is said of deepeval's test runs, agentevals' results and plain rows."""

import pytest

from evalfixes.errors import OptionError
from evalfixes.rescoring import Options, Place, Problem, Record, rescore_record
from tests.rescoring import stored as made


def of(kind, data, **options):
    result = rescore_record(Record(kind, Place("f"), data), Options(**options))
    assert not isinstance(result, Problem), result
    return result


def deepeval_metric(name="Faithfulness", score=1.0, success=True, **more):
    return {"name": name, "threshold": 0.5, "score": score, "success": success, "strictMode": False, **more}


def logged(items, verdicts, score=1.0, name="Faithfulness", heading="Claims", threshold=0.5):
    logs = made.verdict_log(heading, items, verdicts)
    return made.test_case(True, deepeval_metric(name, score, verboseLogs=logs, threshold=threshold))


def test_deepeval_verdicts_that_are_missing():
    result = of("deepeval", logged(["one", "two", "three"], ["yes"]))
    assert (result.new_status, result.stands) == ("NOT_EVALUATED", False)
    assert "3 of 3 items" in result.metrics[0].why
    assert of("deepeval", logged(["one", "two"], ["yes", "yes"])).stands is True
    assert of("deepeval", logged(["one", "two"], ["yes", "maybe"], 0.5, threshold=0.4)).stands is True
    assert of("deepeval", logged(["one", "two"], ["yes", "maybe"], threshold=0.6)).stands is False
    assert of("deepeval", logged(["one", "two"], ["yes", "maybe"])).stands is True, "decided without it"
    assert of("deepeval", logged(["one"], ["yes"], 0.25)).stands is None, "the log does not give the score"
    assert of("deepeval", logged(["o", "p"], ["no", "no"], name="Bias", heading="Opinions")).stands is True
    assert of("deepeval", logged(["o", "p"], ["no"], name="Bias", heading="Opinions")).stands is False


def test_deepeval_old_scores_of_harm():
    result = of("deepeval", logged(["o", "p"], ["no", "no"], 0.0, name="Toxicity", heading="Opinions"))
    assert result.stands is True
    assert of("deepeval", logged(["o", "p"], ["no"], 0.0, name="Toxicity", heading="Opinions")).stands is False


@pytest.mark.parametrize(
    "metric, stands",
    [
        (deepeval_metric(), None),
        (deepeval_metric(score=None), False),
        (deepeval_metric(error="no JSON"), False),
        (deepeval_metric("Mine [GEval]", 1.5), False),
        (deepeval_metric("Mine [GEval]", 0.9), None),
        (deepeval_metric(success=False), False),
        (deepeval_metric(success=None, score=None), False),
    ],
)
def test_deepeval_cases(metric, stands):
    assert of("deepeval", made.test_case(True, metric)).stands is stands


def test_deepeval_flaky_metrics_decide_nothing():
    flaky = deepeval_metric("Other", None, None, flaky=True)
    sure = logged(["one"], ["yes"])["metricsData"][0]
    assert of("deepeval", made.test_case(True, sure, flaky)).new_status == "PASSED"


def test_deepeval_without_any_metric():
    assert of("deepeval", made.test_case(True)).stands is False


def trace(*metrics, errors=(), turns=2):
    return {"trace_id": "t", "num_invocations": turns, "metrics": list(metrics), "_errors": list(errors)}


def agentevals_metric(score=1.0, status="PASSED", turns=(1.0, 1.0), error=None, name="hallucinations_v1"):
    return {
        "metric_name": name, "score": score, "eval_status": status, "per_invocation_scores": list(turns), "error": error
    }  # fmt: skip


@pytest.mark.parametrize(
    "stored, old, new",
    [
        (trace(agentevals_metric()), "PASSED", "PASSED"),
        (trace(agentevals_metric(None, "NOT_EVALUATED", ())), "PASSED", "NOT_EVALUATED"),
        (trace(agentevals_metric(), agentevals_metric(None, "NOT_EVALUATED", (), "boom")), "PASSED", "NOT_EVALUATED"),
        (trace(agentevals_metric(turns=(1.0, None))), "PASSED", "NOT_EVALUATED"),
        (trace(agentevals_metric(turns=(1.0,))), "PASSED", "NOT_EVALUATED"),
        (trace(agentevals_metric(turns=(None, 1.0), name="multi_turn_task_success_v1")), "PASSED", "PASSED"),
        (trace(agentevals_metric(0.0, "FAILED")), "FAILED", "FAILED"),
        (trace(), "PASSED", "NOT_EVALUATED"),
        (trace(agentevals_metric(), errors=["a trace could not be read"]), "PASSED", "NOT_EVALUATED"),
    ],
)
def test_agentevals(stored, old, new):
    result = of("agentevals", stored)
    assert (result.old_status, result.new_status) == (old, new)


def test_rows():
    row = {"question": "q", "answer": "The Paris.", "reference": "paris", "score": "0.9", "model": "m"}
    result = of("rows", row)
    assert (result.metrics[0].old_score, result.metrics[0].new_score, result.stands) == (0.9, 1.0, True)
    assert of("rows", {**row, "answer": "Lyon"}).stands is False
    assert of("rows", {**row, "judged": ""}, metric="judged").new_status == "NOT_EVALUATED"
    assert of("rows", {**row, "judged": False}, metric="judged", old="score").stands is False
    bare = {"question": "q", "answer": "Paris"}
    assert of("rows", bare).new_status == "NOT_EVALUATED"
    assert of("rows", bare, references={"q": ["Lyon", "Paris"]}).new_status == "PASSED"


@pytest.mark.parametrize("options", [{"old": "nowhere"}, {"metric": "nowhere"}, {"old": "answer"}])
def test_rows_without_the_field(options):
    row = {"question": "q", "answer": "Paris", "reference": "Paris"}
    assert isinstance(rescore_record(Record("rows", Place("f"), row), Options(**options)), Problem)


JUDGE = (
    '{"claims": [{"claim": "c", "verdict": "%s", "central": true, "answer_quote": "Lyon", "reference_quote": "Paris"}]}'
)


def judge(prompt):
    return JUDGE % ("contradicted" if "Lyon" in prompt else "supported")


def test_stored_answers_with_a_judge():
    options = {"metric": "correctness_v1", "judge": f"{__name__}:judge"}
    wrong = made.answered(made.content("It is Lyon"), made.content("It is Paris"), 0.5, threshold=0.5)
    wrong["overall_eval_metric_results"][0]["metric_name"] = "mine"
    result = of("adk", wrong, **options)
    assert (result.new_status, result.stands, result.metrics[-1].new_score) == ("FAILED", False, 0.0)
    assert "Lyon" in result.metrics[-1].why
    case = made.test_case(True, deepeval_metric(), actualOutput="Lyon it is", expectedOutput="Paris it is")
    assert of("deepeval", case, **options).stands is False
    bare = made.test_case(True, deepeval_metric(), actualOutput="Lyon it is")
    assert of("deepeval", bare, **options).stands is None
    assert of("deepeval", bare, references={"q": "Paris it is"}, **options).stands is False


def test_rows_with_a_judge():
    row = {"question": "q", "answer": "It is Lyon", "reference": "It is Paris", "score": 1}
    result = of("rows", row, metric="correctness_v1", judge=f"{__name__}:judge")
    assert (result.metrics[0].new_score, result.stands) == (0.0, False)
    with pytest.raises(OptionError, match="--judge"):
        of("rows", row, metric="correctness_v1")
    with pytest.raises(OptionError, match="no judge"):
        of("rows", row, metric="correctness_v1", judge="nowhere:judge")
