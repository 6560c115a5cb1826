"""Damaged files and records are told with their place, and the rest goes on; inputs are never written to."""

import hashlib
import json

import pytest

from evalfixes.rescoring import Problem, Rescored, rescore
from tests.rescoring.stored import answered, content, deepeval_run, history, test_case

pytest.importorskip("nltk")

GOOD = answered(content("Paris"), content("Paris"), 1.0)


def outcomes(*paths, **options):
    return list(rescore([str(path) for path in paths], **options))


def split(found):
    return [f for f in found if isinstance(f, Rescored)], [f for f in found if isinstance(f, Problem)]


@pytest.mark.parametrize("times", [0, 1, 2])
def test_double_encoded_files(tmp_path, times):
    text = json.dumps(history(GOOD, GOOD))
    for _ in range(min(times, 1)):
        text = json.dumps(text)
    (tmp_path / "a.evalset_result.json").write_text(("\ufeff" if times == 2 else "") + text, encoding="utf-8")
    results, problems = split(outcomes(tmp_path))
    assert [r.stands for r in results] == [True, True]
    assert not problems


def test_one_damaged_case_does_not_stop_the_rest(tmp_path):
    file = tmp_path / "a.evalset_result.json"
    file.write_text(json.dumps(history(GOOD, "nonsense", {**GOOD, "final_eval_status": "odd"}, GOOD)))
    results, problems = split(outcomes(tmp_path))
    assert len(results) == 2
    assert [p.place.position for p in problems] == ["eval_case_results[1]", "eval_case_results[2]"]
    assert all(p.place.file == str(file) and p.reason for p in problems)


def test_the_cases_before_a_cut_are_read(tmp_path):
    text = json.dumps(history(GOOD, GOOD, GOOD), indent=1)
    (tmp_path / "cut.json").write_text(text[: int(len(text) * 0.8)])
    results, problems = split(outcomes(tmp_path))
    assert len(results) == 2
    assert "the 2 complete cases before it were read" in problems[0].reason
    assert problems[0].place.position.startswith("line ")


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "no JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"[[[[", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"a": 1}', "no result file"),
        (b"null", "no result file"),
        (b'{"resourceSpans": []}', "trace"),
        (b'{"eval_set_result_id": "x", "eval_case_results": 3}', "not a list"),
        (b'"not json inside"', "no JSON"),
    ],
)
def test_files_that_are_no_results(tmp_path, content, reason):
    (tmp_path / "a.json").write_bytes(content)
    (tmp_path / "b.evalset_result.json").write_text(json.dumps(history(GOOD)))
    results, problems = split(outcomes(tmp_path))
    assert len(results) == 1
    assert reason in problems[0].reason


def test_rows_with_damaged_lines(tmp_path):
    row = json.dumps({"question": "q", "answer": "a", "reference": "a"})
    (tmp_path / "r.jsonl").write_text(f"{row}\n{{broken\n\n[1]\n{row}\n" + json.dumps(history(GOOD)) + "\n")
    results, problems = split(outcomes(tmp_path))
    assert [r.kind for r in results] == ["rows", "rows", "adk"]
    assert [p.place.position for p in problems] == ["line 2", "line 4"]
    assert results[-1].place.position == "line 6 eval_case_results[0]"


def test_csv(tmp_path):
    (tmp_path / "r.csv").write_text('question,answer,reference\nq,"a, b",a b\nq,a\n')
    results, problems = split(outcomes(tmp_path))
    assert results[0].new_status == "PASSED"
    assert problems[0].place.position == "line 3"


def test_deepeval_and_agentevals_are_told_apart(tmp_path):
    (tmp_path / ".deepeval").mkdir()
    (tmp_path / ".deepeval" / ".latest_test_run.json").write_text(json.dumps(deepeval_run(test_case(True))))
    metric = {"metric_name": "m", "score": 1.0, "eval_status": "PASSED", "per_invocation_scores": [], "error": None}
    traces = [{"trace_id": "t", "num_invocations": 1, "metrics": [metric]}]
    (tmp_path / "ae.json").write_text(json.dumps({"traces": traces, "errors": []}))
    server = [
        {
            "traceId": "t",
            "numInvocations": 1,
            "metricResults": [{"metricName": "m", "evalStatus": "PASSED", "score": 1}],
        }
    ]
    (tmp_path / "server.json").write_text(json.dumps({"traceResults": server, "errors": []}))
    results, problems = split(outcomes(tmp_path))
    assert [r.kind for r in results] == ["agentevals", "agentevals", "deepeval"]
    assert not problems


def test_what_is_not_there(tmp_path):
    (tmp_path / "empty").mkdir()
    _, problems = split(outcomes(tmp_path / "nowhere", tmp_path / "empty"))
    assert [p.reason for p in problems] == [
        "there is no such file",
        "there are no result files here (.json, .jsonl, .csv)",
    ]


def test_a_file_named_twice_counts_once(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(history(GOOD)))
    assert len(outcomes(file, tmp_path)) == 1


def test_processes_say_the_same_and_inputs_stay(tmp_path):
    for index in range(7):
        (tmp_path / f"{index}.json").write_text(json.dumps(history(GOOD, {**GOOD, "eval_id": str(index)}, 3)))
    row = json.dumps({"question": "q", "answer": "a", "reference": "a"})
    (tmp_path / "r.jsonl").write_text(f"{row}\n" * 1_203)
    before = {f: hashlib.sha256(f.read_bytes()).digest() for f in tmp_path.iterdir()}
    alone = outcomes(tmp_path)
    assert len(alone) == 7 * 3 + 1_203
    assert outcomes(tmp_path, jobs=2) == alone
    assert {f: hashlib.sha256(f.read_bytes()).digest() for f in tmp_path.iterdir()} == before
