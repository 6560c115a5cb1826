"""Tool outputs that a trace holds outside of its turns' spans never reach the judge."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness, _strays
from evalfixes.fixes.agentevals._like import Arguments, like

_EXTRACT = "agentevals.genai.extract"
_CONVERTER = "agentevals.converter"  # these two up to 0.9.12
_GENAI_CONVERTER = "agentevals.genai_converter"
_TOOL_NAME = "gen_ai.tool.name"


def _build_adk(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _convert_adk_trace(trace: Any) -> Any:
        result = original(trace)
        if result.invocations:
            agents = module._find_adk_spans(trace, "invoke_agent")
            tools = _strays.outside(
                trace.all_spans, agents, lambda span: span.operation_name.startswith("execute_tool")
            )
            read = [(span, *module._extract_from_tool_span(span)) for span in tools]
            _strays.give(result, [_output(span, call, output) for span, call, output in read if output])
        return result

    return _convert_adk_trace


def _build_genai(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def convert_genai_trace(trace: Any) -> Any:
        result = original(trace)
        if result.invocations:
            # Turns that are told by messages alone own no spans at all.
            told = result.invocations[0].invocation_id.startswith("genai-turn-")
            agents = [] if told else module._find_genai_invocation_spans(trace)
            tools = _strays.outside(trace.all_spans, agents, lambda span: span.get_tag(_TOOL_NAME) is not None)
            read = [(span, *module._extract_tool_calls([span])) for span in tools]
            _strays.give(result, [_output(span, calls[0], one) for span, calls, found in read for one in found])
        return result

    return convert_genai_trace


def _output(span: Any, call: Any, output: Any) -> _strays.Output:
    at = span.start_time / 1_000_000
    return {"id": output.id, "name": output.name, "args": call.args, "response": output.response, "at": at}


def _build_told(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _extract_multiturn_turns(llm_spans: list[Any]) -> Any:
        turns = original(llm_spans)
        if turns:
            _strays.give_broadcast(module, turns, llm_spans[0])
        return turns

    return _extract_multiturn_turns


def _build_conversation(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def conversation_from_turns(arguments: Arguments) -> Any:
        arguments["traces"] = traces = list(arguments["traces"])
        conversation = original(**arguments)
        if not conversation.turns:
            return conversation
        tools = [tool for trace in traces for tool in _outside_of_turns(module, trace)]
        return _strays.give_turns(module, conversation, tools) if tools else conversation

    return like(original, conversation_from_turns)


def _outside_of_turns(module: ModuleType, trace: Any) -> list[Any]:
    analysis = module.analyze(trace)
    owned = {span for anchor in analysis.anchors for span in analysis.members[anchor]}
    outside = [
        span.span_id
        for span in trace.walk()
        if analysis.info[span.span_id].kind == module.TOOL and span.span_id not in owned
    ]
    tools: list[Any] = []
    if outside:
        tools = module._tool_calls_from_spans(analysis, module._tool_chains(analysis, outside), [])
    return tools


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run -m hallucinations_v1`` on a trace; see `_harness.run` and `_traces.document`."""
    return _harness.run(case)


def _call(city: str, id_: str | None, reading: str, record: str = "span", **more: Any) -> dict[str, Any]:
    output = {"temp": reading}
    return {"name": "weather", "args": {"city": city}, "id": id_, "output": output, "record": record, **more}


def _turn(final: str, *calls: dict[str, Any], user: str = "Weather?") -> dict[str, Any]:
    return {"user": user, "final": final, "rounds": [list(calls)]}


_OSLO = _turn("Oslo reads T-101.", _call("Oslo", "c1", "T-101"))
_OSLO_STRAY = _turn("Oslo reads T-101.", _call("Oslo", "c1", "T-101", stray=True))
_ROME_STRAY = _turn("Rome reads T-202.", _call("Rome", "c2", "T-202", stray=True), user="And in Rome?")
_ANSWERED_ELSEWHERE = [
    _turn("Oslo reads T-101.", _call("Oslo", "c1", "T-101"), _call("Rome", "c2", "T-202", stray=True)),
    _turn("Rome reads T-303.", _call("Rome", "c3", "T-303"), user="And now?"),
]


def _told(record: str) -> list[dict[str, Any]]:
    return [
        _turn("Oslo reads T-101.", _call("Oslo", "c1", "T-101", record)),
        _turn("Rome reads T-202.", _call("Rome", "c2", "T-202", record), user="And in Rome?"),
    ]


def _scenario(
    name: str, turns: list[Any], right: float, wrong: float | None, releases: str = "", **case: Any
) -> Scenario:
    def outcome(score: float) -> Outcome:
        passed = score >= 0.5
        return {"score": score, "status": "PASSED" if passed else "FAILED", "exit": 0 if passed else 1}

    before = None if wrong is None else outcome(wrong)
    return Scenario(name, {"turns": turns, **case}, outcome(right), before, releases=releases)


_BY_MESSAGES = "0.5.2..0.9.12"

FIX = Fix(
    id="agentevals-stray-tool-outputs",
    dist="agentevals-cli",
    title="tool outputs outside of a turn's own spans never reach the judge",
    before="A tool's span that is not below an agent's or a model's, as where a thread or a process lost the context, "
    "belongs to no turn: what the tool returned is lost. Up to 0.9.12 so is every output of a conversation that is "
    "told by the messages of its model calls.",
    after="The output goes to the turn with the call that it answers, else to the last turn that had begun. It stands "
    "in the judge's context: with its call where id, name and arguments tell which, else marked as unpaired.",
    requires=("agentevals-hallucinations-tool-evidence", "agentevals-tool-pairing"),
    replacements=(
        Replacement(f"{_EXTRACT}:conversation_from_turns", _build_conversation, optional=True),
        Replacement(f"{_CONVERTER}:_convert_adk_trace", _build_adk, optional=True),
        Replacement(f"{_GENAI_CONVERTER}:convert_genai_trace", _build_genai, optional=True),
        Replacement(f"{_GENAI_CONVERTER}:_extract_multiturn_turns", _build_told, optional=True),
    ),
    evaluate=evaluate,
    loads=_harness.LOADS,
    scenarios=(
        _scenario("a span without a parent", [_OSLO_STRAY], 1.0, 0.0),
        _scenario("a span without a parent, as OTLP", [_OSLO_STRAY], 1.0, 0.0, form="otlp"),
        _scenario("a span without a parent, by the conventions", [_OSLO_STRAY], 1.0, 0.0, dialect="genai"),
        _scenario("in the later turn", [_OSLO_STRAY, _ROME_STRAY], 1.0, 0.0),
        _scenario("in the later turn, by the conventions", [_OSLO_STRAY, _ROME_STRAY], 1.0, 0.0, dialect="genai"),
        _scenario("messages tell the turns", _told("parts"), 1.0, 0.0, _BY_MESSAGES, dialect="broadcast"),
        _scenario("messages and spans", _told("both"), 1.0, 0.0, _BY_MESSAGES, dialect="broadcast"),
        _scenario("within the agent's span", [_OSLO], 1.0, None, "0.9.12..0.11.0"),
        _scenario("another turn's evidence", _ANSWERED_ELSEWHERE, 1.0, None, "0.9.12..0.11.0"),
        _scenario("claim without evidence", [{**_OSLO_STRAY, "final": "It reads T-909."}], 0.0, None),
    ),
    risks="A turn may be shown an output that began while it ran and is not its own.",
)
