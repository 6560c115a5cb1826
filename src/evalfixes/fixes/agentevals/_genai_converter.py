"""Outputs that the converter for OpenTelemetry's conventions, in agentevals up to 0.9.12, leaves behind.

It takes outputs from the tools' spans only: those that stand in messages alone are lost. And it takes
calls of one id for one call.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from evalfixes.fixes.agentevals import _pairing

_Table = dict[str, Any]


def build_tool_calls(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    """A replacement of ``agentevals.genai_converter:_extract_tool_calls`` that keeps every output."""

    def _extract_tool_calls(tool_spans: list[Any], llm_spans: list[Any] | None = None) -> Any:
        calls, _ = original(tool_spans, llm_spans)
        of_spans = [(made[0], output) for made, output in (original([span]) for span in tool_spans) if made]
        asked = _asked(module, llm_spans or ())
        flat = [entry for entries in asked for entry in entries]
        calls = _told_apart(calls, [call for call, _ in of_spans], flat, module)
        owners, outputs = _by_span(of_spans, calls)
        recorded = [
            SimpleNamespace(input_messages=messages_of(span, module.OTEL_GENAI_INPUT_MESSAGES), output_messages=entries)
            for span, entries in zip(llm_spans or (), asked, strict=True)
        ]
        answers, found = _pairing.read_rounds(recorded, lambda messages: _calls(module, messages), outputs_of)
        unpaired = [found[number][place] for number, place in answers.unpaired]
        for place, places in zip(_places(calls, of_spans, flat), answers.of_call, strict=True):
            entries = [found[number][position] for number, position in places]
            if entries and place is not None and place not in owners:
                last = entries.pop()
                outputs.append(
                    module._ToolResponse(calls[place].name, _pairing.as_table(last["response"]), calls[place].id)
                )
                owners.append(place)
            unpaired += entries
        order = sorted(range(len(owners)), key=owners.__getitem__)
        return _pairing.kept_pairs(
            calls,
            [outputs[i] for i in order],
            [owners[i] for i in order],
            _pairing.absent(unpaired, [output.response for output in outputs]),
            module._ToolResponse,
        )

    return _extract_tool_calls


def _told_apart(calls: list[Any], of_spans: Sequence[Any], asked: Sequence[_Table], module: ModuleType) -> list[Any]:
    """The calls, with those that upstream has merged because of equal ids put back."""
    groups: dict[str, list[Any]] = {}
    for call in of_spans:
        groups.setdefault(call.id, []).append(call)
    if not of_spans:
        for entry in asked:
            made = module._ToolCall(entry["name"], entry["arguments"], entry["id"])
            groups.setdefault(entry["id"], []).append(made)
    out = []
    for call in calls:
        group = groups.get(call.id, ()) if call.id else ()
        out += group if len(group) > 1 else [call]
    return out


def _by_span(of_spans: Sequence[tuple[Any, Sequence[Any]]], calls: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """The outputs of the tools' spans, each with the place of its span's call."""
    owners: list[int] = []
    outputs: list[Any] = []
    for place, (_, output) in zip(_of_spans(of_spans, calls), of_spans, strict=True):
        for one in output:
            owners.append(place)
            outputs.append(one)
    return owners, outputs


def _of_spans(of_spans: Sequence[tuple[Any, Any]], calls: Sequence[Any]) -> list[int]:
    """The place of each span's call: those with an id come first, by id and in order; then the others."""
    seen: Counter[str | None] = Counter()
    out = []
    for call, _ in of_spans:
        same = [place for place, other in enumerate(calls) if (other.id or None) == (call.id or None)]
        out.append(same[min(seen[call.id or None], len(same) - 1)])
        seen[call.id or None] += 1
    return out


def _places(calls: Sequence[Any], of_spans: Sequence[Any], asked: Sequence[_Table]) -> list[int | None]:
    """The place of each call that a model asked for; None where several of one id are one place."""
    ids = Counter(entry["id"] for entry in asked)
    nameless = [place for place, call in enumerate(calls) if not call.id]
    nameless = nameless[sum(1 for call, _ in of_spans if not call.id) :]
    seen: Counter[str | None] = Counter()
    out: list[int | None] = []
    for entry in asked:
        same = nameless if not entry["id"] else [p for p, call in enumerate(calls) if call.id == entry["id"]]
        wanted = ids[entry["id"]]
        out.append(same[seen[entry["id"]]] if len(same) == wanted else None)
        seen[entry["id"]] += 1
    return out


def _asked(module: ModuleType, spans: Sequence[Any]) -> list[list[_Table]]:
    """The calls in each model call's output, each once: an output may repeat those before it."""
    seen = set()
    found = []
    for span in spans:
        entries = []
        for message in module._trim_cumulative_output(span, messages_of(span, module.OTEL_GENAI_OUTPUT_MESSAGES)):
            if message.get("role") not in module.ASSISTANT_ROLES:
                continue
            for call in module.extract_tool_calls_from_message(message):
                key = (call["id"], call["name"], _pairing.content_key(call["arguments"]))
                if not (call["id"] and key in seen):
                    seen.add(key)
                    entries.append({**call, "id": call["id"] or None})
        found.append(entries)
    return found


def _calls(module: ModuleType, messages: Sequence[_Table]) -> list[_Table]:
    """The calls in messages; those that `_asked` has read stand for themselves."""
    out: list[_Table] = []
    for message in messages:
        out += [message] if "arguments" in message else module.extract_tool_calls_from_message(message)
    return out


def messages_of(span: Any, key: str) -> list[_Table]:
    raw = span.get_tag(key)
    try:
        value = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        return []
    return [message for message in value if isinstance(message, dict)] if isinstance(value, list) else []


def outputs_of(messages: Sequence[_Table]) -> list[_Table]:
    """The tool outputs in messages: parts of the conventions, or OpenAI's messages of the role ``tool``."""
    out = []
    for message in messages:
        parts = message.get("parts")
        responses = [
            {"id": part.get("id") or None, "name": part.get("name"), "response": _value(_said(part))}
            for part in (parts if isinstance(parts, list) else ())
            if isinstance(part, dict) and part.get("type") == "tool_call_response"
        ]
        if not responses and message.get("role") == "tool" and message.get("content") is not None:
            id_ = message.get("tool_call_id") or message.get("id")
            responses = [{"id": id_ or None, "name": message.get("name"), "response": _value(message["content"])}]
        out += [response for response in responses if response["response"] is not None]
    return out


def _said(part: _Table) -> Any:
    return next((part[key] for key in ("response", "result", "content") if part.get(key) is not None), None)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            return value
        return value if parsed is None else parsed
    return value
