"""A small project as its users have it: a scripted agent and judge, and an evaluation for each command.

In each evaluation the judge leaves something out, and the answer left out is the wrong one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import venv
from importlib.metadata import entry_points
from pathlib import Path

import evalfixes

AGENT = '''
import re
from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

ANSWER = "Paris is the capital of France. It has 90 million inhabitants."


def said(text):
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


class ScriptedAgent(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["scripted-agent"]

    async def generate_content_async(self, llm_request, stream=False):
        yield said(ANSWER)


class ForgetfulJudge(BaseLlm):
    """Labels the first sentence only; the second, which is wrong, is left out."""

    @classmethod
    def supported_models(cls):
        return ["scripted-judge"]

    async def generate_content_async(self, llm_request, stream=False):
        prompt = llm_request.contents[-1].parts[0].text
        if "**Sentences Begin**" not in prompt:
            text = prompt.rsplit("**Response Begin**", 1)[1].split("**Response End**")[0].strip()
            yield said("".join(f"<sentence>{s.strip()}.</sentence>" for s in text.split(".") if s.strip()))
            return
        for sentence in re.findall(r"<sentence>(.*?)</sentence>", prompt.rsplit("**Sentences Begin**", 1)[1]):
            if sentence.startswith("Paris"):
                yield said(f"sentence: {sentence}\\nlabel: supported\\nrationale: r\\n"
                           "supporting_excerpt: null\\ncontradicting_excerpt: null")
                return
        yield said("I have nothing to add.")


LLMRegistry.register(ScriptedAgent)
LLMRegistry.register(ForgetfulJudge)
root_agent = Agent(name="root", model=ScriptedAgent(model="scripted-agent"), instruction="Answer.")
'''
CRITERIA = {
    "criteria": {
        "hallucinations_v1": {
            "threshold": 0.8,
            "judge_model_options": {"judge_model": "scripted-judge", "num_samples": 1},
        }
    }
}
EVAL_SET = {
    "eval_set_id": "capitals",
    "eval_cases": [
        {
            "eval_id": "france",
            "conversation": [
                {
                    "user_content": {"role": "user", "parts": [{"text": "What is the capital of France?"}]},
                    "final_response": {"role": "model", "parts": [{"text": "Paris is the capital of France."}]},
                }
            ],
        }
    ],
}
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
        (agent / "__init__.py").write_text("from . import agent\n")
        (agent / "agent.py").write_text(head + AGENT)
        (self.home / "test_config.json").write_text(json.dumps(CRITERIA))
        (self.home / "capitals.test.json").write_text(json.dumps(EVAL_SET))
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
