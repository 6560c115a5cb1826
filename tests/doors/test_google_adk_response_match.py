"""A scripted agent that thinks, through Runner and stored events, to `response_match_score`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

import evalfixes
from tests.forked import forked

generation = pytest.importorskip(
    "google.adk.evaluation.evaluation_generator", reason="google-adk[eval] is not installed"
)
pytest.importorskip("google.adk.evaluation.final_response_match_v1", reason="this google-adk has no RougeEvaluator")

pytestmark = [
    pytest.mark.door,
    pytest.mark.skipif(
        not hasattr(generation.EvaluationGenerator, "convert_events_to_eval_invocations"),
        reason="this google-adk does not convert stored events publicly",
    ),
]


async def _events(parts: list[tuple[str, bool]]) -> list[Any]:
    from google.adk.agents import Agent
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    class ThinkingModel(BaseLlm):
        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            said = [types.Part(text=text, thought=thought or None) for text, thought in parts]
            yield LlmResponse(content=types.Content(role="model", parts=said))

    runner = InMemoryRunner(agent=Agent(name="thinker", model=ThinkingModel(model="scripted")), app_name="demo")
    session = await runner.session_service.create_session(app_name="demo", user_id="u")
    question = types.Content(role="user", parts=[types.Part(text="What is the capital of France?")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=question):
        pass
    stored = await runner.session_service.get_session(app_name="demo", user_id="u", session_id=session.id)
    assert stored is not None
    return list(stored.events)


def _score(parts: list[tuple[str, bool]], apply: bool) -> tuple[float, str]:
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric
    from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
    from google.genai import types

    if apply:
        evalfixes.apply("adk-response-match-thoughts", strict=True)
    events = asyncio.run(_events(parts))
    actual = generation.EvaluationGenerator.convert_events_to_eval_invocations(events)
    reference = types.Content(role="model", parts=[types.Part(text="Paris")])
    expected = [Invocation(user_content=turn.user_content, final_response=reference) for turn in actual]
    result = RougeEvaluator(EvalMetric(metric_name="response_match_score", threshold=0.3)).evaluate_invocations(
        actual, expected
    )
    return round(result.overall_score, 4), result.overall_eval_status.name


THOUGHT = ("Consider Paris.", True)


@pytest.mark.parametrize(
    ("parts", "wrong", "right"),
    [
        ([THOUGHT, ("London", False)], (0.5, "PASSED"), (0.0, "FAILED")),
        ([THOUGHT, ("Paris", False)], (0.5, "PASSED"), (1.0, "PASSED")),
        ([("Paris", False)], (1.0, "PASSED"), (1.0, "PASSED")),
        ([("London", False)], (0.0, "FAILED"), (0.0, "FAILED")),
    ],
)
def test_thoughts_of_a_running_agent(
    parts: list[tuple[str, bool]], wrong: tuple[float, str], right: tuple[float, str]
) -> None:
    assert forked(_score, parts, False) == wrong
    assert forked(_score, parts, True) == right
