"""`evalfixes audit` on callables; `tests/doors/test_audit.py` has it on real upstreams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalfixes.cli import main

LENIENT, STRICT = "tests.testing.toys:lenient", "tests.testing.toys:strict"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["audit", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_greener_mutant_fails_and_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, LENIENT)
    assert code == 1
    assert out.startswith(f"{LENIENT}: ")
    assert f"**{LENIENT}: greener by " in out
    assert "more operators have a counterexample" in out


def test_deaf_alone_does_not_fail(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, STRICT)
    assert (code, " 0 greener" in out, "deaf by" in out) == (0, True, True)


def test_operators_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, LENIENT, "--only", "fences", "--only", "drop-key+fences", "--format", "json")
    assert [row["operator"] for row in json.loads(out)["operators"]] == ["fences", "drop-key+fences"]
    assert code == 1
    code, out, _ = said(capsys, LENIENT, "--skip", "drop-key", "--format", "json")
    assert "drop-key" not in {row["operator"] for row in json.loads(out)["operators"]}


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, LENIENT, "--format", "json")
    document = json.loads(out)
    assert document["exit_code"] == code == 1
    assert document["counts"]["greener"] > 0
    example = document["counterexamples"][0]
    assert example["kind"] == "greener"
    assert example["after"]["passed"] or example["after"]["score"] > example["before"]["score"]


@pytest.mark.parametrize("target, level", [(LENIENT, "error"), (STRICT, "warning")])
def test_sarif(capsys: pytest.CaptureFixture[str], target: str, level: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    code, out, _ = said(capsys, target, "--format", "sarif")
    document = json.loads(out)
    schema = Path(__file__).parents[1] / "schemas" / "sarif.json"
    jsonschema.Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(document)
    (run,) = document["runs"]
    assert run["invocations"][0]["exitCode"] == code == (level == "error")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {rules[result["ruleIndex"]] for result in run["results"]} == {result["ruleId"] for result in run["results"]}
    assert {result["level"] for result in run["results"]} == {level}


def test_recordings_are_the_judge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text(json.dumps({"prompt": "Is each …", "reply": '{"verdicts": [{"verdict": "no"}]}'}), "utf-8")
    code, out, _ = said(capsys, LENIENT, "--recordings", str(path), "--only", "drop-all", "--format", "json")
    (example,) = json.loads(out)["counterexamples"]
    assert (code, example["baseline"], example["mutant"]) == (1, "recorded", '{"verdicts": []}')


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (["toys"], "name it as deepeval:CLASS"),
        (["no_such_module:run"], "no_such_module cannot be imported"),
        (["tests.testing.toys:nothing"], "has no nothing"),
        (["tests.testing.toys:POINTS"], "is tuple, not a function"),
        (["pathlib:Path"], "is a class, but no metric"),
        (["builtins:len"], "no score on any unmutated reply"),
        ([LENIENT, "--only", "nonsense"], "no mutation operator is called 'nonsense'"),
        ([LENIENT, "--only", "fences", "--skip", "fences"], "leave no operator"),
        ([LENIENT, "--recordings", "none.jsonl"], "none.jsonl: cannot be read"),
    ],
)
def test_a_usage_error_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    code, out, err = said(capsys, *arguments)
    assert (code, out) == (3, "")
    assert problem in err
