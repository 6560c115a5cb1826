import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evalfixes.errors import OptionError
from evalfixes.evaluators.agentevals_script import evaluate

ROOT = Path(__file__).resolve().parents[2]
JUDGE = {"judge": "tests.evaluators.scripted:ask"}


def turn(text):
    return {"invocation_id": "i", "user_content": "Capital?", "final_response": text}


def table(actual, expected, **fields):
    return {
        "metric_name": "correctness_v1",
        "threshold": 0.8,
        "config": JUDGE,
        "invocations": [turn(text) for text in actual],
        "expected_invocations": None if expected is None else [turn(text) for text in expected],
        **fields,
    }


@pytest.mark.parametrize(
    ("actual", "expected", "score", "status"),
    [
        (["Paris"], ["Paris"], 1.0, "PASSED"),
        (["Lyon"], ["Paris"], 0.0, "FAILED"),
        (["Paris", "Lyon"], ["Paris", "Paris"], 0.5, "FAILED"),
        (["Paris"], None, 0.0, "NOT_EVALUATED"),
        (["Paris"], [None], 0.0, "NOT_EVALUATED"),
        ([""], ["Paris"], 0.0, "NOT_EVALUATED"),
        (["Paris", "more"], ["Paris"], 0.0, "NOT_EVALUATED"),
        (["Paris"], ["Paris", "never came"], 0.0, "NOT_EVALUATED"),
        (["Lyon"], ["Paris", "never came"], 0.0, "FAILED"),
        ([], None, 0.0, "NOT_EVALUATED"),
    ],
)
def test_turns(actual, expected, score, status):
    output = evaluate(table(actual, expected))
    assert (output["score"], output["status"]) == (score, status)
    json.dumps(output)


@pytest.mark.parametrize("config", [{}, {"judge": "nowhere"}, {**JUDGE, "numeric": "x"}])
def test_a_configuration_that_means_nothing_is_refused(config):
    with pytest.raises((OptionError, TypeError)):
        evaluate(table(["Paris"], ["Paris"], config=config))


@pytest.mark.parametrize("how", ["shim", "path"])
def test_the_protocol(tmp_path, how):
    script = ROOT / "src" / "evalfixes" / "evaluators" / "agentevals_script.py"
    if how == "shim":
        script = tmp_path / "correctness_v1.py"
        script.write_text("from evalfixes.evaluators.agentevals_script import main\nmain()\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps(table(["Paris"], ["Paris"])),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["status"] == "PASSED"
    assert "judges may print" in done.stderr
