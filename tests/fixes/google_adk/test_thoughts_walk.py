"""Walks every metric of the registry, also those of releases to come, with thoughts planted everywhere."""

from __future__ import annotations

import asyncio
import inspect
import os
from types import SimpleNamespace
from typing import Any

import pytest

import evalfixes
from evalfixes.fixes.google_adk._harness import block, segments
from tests.forked import forked

pytest.importorskip("google.adk.evaluation.metric_evaluator_registry", reason="google-adk[eval] is not installed")

SECRET = "PRIVATE-SECRET"
SAID = ("Let me look.", "Oslo again.", "Oslo.")
REPLIES = {
    **{f"segment:Begin**\n{text}": [segments(text)] for text in SAID},
    **{f"validate:<sentence>{text}": [block(text, "supported")] for text in SAID},
    "segment": [segments("Oslo.")],
    "validate": [block("Oslo.", "supported")],
    "rubric": ["ID: a\nProperty: The answer is short.\nRationale: r\nVerdict: yes\n"],
    ":": ['{"reasoning": "r", "is_the_agent_response_valid": "valid", "is_valid": "valid"}'],
}
"""Well-formed replies to what is asked without thoughts; with thoughts planted the prompts differ."""


def registered() -> dict[str, Any]:
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY as REGISTRY

    return {name: entry[0] for name, entry in REGISTRY._registry.items()}


def invocation(planted: bool, answer: str) -> Any:
    from google.adk.evaluation.eval_case import Invocation, InvocationEvent, InvocationEvents
    from google.genai import types

    def content(role: str, *texts: str) -> Any:
        parts = [types.Part(text=text) for text in texts]
        if planted:
            parts.insert(0, types.Part(text=f"{SECRET} first", thought=True))
            parts.append(types.Part(text=f"{SECRET} last", thought=True))
        return types.Content(role=role, parts=parts)

    call = types.FunctionCall(id="1", name="t", args={"x": 1})
    reply = types.FunctionResponse(id="1", name="t", response={"r": 1})
    tool = [types.Part(function_call=call), types.Part(function_response=reply)]
    events = [
        InvocationEvent(author="root", content=content("model", "Let me look.")),
        InvocationEvent(author="root", content=types.Content(role="model", parts=tool)),
    ]
    if planted:
        events.append(InvocationEvent(author="root", content=content("model")))
    return Invocation(
        invocation_id="i",
        user_content=content("user", "Capital of Norway?"),
        final_response=content("model", answer),
        intermediate_data=InvocationEvents(invocation_events=events),
    )


def criterion(cls: Any, model: str) -> Any:
    from google.adk.evaluation import eval_metrics
    from google.adk.evaluation.eval_rubrics import Rubric, RubricContent
    from google.genai import types

    kind = getattr(cls, "criterion_type", None) or eval_metrics.BaseCriterion
    fields: dict[str, Any] = {"threshold": 0.5}
    if "judge_model_options" in kind.model_fields:
        fields["judge_model_options"] = eval_metrics.JudgeModelOptions(
            judge_model=model, num_samples=1, judge_model_config=types.GenerateContentConfig()
        )
    if "rubrics" in kind.model_fields:
        content = RubricContent(text_property="The answer is short.")
        fields["rubrics"] = [Rubric(rubric_id="a", rubric_content=content)]
    for flag in ("evaluate_intermediate_nl_responses", "include_intermediate_responses_in_final"):
        if flag in kind.model_fields:
            fields[flag] = True
    return kind(**fields)


def walk(apply: bool, planted: bool) -> dict[str, Any]:
    """Per metric: its scores, and all that left the evaluator for a judge or for Vertex."""
    os.environ.setdefault("GOOGLE_API_KEY", "none")
    if apply:
        evalfixes.apply(*[fix.id for fix in evalfixes.fixes("google-adk")], strict=True)
    return {name: _one(name, cls, planted) for name, cls in registered().items()}


def _one(name: str, cls: Any, planted: bool) -> dict[str, Any]:
    from google.adk.evaluation.conversation_scenarios import ConversationScenario
    from google.adk.evaluation.eval_metrics import EvalMetric
    from google.adk.evaluation.vertex_ai_eval_facade import _VertexAiEvalFacade

    from evalfixes.fixes.google_adk import _harness

    sent: list[str] = []

    def perform(*args: Any, **fields: Any) -> Any:
        dataset = fields.get("dataset", args[-2] if len(args) > 1 else None)
        frame = getattr(dataset, "eval_dataset_df", None)
        sent.append(repr(dataset) if frame is None else repr(frame.to_dict("records")))
        score = 0.0 if SECRET in sent[-1] else 1.0
        return SimpleNamespace(summary_metrics=[SimpleNamespace(mean_score=score)])

    kept = vars(_VertexAiEvalFacade)["_perform_eval"]
    _VertexAiEvalFacade._perform_eval = staticmethod(perform) if isinstance(kept, staticmethod) else perform
    actual = [invocation(planted, "Oslo."), invocation(planted, "Oslo again.")]
    expected = [invocation(planted, "Oslo."), invocation(planted, "Bergen.")]
    scenario = ConversationScenario(starting_prompt="Capital of Norway?", conversation_plan="Ask.")
    try:
        with _harness.scripted(REPLIES) as (model, judge):
            metric = EvalMetric(metric_name=name, threshold=0.5, criterion=criterion(cls, model))
            try:
                evaluator = cls(eval_metric=metric)
            except ValueError:  # the informational metrics have no threshold
                evaluator = cls(eval_metric=EvalMetric(metric_name=name))
            result = evaluator.evaluate_invocations(actual, expected, scenario)
            if inspect.isawaitable(result):
                result = asyncio.run(_awaited(result))
            sent += judge.prompts
    finally:
        _VertexAiEvalFacade._perform_eval = kept
    scores = [[turn.score, turn.eval_status.name] for turn in result.per_invocation_results]
    return {"overall": [result.overall_score, result.overall_eval_status.name], "turns": scores, "sent": sent}


async def _awaited(result: Any) -> Any:
    return await result


def test_no_metric_sees_a_thought() -> None:
    planted, without = forked(walk, True, True), forked(walk, True, False)
    assert set(planted) >= {"hallucinations_v1", "final_response_match_v2", "safety_v1", "response_match_score"}
    assert {name: s for name, found in planted.items() if (s := [t for t in found["sent"] if SECRET in t])} == {}
    for name, found in planted.items():
        assert {**found, "sent": []} == {**without[name], "sent": []}, name


def test_the_walk_can_fail() -> None:
    planted = forked(walk, False, True)
    leaking = {name for name, found in planted.items() if any(SECRET in text for text in found["sent"])}
    assert leaking >= {
        "hallucinations_v1",
        "final_response_match_v2",
        "safety_v1",
        "rubric_based_final_response_quality_v1",
        "rubric_based_tool_use_quality_v1",
        "per_turn_user_simulator_quality_v1",
    }


def test_without_thoughts_nothing_changes() -> None:
    assert forked(walk, True, False) == forked(walk, False, False)
