"""The agent says what it was asked; the judge answers from ``SCRIPTED_JUDGE``.

``SCRIPTED_JUDGE`` is a JSON list of pairs: a text that stands in the prompt, and the reply (None: the
call fails). The first that fits is used. A segmenter's prompt is answered with a sentence per line.
"""

import json
import os
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types


def _content(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


class Parrot(BaseAgent):
    """Says what it was asked."""

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        asked = "".join(part.text or "" for part in ctx.user_content.parts)
        yield Event(invocation_id=ctx.invocation_id, author=self.name, content=_content(asked))


class Judge(BaseLlm):
    """Answers from the script."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["scripted-door-judge"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        prompt = llm_request.contents[-1].parts[0].text
        if "segment the response into sentences" in prompt:
            response = prompt.rpartition("**Response Begin**")[2].partition("**Response End**")[0]
            lines = [line for line in response.splitlines() if line.strip()]
            yield LlmResponse(content=_content("\n".join(f"<sentence>{line}</sentence>" for line in lines)))
            return
        reply = next(reply for needle, reply in json.loads(os.environ["SCRIPTED_JUDGE"]) if needle in prompt)
        if reply is None:
            raise RuntimeError("503 judge down")
        yield LlmResponse(content=_content(reply))


LLMRegistry.register(Judge)
root_agent = Parrot(name="parrot")
