"""Turns of an agent that agentevals cannot convert, above all those without a model call, are left out."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness, _strays

_CONVERTER = "agentevals.converter"
_GENAI_CONVERTER = "agentevals.genai_converter"


def _build_adk(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _convert_adk_trace(trace: Any) -> Any:
        result = original(trace)
        agents = module._find_adk_spans(trace, "invoke_agent")
        if not result.invocations or len(result.invocations) == len(agents):
            return result
        delegates = {id(span) for agent in agents for span in _strays.spans_below(agent)}
        for agent in agents:
            tools = module._find_children_by_op(agent, "execute_tool")
            if tools and id(agent) not in delegates and _fails(module._convert_invoke_span, agent):
                calls, outputs = module._extract_tool_trajectory([], tools)
                id_ = agent.get_tag("gcp.vertex.agent.invocation_id", agent.span_id)
                _add(result, id_, agent.start_time / 1_000_000, calls, outputs)
        return result

    return _convert_adk_trace


def _build_genai(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def convert_genai_trace(trace: Any) -> Any:
        result = original(trace)
        agents = module._find_genai_invocation_spans(trace) if result.invocations else []
        ids = {f"genai-{agent.span_id}" for agent in agents}
        # Where the messages of model calls tell the turns, agents are none, and no turn has the id of one.
        if not any(invocation.invocation_id in ids for invocation in result.invocations):
            return result
        for agent in agents:
            tools = module._find_tool_spans(agent)
            if tools and _fails(module._extract_single_turn, agent):
                calls, outputs = module._extract_tool_calls(tools)
                turn = module._ConversationTurn(f"genai-{agent.span_id}", "", "", calls, outputs)
                data = module._turn_to_invocation(turn).intermediate_data
                _add(result, turn.invocation_id, agent.start_time / 1_000_000, data.tool_uses, data.tool_responses)
        return result

    return convert_genai_trace


def _fails(convert: Callable[[Any], Any], span: Any) -> bool:
    try:
        convert(span)
    except Exception:
        return True
    return False


def _add(result: Any, id_: str, start: float, calls: Any, outputs: Any) -> None:
    """Adds a turn that says nothing, in the order of time."""
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.genai import types

    silent = Invocation(
        invocation_id=id_,
        user_content=types.Content(role="user", parts=[types.Part(text="")]),
        final_response=None,
        intermediate_data=IntermediateData(tool_uses=calls, tool_responses=outputs),
        creation_timestamp=start,
    )
    place = sum(1 for invocation in result.invocations if invocation.creation_timestamp <= start)
    result.invocations.insert(place, silent)


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run``; ``turns`` counts those that were judged or not; see `_harness.run`."""
    outcome = _harness.run(case)
    return {**outcome, "turns": len(outcome["metrics"]["hallucinations_v1"][2])}


def _turn(user: str, final: str | None, code: str, record: str = "both") -> dict[str, Any]:
    call = {"name": "lookup", "args": {"q": user}, "id": f"call-{code}", "output": {"code": code}, "record": record}
    return {"user": user, "final": final, "rounds": [[call]]}


_FIRST = _turn("First?", "It is over there.", "A-11")
_SILENT = _turn("Second?", None, "B-22", "span")
_THIRD = _turn("Third?", "It lies yonder.", "C-33")
_APART = {**_SILENT, "apart": True}
_UNFOUNDED = {**_FIRST, "final": "You owe 17 dollars."}
_GREEN: Outcome = {"score": 1.0, "status": "PASSED", "exit": 0}
_RED: Outcome = {"score": None, "status": "NOT_EVALUATED", "exit": 1, "metric_status": "NOT_EVALUATED", "reason": True}
_FAILED: Outcome = {"score": 0.0, "status": "FAILED", "exit": 1}


def _scenario(
    name: str, wrong: Outcome | None, right: Outcome, releases: str = "0.5.2..0.9.12", **case: Any
) -> Scenario:
    return Scenario(name, case, right, wrong, releases=releases)


FIX = Fix(
    id="agentevals-lost-turns",
    dist="agentevals-cli",
    title="a turn that stopped before its first model call was recorded is left out, and the rest passes",
    before="An agent's span with tools below it and no model call is no turn: a warning is logged, and the other turns "
    "pass alone. From 0.10.0 on it is a turn without an answer.",
    after="It is a turn without a final response, which cannot be judged: the result is not passed unless that could "
    "not change it.",
    requires=("agentevals-gate-unscored",),
    replacements=(
        Replacement(f"{_CONVERTER}:_convert_adk_trace", _build_adk, optional=True),
        Replacement(f"{_GENAI_CONVERTER}:convert_genai_trace", _build_genai, optional=True),
    ),
    evaluate=evaluate,
    loads=_harness.LOADS,
    scenarios=(
        _scenario("the last turn", _GREEN, _RED, turns=[_FIRST, _SILENT]),
        _scenario("the first turn", _GREEN, _RED, turns=[_SILENT, _FIRST]),
        _scenario("by the conventions", _GREEN, _RED, turns=[_FIRST, _SILENT], dialect="genai"),
        _scenario("as OTLP", _GREEN, _RED, turns=[_FIRST, _SILENT], form="otlp"),
        _scenario("decided all the same", _GREEN, {**_GREEN, "score": 2 / 3}, turns=[_FIRST, _SILENT, _THIRD]),
        _scenario(
            "where it changes nothing",
            {**_FAILED, "turns": 2},
            {**_FAILED, "turns": 3},
            "",
            turns=[_UNFOUNDED, _SILENT, {**_THIRD, "final": "You owe 23 dollars."}],
        ),
        _scenario("every turn says something", None, {**_GREEN, "turns": 2}, "", turns=[_FIRST, _THIRD]),
        *(
            _scenario(
                f"agents beside model calls, {dialect}",
                None,
                {**_GREEN, "turns": turns},
                turns=[_FIRST, _APART, _THIRD, _APART],
                dialect=dialect,
            )
            for dialect, turns in (("broadcast", 2), ("broadcast-object", 1))
        ),
        _scenario("a claim without evidence", None, {**_FAILED, "turns": 1}, "", turns=[_UNFOUNDED]),
    ),
    risks="Comparing metrics see one turn more, which a golden that was recorded without it lacks.",
)
