"""Scripted judges, for google-adk's model registry and as deepeval models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Reply = Callable[[str], str]

ANSWER = "Paris is the capital of France. It has 90 million inhabitants."


def adk_judge(reply: Reply, thoughts: str = "") -> str:
    """Registers a model that answers with the reply's text, behind a thought if there is one; returns its name."""
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.models.registry import LLMRegistry
    from google.genai import types

    class Judge(BaseLlm):
        @classmethod
        def supported_models(cls) -> list[str]:
            return ["scripted-judge"]

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            text = reply("".join(part.text or "" for part in llm_request.contents[-1].parts))
            parts = [types.Part(text=thoughts, thought=True)] if thoughts else []
            yield LlmResponse(content=types.Content(role="model", parts=[*parts, types.Part(text=text)]))

    LLMRegistry.register(Judge)
    return "scripted-judge"


def labels(*by_sentence: str) -> Reply:
    """Segments, then labels the sentences in their order; a missing label leaves its sentence out."""

    def reply(prompt: str) -> str:
        if "**Sentences Begin**" not in prompt:
            said = prompt.rsplit("**Response Begin**", 1)[1].split("**Response End**")[0]
            return "".join(f"<sentence>{s.strip()}.</sentence>" for s in said.split(".") if s.strip())
        asked = re.findall(r"<sentence>(.*?)</sentence>", prompt.rsplit("**Sentences Begin**", 1)[1])
        known = {f"{s.strip()}.": label for s, label in zip(ANSWER.split("."), by_sentence, strict=False)}
        return "\n\n".join(
            f"sentence: {s}\nlabel: {known[s]}\nrationale: r\nsupporting_excerpt: null\ncontradicting_excerpt: null"
            for s in asked
            if s in known
        )

    return reply


SCRIPT: dict[str, Any] = {
    "statements": ["s1", "s2", "s3"],
    "opinions": ["s1", "s2", "s3"],
    "extracted_pii": ["s1", "s2", "s3"],
    "role_violations": ["s1", "s2", "s3"],
    "reason": "scripted",
}


def for_schema(schema: Any, **script: Any) -> dict[str, Any]:
    """What the script holds for a schema's fields."""
    known = {**SCRIPT, **script}
    return {name: known[name] for name in schema.model_fields if name in known}


def for_prompt(prompt: str, **script: Any) -> str:
    """The same as text, for judges that are only shown a prompt."""
    known = {**SCRIPT, **script}
    wanted = [name for name in known if re.search(rf"['\"]{name}['\"]", prompt)]
    return json.dumps({name: known[name] for name in wanted})
