"""A small project as its users have it: a scripted agent and judge, and an evaluation for each command.

In each evaluation the judge leaves something out, and the answer left out is the wrong one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import venv
from importlib.metadata import entry_points
from pathlib import Path

import evalfixes

EXAMPLE = Path(__file__).resolve().parents[2] / "examples"
"""What the README walks through."""
AGENT_TEST = """
import asyncio
from google.adk.evaluation.agent_evaluator import AgentEvaluator


def test_agent():
    asyncio.run(AgentEvaluator.evaluate("capital", "capitals.test.json", num_runs=1, print_detailed_results=False))
"""
DEEPEVAL_TEST = '''
import json
from deepeval import assert_test
from deepeval.metrics import AnswerRelevancyMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase


class ForgetfulJudge(DeepEvalBaseLLM):
    """Answers for the first of three statements only."""

    def __init__(self):
        super().__init__("scripted")

    def load_model(self):
        return self

    def get_model_name(self):
        return "scripted"

    def generate(self, prompt, schema=None):
        name = schema.__name__ if schema else ""
        if name == "Statements":
            return schema(statements=["Paris is the capital.", "Buy my book.", "Call now."])
        if name == "Verdicts":
            return schema(verdicts=[{"verdict": "yes", "reason": "r"}])
        return schema(reason="scripted") if schema else json.dumps({"reason": "scripted"})

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema)


def test_answer():
    said = "Paris is the capital. Buy my book. Call now."
    case = LLMTestCase(input="What is the capital of France?", actual_output=said)
    assert_test(case, [AnswerRelevancyMetric(threshold=0.7, model=ForgetfulJudge(), async_mode=False)])
'''
# The real entry point; only the judge is made known first, since agentevals has no other place for it.
AGENTEVALS = """
import sys
from evalfixes.fixes.agentevals import _harness
_harness.register_judge()
_harness.set_script({"fails_on": ["B-22"]})
from agentevals.cli import main
sys.exit(main())
"""
APPLY = "import evalfixes\nevalfixes.apply()\n"


class Project:
    """The project, and an environment with the real evalfixes and upstreams whose start-up files are its own.

    Args:
        home: Where both are made.
    """

    def __init__(self, home: Path) -> None:
        self.home = home / "project"
        self.home.mkdir()
        self.site = home / "site"
        venv.create(self.site, symlinks=os.name != "nt", with_pip=False)
        self.python = self.site / "bin" / "python"
        packages = next((self.site / "lib").glob("python3*")) / "site-packages"
        outer = [Path(evalfixes.__file__).parents[1], sysconfig.get_path("purelib")]
        (packages / "_outer.pth").write_text("".join(f"{path}\n" for path in outer))
        for entry in entry_points(group="console_scripts"):
            if entry.name in ("adk", "deepeval", "agentevals", "evalfixes", "pytest"):
                module, _, function = entry.value.partition(":")
                self.script(entry.name, f"import sys\nfrom {module} import {function}\nsys.exit({function}())\n")
        self.script("agentevals", AGENTEVALS)
        self.write()

    def script(self, name: str, text: str) -> None:
        path = self.site / "bin" / name
        path.write_text(f"#!{self.python}\n{text}")
        path.chmod(0o755)

    def write(self, head: str = "") -> None:
        """Writes all files; the head goes in front of the agent and of each test file's code."""
        agent = self.home / "capital"
        agent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLE / "capital" / "__init__.py", agent)
        (agent / "agent.py").write_text(head + (EXAMPLE / "capital" / "agent.py").read_text("utf-8"))
        for name in ("test_config.json", "capitals.test.json"):
            shutil.copy(EXAMPLE / name, self.home)
        (self.home / "test_agent.py").write_text(head + AGENT_TEST)
        (self.home / "test_answer.py").write_text(head + DEEPEVAL_TEST)
        (self.home / "pytest.ini").write_text("[pytest]\n")

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the project."""
        hidden = ("PYTHONPATH", "EVALFIXES_RUN", "EVALFIXES_SKIP", "EVALFIXES_DISABLE", "PYTHONDONTWRITEBYTECODE")
        kept = {key: value for key, value in os.environ.items() if key not in hidden and "API_KEY" not in key}
        settings = {
            "PATH": f"{self.site / 'bin'}{os.pathsep}{kept.get('PATH', '')}",
            "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS": "1",
            "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
            "DEEPEVAL_DISABLE_DOTENV": "1",
            "DEEPEVAL_UPDATE_WARNING_OPT_OUT": "YES",
            "OTEL_SDK_DISABLED": "true",
            "COLUMNS": "200",
        }
        return subprocess.run(
            command, cwd=self.home, env={**kept, **settings, **more}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=600, check=False,
        )  # fmt: skip


__all__ = ["APPLY", "Project"]
