"""An agent folder with a scripted agent and a scripted judge of correctness_v1, for google-adk's doors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AGENT = """
import json, re
from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

ANSWERS = {answers!r}


def said(text, thought=None):
    parts = [types.Part(text=thought, thought=True)] if thought else []
    return LlmResponse(content=types.Content(role="model", parts=[*parts, types.Part(text=text)]))


class ScriptedAgent(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        asked = llm_request.contents[-1].parts[0].text
        yield said(ANSWERS[asked], thought="The reference is probably Paris.")


class ScriptedJudge(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["correctness-judge"]

    async def generate_content_async(self, llm_request, stream=False):
        prompt = llm_request.contents[-1].parts[0].text
        assert "probably" not in prompt
        answer = re.search("<<<BEGIN ANSWER \\\\w+>>>\\\\n(.*?)\\\\n<<<END", prompt, re.S).group(1)
        reference = re.search("<<<BEGIN REFERENCE \\\\w+>>>\\\\n(.*?)\\\\n<<<END", prompt, re.S).group(1)
        if "do not know" in answer:
            verdict = "not_in_reference"
        else:
            verdict = "supported" if reference in answer else "contradicted"
        table = {{"claims": [{{"claim": "c", "verdict": verdict, "central": True,
                              "answer_quote": answer, "reference_quote": reference}}]}}
        yield said(json.dumps(table), thought='{{"claims": []}}')


LLMRegistry.register(ScriptedJudge)
{extra}
root_agent = Agent(name="scripted", model=ScriptedAgent(model="scripted-agent"))
"""

CASES = {
    "right": ("Capital of France?", "Paris, on the Seine.", "Paris"),
    "wrong": ("Capital of Italy?", "It is Milan.", "Rome"),
    "refused": ("Capital of Spain?", "I do not know.", "Madrid"),
    "unreferenced": ("Capital of Peru?", "Lima.", None),
}
"""Question, answer of the agent and reference, by eval id."""


def criterion(threshold: float = 0.8, **fields: Any) -> dict[str, Any]:
    """The criterion as it stands in a configuration."""
    options = {"judge_model": "correctness-judge", "num_samples": 3}
    return {"threshold": threshold, "judge_model_options": options, **fields}


def write(folder: Path, names: list[str], register: bool) -> tuple[Path, Path, Path]:
    """Writes agent, eval set and configuration; the metric is registered, or named as a custom one."""
    agent = folder / "demo"
    agent.mkdir()
    extra = "from evalfixes.evaluators.google_adk import register; register()" if register else ""
    answers = {question: answer for question, answer, _ in CASES.values()}
    (agent / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (agent / "agent.py").write_text(AGENT.format(answers=answers, extra=extra), encoding="utf-8")
    cases = [_case(name, *CASES[name]) for name in names]
    eval_set = folder / "cases.test.json"
    eval_set.write_text(json.dumps({"eval_set_id": "cases", "eval_cases": cases}), encoding="utf-8")
    config: dict[str, Any] = {"criteria": {"correctness_v1": criterion()}}
    if not register:
        path = "evalfixes.evaluators.google_adk.correctness_v1"
        config["custom_metrics"] = {"correctness_v1": {"code_config": {"name": path}}}
    settings = folder / "test_config.json"
    settings.write_text(json.dumps(config), encoding="utf-8")
    return agent, eval_set, settings


def _case(name: str, question: str, answer: str, reference: str | None) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "invocation_id": name,
        "user_content": {"role": "user", "parts": [{"text": question}]},
    }
    if reference is not None:
        turn["final_response"] = {"role": "model", "parts": [{"text": reference}]}
    session = {"app_name": "demo", "user_id": "u", "state": {}}
    return {"eval_id": name, "conversation": [turn], "session_input": session}
