"""An agent whose second sentence is wrong, and a judge that says nothing about it. No key, no network."""

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
                yield said(
                    f"sentence: {sentence}\nlabel: supported\nrationale: r\n"
                    "supporting_excerpt: null\ncontradicting_excerpt: null"
                )
                return
        yield said("I have nothing to add.")


LLMRegistry.register(ScriptedAgent)
LLMRegistry.register(ForgetfulJudge)
root_agent = Agent(name="root", model=ScriptedAgent(model="scripted-agent"), instruction="Answer.")
