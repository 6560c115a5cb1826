"""Tool outputs stand under another call, or are lost, where ids are missing or start anew per round."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness, _pairing
from evalfixes.fixes.agentevals._converter import build_trajectory
from evalfixes.fixes.agentevals._genai_converter import build_tool_calls
from evalfixes.verdicts.pairing import first_come, match_spans

_EXTRACT = "agentevals.genai.extract"
_OUTPUT_MESSAGES = "gen_ai.output.messages"
_BRIDGE = "agentevals.adk_bridge"
_METRICS = "agentevals.builtin_metrics"
_CONVERTER = "agentevals.converter"  # up to 0.9.12, where the three below do not exist yet


@dataclass
class _Cell:
    """While spans are completed from parts: ids that parts get for the time being, and what they were."""

    labels: dict[int, str]
    renamed: list[tuple[Any, str | None, str]]


_cell: ContextVar[_Cell | None] = ContextVar("evalfixes_agentevals_labels", default=None)


def _build_parts(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _tool_calls_from_parts(calls: list[Any], warnings: list[Any] | None = None) -> list[Any]:
        if warnings is not None:
            _pairing.forget(warnings)
        tools: list[Any] = original(calls, warnings)
        answers, shown = _pairing.read_rounds(calls, module.tool_calls_of, _outputs_of(module))
        if len(answers.of_call) != len(tools):
            return tools
        unpaired = [shown[number][place] for number, place in answers.unpaired]
        for tool, places in zip(tools, answers.of_call, strict=True):
            outputs = [shown[number][place] for number, place in places]
            tool.result = outputs[-1]["response"] if outputs else None
            unpaired += outputs[:-1]  # a call has one result: the last of several
        if warnings is not None:
            cell = _cell.get()
            if cell is None:
                _pairing.note(module, warnings, unpaired, tools)
                return tools
            for position, label in cell.labels.items():
                tool = tools[position]
                cell.renamed.append((tool, tool.call_id, tool.name))
                tool.call_id = tool.name = label
        return tools

    return _tool_calls_from_parts


def _outputs_of(module: ModuleType) -> Callable[[Any], list[dict[str, Any]]]:
    """Upstream's reader of outputs, and what a message of the role ``tool`` says in words."""

    def read(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        found = []
        for message in messages:
            outputs = module.tool_responses_of([message])
            said = module.text_of([message]) if message.get("role") == "tool" and not outputs else None
            if said is not None:
                id_ = message.get("tool_call_id") or message.get("id") or None
                outputs = [{"id": id_, "name": message.get("name"), "response": module._json_or_raw(said)}]
            found += outputs
        return found

    return read


def _build_spans(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # A tool's span may hold its result as a message, as those of Strands Agents do.
    def _tool_calls_from_spans(analysis: Any, chains: list[list[str]], warnings: list[Any]) -> list[Any]:
        tools: list[Any] = original(analysis, chains, warnings)
        for tool, chain in zip(tools, chains, strict=True):
            views = [analysis.info[span].view for span in chain]
            said = [entry for view in views for entry in module.tool_responses_of(view.messages(_OUTPUT_MESSAGES))]
            if tool.result is None and said:
                tool.result = said[-1]["response"]
        return tools

    return _tool_calls_from_spans


def _build_fill(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _fill_from_parts(span_tools: list[Any], calls: list[Any], warnings: list[Any]) -> list[Any]:
        parts = module._tool_calls_from_parts(calls)
        spans, held = _recorded(span_tools), _recorded(parts)
        matched = match_spans(spans, held)
        if matched == first_come(spans, held):
            tools = original(span_tools, calls, warnings)
        else:
            tools = _filled(original, span_tools, calls, warnings, matched)
        # Whatever the parts hold and no call has taken over, their leftovers among it, is kept.
        answers, shown = _pairing.read_rounds(calls, module.tool_calls_of, _outputs_of(module))
        places = [place for group in answers.of_call for place in group] + list(answers.unpaired)
        _pairing.note(module, warnings, [shown[number][place] for number, place in sorted(places)], tools)
        return list(tools)

    return _fill_from_parts


def _filled(
    original: Callable[..., Any], span_tools: list[Any], calls: list[Any], warnings: list[Any], matched: dict[int, int]
) -> list[Any]:
    """Lets upstream complete the spans, under ids and names for the time being that leave it no choice."""
    own = [(tool, tool.call_id, tool.name) for tool in span_tools]
    renamed: list[tuple[Any, str | None, str]] = []
    for number, tool in enumerate(span_tools):
        tool.call_id = tool.name = f"evalfixes:{matched[number]}" if number in matched else "evalfixes:none"
    cell = _Cell({part: f"evalfixes:{part}" for part in matched.values()}, renamed)
    token = _cell.set(cell)
    try:
        return list(original(span_tools, calls, warnings))
    finally:
        _cell.reset(token)
        for tool, id_, name in own + renamed:
            tool.call_id, tool.name = id_, name


def _recorded(tools: Sequence[Any]) -> list[tuple[str | None, str, str | None]]:
    return [(tool.call_id, tool.name, _key(tool.arguments)) for tool in tools]


def _key(value: Any) -> str | None:
    return None if value in (None, "", {}, []) else _pairing.content_key(value)


def _build_bridge(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def to_adk_invocation(turn: Any) -> Any:
        owners = [position for position, tool in enumerate(turn.tool_calls) if tool.result is not None]
        unpaired = _pairing.missing(_pairing.unpaired_in(turn.warnings), turn.tool_calls)
        return _pairing.keep_pairs(original(turn), owners, unpaired)

    return to_adk_invocation


def _build_adapter(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _to_invocation_events(inv: Any) -> Any:
        return _pairing.to_events(inv)

    return _to_invocation_events


def placement(context: str) -> dict[str, list[str]]:
    """Under which call of a judge's context each output stands: the readings per city, `?` for none."""
    out: dict[str, list[str]] = {}
    city = "?"
    for line in re.findall(r'"(city|temp|id)": "([^"]*)"', context):
        key, value = line
        if key == "id" and value.startswith("unpaired"):
            city = "?"
        elif key == "city" and not value.startswith("at "):
            city = value
            out.setdefault(city, [])
        elif key == "temp":
            out.setdefault(city, []).append(value)
    return out


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run``; ``placed`` says under which call the judge saw which output."""
    outcome = _harness.run(case)
    contexts = _harness.contexts()
    return {**outcome, "placed": [placement(context) for context in contexts]}


def _call(city: str, id_: str | None, reading: str | None = None, record: str = "span") -> dict[str, Any]:
    call: dict[str, Any] = {"name": "weather", "args": {"city": city}, "id": id_, "record": record}
    if reading is not None:
        call["output"] = {"temp": reading}
    return call


def _turn(final: str, *rounds: list[dict[str, Any]]) -> dict[str, Any]:
    return {"user": "Weather in Oslo and Rome?", "final": final, "rounds": list(rounds)}


_BOTH = "Oslo reads T-101. Rome reads T-202."
_STOLEN: Outcome = {"placed": [{"Oslo": ["T-202"], "Rome": []}]}
_RIGHT: Outcome = {"placed": [{"Oslo": [], "Rome": ["T-202"]}], "exit": 0}
_LOST: Outcome = {"placed": [{"Oslo": [], "Rome": []}], "score": 0.0}
_FULL: Outcome = {"placed": [{"Oslo": ["T-101"], "Rome": ["T-202"]}], "score": 1.0, "exit": 0}


def _first_unanswered(first: str | None, second: str | None, record: str = "span") -> dict[str, Any]:
    return _turn("Rome reads T-202.", [_call("Oslo", first, None, record), _call("Rome", second, "T-202", record)])


def _two_rounds(first: str | None, second: str | None) -> dict[str, Any]:
    return _turn(_BOTH, [_call("Oslo", first, "T-101", "parts")], [_call("Rome", second, "T-202", "parts")])


def _scenario(
    name: str, turn: dict[str, Any], wrong: Outcome | None, right: Outcome, releases: str = "", **case: Any
) -> Scenario:
    return Scenario(name, {"turns": [turn], **case}, right, wrong, releases=releases)


_CONVERTED = "0.9.12..0.9.12"
_SINCE_TURNS = "0.10.0..0.11.0"

FIX = Fix(
    id="agentevals-tool-pairing",
    dist="agentevals-cli",
    title="a tool output is put under another call, or lost, where ids are missing or repeat",
    before="The second call's output is shown to the judge under the first call if that has none of its own and ids "
    "are missing or equal; where ids start anew in every round of tool calls, the later rounds' outputs are lost.",
    after="Outputs stand under the call that the trace gives them to. Those that it gives to none, or to one of "
    "several that cannot be told apart, are kept behind the calls and marked as unpaired.",
    replacements=(
        Replacement(f"{_METRICS}:_to_invocation_events", _build_adapter, calls_original=False),
        Replacement(f"{_CONVERTER}:_extract_tool_trajectory", build_trajectory, optional=True),
        Replacement("agentevals.genai_converter:_extract_tool_calls", build_tool_calls, optional=True),
        Replacement(f"{_BRIDGE}:to_adk_invocation", _build_bridge, optional=True),
        Replacement(f"{_EXTRACT}:_tool_calls_from_parts", _build_parts, optional=True),
        Replacement(f"{_EXTRACT}:_tool_calls_from_spans", _build_spans, optional=True),
        Replacement(f"{_EXTRACT}:_fill_from_parts", _build_fill, optional=True),
    ),
    evaluate=evaluate,
    loads=(*_harness.LOADS, _METRICS),
    scenarios=(
        _scenario("no ids", _first_unanswered(None, None), _STOLEN, _RIGHT, _SINCE_TURNS),
        _scenario("only the first has an id", _first_unanswered("c1", None), _STOLEN, _RIGHT, _SINCE_TURNS),
        _scenario("equal ids", _first_unanswered("c1", "c1"), _STOLEN, _RIGHT, _SINCE_TURNS),
        _scenario("equal ids, in 0.9.12", _first_unanswered("c1", "c1"), _STOLEN, _RIGHT, _CONVERTED),
        _scenario(
            "calls and outputs in messages only, in 0.9.12", _two_rounds("call_0", "call_0"), _LOST, _FULL, _CONVERTED
        ),
        _scenario("no ids, as OTLP", _first_unanswered(None, None), _STOLEN, _RIGHT, _SINCE_TURNS, form="otlp"),
        _scenario(
            "ids start anew per round",
            _two_rounds("call_0", "call_0"),
            {"placed": [{"Oslo": ["T-101"], "Rome": []}], "score": 0.5},
            _FULL,
            _SINCE_TURNS,
        ),
        _scenario(
            "ids start anew per round, by the conventions",
            _two_rounds("call_0", "call_0"),
            {"placed": [{"Oslo": ["T-101"], "Rome": []}], "score": 0.5},
            _FULL,
            _SINCE_TURNS,
            dialect="genai",
        ),
        _scenario("distinct ids", _first_unanswered("c1", "c2"), None, _RIGHT, _SINCE_TURNS),
        _scenario("distinct ids per round", _two_rounds("call_0", "call_1"), None, _FULL, _SINCE_TURNS),
        _scenario(
            "all answered, no ids",
            _turn(_BOTH, [_call("Oslo", None, "T-101"), _call("Rome", None, "T-202")]),
            None,
            _FULL,
            _SINCE_TURNS,
        ),
        _scenario(
            "claim without evidence",
            _turn("It reads T-909.", [_call("Oslo", "c1", "T-101")]),
            None,
            {"score": 0.0, "exit": 1},
        ),
    ),
    risks="Calls that the trace does not tell apart get ids of ours in what the judge sees.",
)
