"""correctness_v1 through `agentevals run`: in ADK's registry, and as a custom evaluator in a process of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from evalfixes.fixes.agentevals import _harness
from tests.forked import forked_python

pytest.importorskip("agentevals.cli", reason="agentevals-cli is not installed")
pytest.importorskip("google.adk.evaluation.metric_evaluator_registry", reason="google-adk[eval] is not installed")

pytestmark = pytest.mark.door

ROOT = Path(__file__).resolve().parents[2]

_REGISTER = """
from tests.evaluators.scripted import ask
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

class Judge(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["correctness-judge"]

    async def generate_content_async(self, llm_request, stream=False):
        import contextlib, sys
        with contextlib.redirect_stdout(sys.stderr):
            said = ask(llm_request.contents[-1].parts[0].text)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=said)]))

LLMRegistry.register(Judge)
from evalfixes.evaluators.google_adk import register
register(judge_model_options={"judge_model": "correctness-judge", "num_samples": 1})
"""
_MAIN = "import sys; from agentevals.cli import main; sys.argv[0] = 'agentevals'; main()"


def run(folder: Path, said: str, expected: str, custom: bool) -> tuple[int, dict[str, object]]:
    turns = [{"user": "Capital of France?", "final": said, "rounds": []}]
    golden = [{"user": "Capital of France?", "final": expected, "rounds": []}]
    arguments = _harness.write_inputs({"turns": turns, "golden": golden, "metrics": ["correctness_v1"]}, folder)
    start = ""
    if custom:
        place = arguments.index("-m")
        del arguments[place : place + 2]
        (folder / "correctness_v1.py").write_text(
            "from evalfixes.evaluators.agentevals_script import main\nmain()\n", encoding="utf-8"
        )
        config = folder / "config.yaml"
        judge = {"judge": "tests.evaluators.scripted:ask"}
        entry = {
            "name": "correctness_v1",
            "type": "code",
            "path": str(folder / "correctness_v1.py"),
            "threshold": 0.8,
            "timeout": 120,
            "config": judge,
        }
        config.write_text(json.dumps({"evaluators": [entry]}), encoding="utf-8")
        arguments += ["--config", str(config)]
    else:
        start = _REGISTER
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = forked_python(start + _MAIN, *arguments, cwd=folder, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout, done.stderr[-3000:]
    report = _harness.read_report(done.stdout)
    metrics = [metric for trace in report["traces"] for metric in trace["metrics"]]
    (found,) = [metric for metric in metrics if metric["metric_name"] == "correctness_v1"]
    return done.returncode, found


@pytest.mark.parametrize("custom", [False, True], ids=["registry", "custom evaluator"])
@pytest.mark.parametrize(
    ("said", "expected", "code", "score", "status"),
    [("It is Paris.", "Paris", 0, 1.0, "PASSED"), ("It is Lyon.", "Paris", 1, 0.0, "FAILED")],
)
def test_a_run(tmp_path: Path, custom: bool, said: str, expected: str, code: int, score: float, status: str) -> None:
    seen, metric = run(tmp_path, said, expected, custom)
    assert (seen, metric["score"], metric["eval_status"], metric.get("error")) == (code, score, status, None)


@pytest.mark.parametrize("custom", [False, True], ids=["registry", "custom evaluator"])
def test_without_a_reference_nothing_is_passed(tmp_path: Path, custom: bool) -> None:
    _, metric = run(tmp_path, "It is Paris.", "  ", custom)
    assert metric["eval_status"] == "NOT_EVALUATED"
