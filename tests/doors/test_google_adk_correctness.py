"""correctness_v1 through `adk eval` and AgentEvaluator, registered and as a custom metric."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from evalfixes.releases import in_range
from tests.doors import correctness_agent as door
from tests.forked import forked_python

pytest.importorskip("google.adk.evaluation.metric_evaluator_registry", reason="google-adk[eval] is not installed")
pytest.importorskip("google.adk.evaluation.custom_metric_evaluator", reason="this google-adk has no custom metrics")

pytestmark = pytest.mark.door

PASSED, FAILED, NOT_EVALUATED = 1, 2, 3
_MAIN = "import sys; from google.adk.cli import main; sys.argv[0] = 'adk'; main()"
_AGENT_EVALUATOR = """
import asyncio, sys
from google.adk.evaluation.agent_evaluator import AgentEvaluator
asyncio.run(AgentEvaluator.evaluate("demo", sys.argv[1], num_runs=1))
"""


def run(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root / "src"), str(folder), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS": "1"}
    return forked_python(code, *arguments, cwd=folder, env=env)


def stored(folder: Path) -> dict[str, Any]:
    found = {}
    for path in folder.rglob("*.evalset_result.json"):  # some releases write one per case
        table = json.loads(path.read_text(encoding="utf-8"))
        table = json.loads(table) if isinstance(table, str) else table
        found |= {case["eval_id"]: case for case in table["eval_case_results"]}
    return found


@pytest.mark.parametrize("register", [True, False], ids=["registered", "custom metric"])
def test_adk_eval(tmp_path: Path, register: bool) -> None:
    agent, eval_set, settings = door.write(tmp_path, list(door.CASES), register)
    done = run(tmp_path, _MAIN, "eval", str(agent), str(eval_set), f"--config_file_path={settings}")
    cases = stored(tmp_path)
    seen = {name: case["overall_eval_metric_results"][0] for name, case in cases.items()}
    assert {name: (m["score"], m["eval_status"]) for name, m in seen.items()} == {
        "right": (1.0, PASSED),
        "wrong": (0.0, FAILED),
        "refused": (None, NOT_EVALUATED),
        "unreferenced": (None, NOT_EVALUATED),
    }, done.stderr[-2000:]
    assert done.returncode == int(in_range(version("google-adk"), "2.13.0..")), "the first with a verdict in its code"
    rationales = [row["rationale"] for row in seen["wrong"]["details"]["rubric_scores"]]
    assert 'the answer says "It is Milan.", the reference says "Rome"' in rationales
    (reason,) = [row["rationale"] for row in seen["refused"]["details"]["rubric_scores"]] or [""]
    assert reason.startswith("not_answered")


@pytest.mark.parametrize(("name", "code"), [("right", 0), ("wrong", 1), ("refused", 1)])
def test_agent_evaluator(tmp_path: Path, name: str, code: int) -> None:
    _, eval_set, _ = door.write(tmp_path, [name], register=name != "wrong")
    done = run(tmp_path, _AGENT_EVALUATOR, str(eval_set))
    assert done.returncode == code, done.stderr[-2000:]
    if code:
        assert "AssertionError" in done.stderr
