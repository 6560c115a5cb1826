"""An agent that does what SCRIPTED_AGENT says, and a judge that replies what SCRIPTED_REPLIES says.

SCRIPTED_AGENT maps texts of the user to the parts of the answer; ``time`` in a text calls the tool
first. With ``guarded`` in it a callback answers in place of the model.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import Any

from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.adk.tools import google_search
from google.genai import types

from evalfixes.fixes.google_adk import _harness

ANSWERS = json.loads(os.environ.get("SCRIPTED_AGENT", "{}"))
JUDGE = _harness.ScriptedJudge(json.loads(os.environ.get("SCRIPTED_REPLIES", "{}")))


def get_time() -> dict[str, Any]:
    """Returns the time."""
    return {"now": dt.datetime(2026, 1, 1, 12)}  # noqa: DTZ001 - tools return naive ones


class AgentModel(BaseLlm):
    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        last = llm_request.contents[-1]
        asked = next(
            part.text for content in reversed(llm_request.contents) for part in content.parts if part.text in ANSWERS
        )
        if "time" in asked and not any(part.function_response for part in last.parts):
            call = types.Part(function_call=types.FunctionCall(name="get_time", args={}))
            yield LlmResponse(content=types.Content(role="model", parts=[call]))
        else:
            yield LlmResponse(content=_harness.content(ANSWERS[asked]))


class JudgeModel(BaseLlm):
    @classmethod
    def supported_models(cls) -> list[str]:
        return ["scripted-replies"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        reply = JUDGE.reply(llm_request.contents[-1].parts[0].text)
        if isinstance(reply, dict):
            raise RuntimeError(reply["raise"])
        yield LlmResponse(content=_harness.content(reply))


LLMRegistry.register(JudgeModel)


def guard(callback_context: Any, llm_request: Any) -> Any:
    text = " ".join(part.text or "" for part in llm_request.contents[-1].parts)
    return LlmResponse(content=_harness.content("I can not help with that.")) if "guarded" in text else None


root_agent = Agent(
    name="root",
    model=AgentModel(model="gemini-2.5-scripted"),
    instruction="Be brief.",
    tools=[google_search] if os.environ.get("SCRIPTED_SEARCH") else [get_time],
    before_model_callback=guard,
)
