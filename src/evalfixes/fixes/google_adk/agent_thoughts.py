"""The agent's private thoughts are graded, and shown to judges as evidence."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.fixes.google_adk._content import (
    text_reader,
    visible_events,
    visible_invocation,
    visible_text,
    without_thoughts,
)

_PACKAGE = "google.adk.evaluation."
_HALLUCINATIONS = f"{_PACKAGE}hallucinations_v1:HallucinationsV1Evaluator"
_VERTEX = f"{_PACKAGE}vertex_ai_eval_facade:"


def _build_text(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # Invocations come back here for each of their contents, by upstream's own recursion.
    return text_reader(original, visible_text)


def _build_context(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _create_context_for_step(self: Any, app_details: Any, invocation: Any, events: Any) -> Any:
        return original(self, app_details, invocation, visible_events(events))

    return _create_context_for_step


def _build_steps(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _get_steps_to_evaluate(self: Any, actual: Any) -> Any:
        return original(self, visible_invocation(actual))

    return _get_steps_to_evaluate


def _build_dialogue(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _assemble_dialogue_history(self: Any, actual_invocations: Any) -> None:
        original(self, [visible_invocation(invocation) for invocation in actual_invocations])

    return _assemble_dialogue_history


def _build_vertex_text(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _get_text(self: Any, content: Any) -> Any:
        return original(self, without_thoughts(content))

    return _get_text


def _build_vertex_turn(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _map_invocation_turn(turn_index: int, invocation: Any) -> Any:
        return original(turn_index, visible_invocation(invocation))

    return _map_invocation_turn


def _build_table(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _convert_content_to_text(content: Any) -> Any:
        return original(without_thoughts(content))

    return _convert_content_to_text


_THOUGHT = {"thought": "It must be Paris."}
_SEEN = "It must be Paris."


def _match(*answer: Any, expected: Any = "Paris") -> dict[str, Any]:
    turns = [{"user": "Capital of France?", "answer": list(answer), "expected": expected}]
    script = {f"match:{_SEEN}": [_harness.verdict("valid")], "match": [_harness.verdict("invalid")]}
    return {"metric": "final_response_match_v2", "threshold": 0.8, "turns": turns, "judge": script}


_CLAIM = "Oslo is old."


def _hallucinations(turn: dict[str, Any], **criterion: Any) -> dict[str, Any]:
    """Its judge supports a claim if the thought stands in the context, and contradicts the thought itself."""
    both = _harness.blocks((_SEEN, "unsupported"), (_CLAIM, "supported"))
    return {
        "metric": "hallucinations_v1",
        "threshold": 0.8,
        "criterion": criterion,
        "turns": [turn],
        "judge": {
            f"validate:<sentence>{_SEEN}</sentence>\n<sentence>{_CLAIM}": [both],
            f"validate:<sentence>{_SEEN}": [_harness.blocks((_SEEN, "unsupported"))],
            f"validate:{_SEEN}": [_harness.blocks((_CLAIM, "supported"))],
            "validate:needs evidence": [_harness.blocks((_CLAIM, "unsupported"))],
            "validate": [_harness.blocks((_CLAIM, "supported"))],
        },
    }


def _rubric(metric: str, turn: dict[str, Any]) -> dict[str, Any]:
    text = "The answer names the city."
    return {
        "metric": metric,
        "threshold": 0.8,
        "criterion": {"rubrics": [{"id": "a", "text": text}]},
        "turns": [turn],
        "judge": {
            f"rubric:{_SEEN}": [_harness.rubric_verdicts(("a", text, "yes"))],
            "rubric": [_harness.rubric_verdicts(("a", text, "no"))],
        },
    }


_QUALITY = "rubric_based_final_response_quality_v1"
_TOOLS = "rubric_based_tool_use_quality_v1"
_MULTI = "rubric_based_multi_turn_trajectory_quality_v1"
_PASSED = {"score": 1.0, "status": "PASSED"}
_FAILED = {"score": 0.0, "status": "FAILED"}
_EVENT = {"author": "root", "content": [_THOUGHT]}
_STEPS = {"evaluate_intermediate_nl_responses": True}

FIX = Fix(
    id="adk-agent-thoughts",
    dist="google-adk",
    title="the agent's private thoughts are graded, and shown to judges as evidence",
    before="Parts marked as thought are joined with the answer, made into steps of their own, put into the context of "
    "hallucinations_v1 and the dialogue of the multi-turn rubric metric, and sent to Vertex: a wrong answer passes for "
    "the right thought, a claim is supported by the agent's own thought.",
    after="Answers, references, user turns, contexts and dialogues are read without thoughts, by all metrics.",
    replacements=(
        Replacement(f"{_PACKAGE}llm_as_judge_utils:get_text_from_content", _build_text),
        Replacement(f"{_HALLUCINATIONS}._create_context_for_step", _build_context, optional=True),
        Replacement(f"{_HALLUCINATIONS}._get_steps_to_evaluate", _build_steps, optional=True),
        Replacement(
            f"{_PACKAGE}rubric_based_multi_turn_trajectory_evaluator:"
            "RubricBasedMultiTurnTrajectoryEvaluator._assemble_dialogue_history",
            _build_dialogue,
            optional=True,
        ),
        Replacement(f"{_VERTEX}_VertexAiEvalFacade._get_text", _build_vertex_text),
        Replacement(f"{_VERTEX}_MultiTurnVertexiAiEvalFacade._map_invocation_turn", _build_vertex_turn, optional=True),
        Replacement(f"{_PACKAGE}agent_evaluator:AgentEvaluator._convert_content_to_text", _build_table),
    ),
    evaluate=_harness.evaluate,
    loads=(
        _PACKAGE + "final_response_match_v2",
        _PACKAGE + "hallucinations_v1",
        _PACKAGE + "rubric_based_final_response_quality_v1",
    ),
    requires=("adk-gate-unscored", "adk-unscored-invocations"),
    scenarios=(
        Scenario("wrong answer behind the right thought", _match(_THOUGHT, "London"), _FAILED, _PASSED),
        Scenario("nothing but the right thought", _match(_THOUGHT), _FAILED, _PASSED),
        Scenario("thought in the reference", _match("London", expected=[_THOUGHT, "Oslo"]), _FAILED, _PASSED),
        Scenario(
            "a thought is graded as a claim",
            _hallucinations({"answer": [_THOUGHT, _CLAIM]}),
            _PASSED,
            {"score": 0.5, "status": "FAILED"},
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "a thought is the only evidence",
            _hallucinations({"user": "needs evidence", "answer": _CLAIM, "events": [_EVENT]}),
            _FAILED,
            _PASSED,
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "a thought becomes a step",
            _hallucinations({"answer": _CLAIM, "events": [_EVENT]}, **_STEPS),
            _PASSED,
            {"score": 0.5, "status": "FAILED"},
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "rubric met by a thought",
            _rubric(_QUALITY, {"answer": [_THOUGHT, "Hello."]}),
            _FAILED,
            _PASSED,
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "rubric of tool use met by a thought in the user turn",
            _rubric(_TOOLS, {"user": [_THOUGHT, "q"], "answer": "Hello."}),
            _FAILED,
            _PASSED,
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "multi-turn rubric met by a thought on the way",
            _rubric(_MULTI, {"answer": "Hello.", "events": [_EVENT]}),
            _FAILED,
            _PASSED,
            releases="2.2.0..2.13.0",
        ),
        Scenario(
            "multi-turn rubric met by a thought in the answer",
            _rubric(_MULTI, {"answer": [_THOUGHT, "Hello."]}),
            _FAILED,
            _PASSED,
            releases="2.2.0..2.13.0",
        ),
        Scenario("control: the words were said", _match(_SEEN), _PASSED),
        Scenario("control: thought=False", _match({"text": _SEEN, "thought": False}), _PASSED),
        Scenario("control: no thought", _match("London"), _FAILED),
        Scenario("control: no answer", _match(), _FAILED),
        Scenario(
            "control: said on the way",
            _hallucinations({"answer": _CLAIM, "events": [{"author": "root", "content": [_SEEN]}]}, **_STEPS),
            {"score": 0.5, "status": "FAILED"},
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "control: multi-turn, said on the way",
            _rubric(_MULTI, {"answer": "Hello.", "events": [{"author": "root", "content": [_SEEN]}]}),
            _PASSED,
            releases="2.2.0..2.13.0",
        ),
    ),
    risks="Scores of agents that emit thoughts change in both directions; stored baselines may need an update.",
)
