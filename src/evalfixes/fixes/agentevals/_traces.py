"""Writes small traces of an agent's turns, in the formats that `agentevals run` reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_START_US = 1_770_000_000_000_000
_TURN_US = 10_000_000


def document(turns: Sequence[Mapping[str, Any]], form: str = "jaeger", dialect: str = "adk") -> dict[str, Any]:
    """One trace of a conversation.

    Args:
        turns: Tables with ``user``, ``final`` (None: the turn ends without an answer) and ``rounds``:
            per model call that asks for tools the list of its calls. A call has ``name``, ``args``,
            ``id`` (may be None), ``output`` (left out: none was recorded), ``span_id`` (if the tool's
            span has another id than the call), ``record``: ``both``, ``span`` or ``parts``, which
            says where call and output stand, and ``stray`` (the tool's span has no parent). With ``apart``
            a turn of ``broadcast`` is an agent's span with tools, of which the messages do not tell.
        form: ``jaeger`` or ``otlp``.
        dialect: ``adk`` (attributes of google-adk's own instrumentation), ``genai`` (those of the
            OpenTelemetry conventions), ``broadcast`` (the same, as agentevals' own stream writes them
            up to 0.9.12: model calls alone, each with the messages of the whole conversation) or
            ``broadcast-object`` (where the first one's output is an object instead of a list).
    """
    spans = _broadcast(turns, dialect) if dialect.startswith("broadcast") else _spans(turns, dialect)
    return _jaeger(spans) if form == "jaeger" else _otlp(spans)


def golden(turns: Sequence[Mapping[str, Any]], case_id: str = "case") -> dict[str, Any]:
    """An eval set with one case that expects the given turns (``user``, ``final`` and ``rounds``)."""
    conversation = []
    for number, turn in enumerate(turns):
        calls = [call for calls in turn.get("rounds", ()) for call in calls]
        entry: dict[str, Any] = {
            "invocation_id": f"expected-{number}",
            "user_content": {"role": "user", "parts": [{"text": turn["user"]}]},
            "intermediate_data": {
                "tool_uses": [{"name": call["name"], "args": call.get("args", {})} for call in calls],
                "tool_responses": [],
            },
        }
        if turn.get("final") is not None:
            entry["final_response"] = {"role": "model", "parts": [{"text": turn["final"]}]}
        conversation.append(entry)
    return {"eval_set_id": "set", "eval_cases": [{"eval_id": case_id, "conversation": conversation}]}


def _hex(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def _recorder(turns: Sequence[Mapping[str, Any]], dialect: str) -> tuple[list[dict[str, Any]], Callable[..., str]]:
    """The spans of a trace, and a function that adds one and returns its id."""
    trace_id = _hex(json.dumps([list(turns), dialect], sort_keys=True, default=str), 32)
    spans: list[dict[str, Any]] = []

    def span(name: str, parent: str | None, start: int, duration: int, attributes: Mapping[str, Any]) -> str:
        span_id = _hex(f"{trace_id}/{len(spans)}", 16)
        spans.append(
            {
                "trace": trace_id,
                "id": span_id,
                "parent": parent,
                "name": name,
                "start": start,
                "duration": duration,
                "attributes": {key: value for key, value in attributes.items() if value is not None},
            }
        )
        return span_id

    return spans, span


def _broadcast(turns: Sequence[Mapping[str, Any]], dialect: str) -> list[dict[str, Any]]:
    spans, span = _recorder(turns, dialect)
    heard: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    starts = []
    for number, turn in enumerate(turns):
        at = _START_US + number * _TURN_US
        if turn.get("apart"):
            agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "demo"}
            parent = span("invoke_agent demo", None, at, 4_900_000, agent)
            for place, call in enumerate(call for calls in turn["rounds"] for call in calls):
                span(f"execute_tool {call['name']}", parent, at + place * 1000, 500, _tool_attributes("genai", call))
            continue
        heard.append({"text": turn["user"]})
        for calls in turn.get("rounds", ()):
            said += [{"call": call} for call in calls if call.get("record", "both") != "span"]
            for place, call in enumerate(calls):
                recorded = call.get("record", "both")
                if recorded != "parts":
                    span(
                        f"execute_tool {call['name']}", None, at + 200_000 + place, 500, _tool_attributes("genai", call)
                    )
                if recorded != "span":
                    heard.append({"call": call})
                if recorded != "span" and "output" in call:
                    heard.append({"output": call})
            starts.append(at)
            at += 1_000_000
        if turn.get("final") is not None:
            said.append({"text": turn["final"]})
            starts.append(at)
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps([_message(entry, "user") for entry in heard]),
        "gen_ai.output.messages": json.dumps([_message(entry, "assistant") for entry in said]),
    }
    for place, at in enumerate(starts):
        odd = {"gen_ai.output.messages": "{}"} if dialect == "broadcast-object" and not place else {}
        span("chat m", None, at, 100_000, {**attributes, **odd})
    return spans


def _spans(turns: Sequence[Mapping[str, Any]], dialect: str) -> list[dict[str, Any]]:
    spans, span = _recorder(turns, dialect)
    root = None
    for number, turn in enumerate(turns):
        at = _START_US + number * _TURN_US
        agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "demo"}
        if dialect == "adk":
            root = span("invocation", None, at, 5_000_000, {"gen_ai.system": "gcp.vertex.agent"})
            agent["gen_ai.system"] = "gcp.vertex.agent"
        parent = span("invoke_agent demo", root if dialect == "adk" else None, at + 1, 4_900_000, agent)
        history: list[dict[str, Any]] = [{"text": turn["user"]}]
        at += 1000
        for calls in turn.get("rounds", ()):
            asked = [{"call": call} for call in calls if call.get("record", "both") != "span"]
            if asked:
                span(*_model_call(dialect, parent, at, history, asked, number))
                history += asked
            for place, call in enumerate(calls):
                if call.get("record", "both") != "parts":
                    start = at + 200_000 + place * 1000
                    above = None if call.get("stray") else parent
                    span(f"execute_tool {call['name']}", above, start, 500, _tool_attributes(dialect, call))
                if call.get("record", "both") != "span" and "output" in call:
                    history.append({"output": call})
            at += 1_000_000
        if turn.get("final") is not None:
            span(*_model_call(dialect, parent, at, history, [{"text": turn["final"]}], number))
    return spans


def _tool_attributes(dialect: str, call: Mapping[str, Any]) -> dict[str, Any]:
    names = (
        ("gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response")
        if dialect == "adk"
        else ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
    )
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.system": "gcp.vertex.agent" if dialect == "adk" else None,
        "gen_ai.tool.name": call["name"],
        "gen_ai.tool.call.id": call.get("span_id", call.get("id")),
        names[0]: json.dumps(call.get("args", {})),
        names[1]: json.dumps(call["output"]) if "output" in call else None,
    }


def _model_call(
    dialect: str,
    parent: str,
    start: int,
    history: Sequence[Mapping[str, Any]],
    said: Sequence[Mapping[str, Any]],
    number: int,
) -> tuple[str, str, int, int, dict[str, Any]]:
    if dialect == "adk":
        contents = [_google_content(entry) for entry in history]
        answer = {"role": "model", "parts": [_google_content(entry)["parts"][0] for entry in said]}
        attributes = {
            "gen_ai.system": "gcp.vertex.agent",
            "gen_ai.request.model": "m",
            "gcp.vertex.agent.invocation_id": f"e-{number}",
            "gcp.vertex.agent.llm_request": json.dumps({"model": "m", "config": {}, "contents": contents}),
            "gcp.vertex.agent.llm_response": json.dumps({"content": answer, "finish_reason": "STOP"}),
        }
        return "call_llm", parent, start, 100_000, attributes
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps([_message(entry, "user") for entry in history]),
        "gen_ai.output.messages": json.dumps(
            [{"role": "assistant", "parts": [_message(entry, "assistant")["parts"][0] for entry in said]}]
        ),
    }
    return "chat m", parent, start, 100_000, attributes


def _google_content(entry: Mapping[str, Any]) -> dict[str, Any]:
    if "call" in entry:
        call = entry["call"]
        part = {"function_call": {**_id(call), "name": call["name"], "args": call.get("args", {})}}
        return {"role": "model", "parts": [part]}
    if "output" in entry:
        call = entry["output"]
        part = {"function_response": {**_id(call), "name": call["name"], "response": call["output"]}}
        return {"role": "user", "parts": [part]}
    return {"role": "user", "parts": [{"text": entry["text"]}]}


def _message(entry: Mapping[str, Any], role: str) -> dict[str, Any]:
    if "call" in entry:
        call = entry["call"]
        part = {"type": "tool_call", **_id(call), "name": call["name"], "arguments": call.get("args", {})}
        return {"role": "assistant", "parts": [part]}
    if "output" in entry:
        call = entry["output"]
        part = {"type": "tool_call_response", **_id(call), "name": call["name"], "response": call["output"]}
        return {"role": "tool", "parts": [part]}
    return {"role": role, "parts": [{"type": "text", "content": entry["text"]}]}


def _id(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": call["id"]} if call.get("id") else {}


def _scope(span: Mapping[str, Any]) -> str:
    return "gcp.vertex.agent" if span["attributes"].get("gen_ai.system") == "gcp.vertex.agent" else "demo"


def _jaeger(spans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    out = []
    for span in spans:
        tags = {"otel.scope.name": _scope(span), **span["attributes"]}
        reference = {"refType": "CHILD_OF", "traceID": span["trace"], "spanID": span["parent"]}
        out.append(
            {
                "traceID": span["trace"],
                "spanID": span["id"],
                "operationName": span["name"],
                "references": [reference] if span["parent"] else [],
                "startTime": span["start"],
                "duration": span["duration"],
                "tags": [{"key": key, "type": "string", "value": value} for key, value in tags.items()],
                "logs": [],
                "processID": "p1",
            }
        )
    processes = {"p1": {"serviceName": "demo", "tags": []}}
    return {"data": [{"traceID": out[0]["traceID"] if out else "", "spans": out, "processes": processes}]}


def _otlp(spans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def attributes(table: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in table.items()]

    by_scope: dict[str, list[dict[str, Any]]] = {}
    for span in spans:
        by_scope.setdefault(_scope(span), []).append(
            {
                "traceId": span["trace"],
                "spanId": span["id"],
                "parentSpanId": span["parent"] or "",
                "name": span["name"],
                "kind": 1,
                "startTimeUnixNano": str(span["start"] * 1000),
                "endTimeUnixNano": str((span["start"] + span["duration"]) * 1000),
                "attributes": attributes(span["attributes"]),
                "status": {},
            }
        )
    scopes = [{"scope": {"name": name}, "spans": members} for name, members in by_scope.items()]
    resource = {"attributes": attributes({"service.name": "demo"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]}
