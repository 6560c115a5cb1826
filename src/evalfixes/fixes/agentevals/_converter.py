"""What the converter of agentevals up to 0.9.12 leaves behind: whose output is whose, and outputs in messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from evalfixes.fixes.agentevals import _pairing


def build_trajectory(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    """A replacement of ``agentevals.converter:_extract_tool_trajectory`` that loses neither."""

    def _extract_tool_trajectory(call_llm_spans: list[Any], tool_spans: list[Any]) -> Any:
        calls, outputs = original(call_llm_spans, tool_spans)
        recorded = _recorded(module, call_llm_spans)
        answers, shown = _pairing.read_rounds(recorded, _calls_of, _outputs_of)

        def entry(place: tuple[int, int]) -> dict[str, Any]:
            found: dict[str, Any] = shown[place[0]][place[1]]
            return found

        if not tool_spans and len(answers.of_call) == len(calls):
            owners = [i for i, places in enumerate(answers.of_call) if places]
            results = [entry(answers.of_call[i][-1]) for i in owners]
            unpaired = [entry(p) for p in answers.unpaired] + [entry(p) for of in answers.of_call for p in of[:-1]]
            responses = [
                _response(result, calls[i].id, calls[i].name) for result, i in zip(results, owners, strict=True)
            ]
            return _pairing.kept_pairs(calls, responses, owners, unpaired)
        # Each span holds its own output: count them again to know whose is whose.
        pairs = [module._extract_from_tool_span(span) for span in tool_spans]
        owners = [i for i, (_, output) in enumerate(p for p in pairs if p[0]) if output]
        have = {_pairing.content_key(output.response) for output in outputs}
        places = sorted([p for of in answers.of_call for p in of] + list(answers.unpaired))
        unpaired = []
        for found in map(entry, places):
            key = _pairing.content_key(_pairing.as_table(found["response"]))
            if key not in have:
                have.add(key)
                unpaired.append(found)
        open_calls = [i for i in range(len(calls)) if i not in owners]
        if len(calls) != len([p for p in pairs if p[0]]):
            return _pairing.kept_pairs(calls, outputs, [], unpaired)
        outputs, owners, unpaired = _complete(calls, outputs, owners, open_calls, unpaired)
        return _pairing.kept_pairs(calls, outputs, owners, unpaired)

    return _extract_tool_trajectory


def _complete(
    calls: Sequence[Any], outputs: Sequence[Any], owners: Sequence[int], open_calls: list[int], found: list[Any]
) -> tuple[list[Any], list[int], list[Any]]:
    """Gives outputs from messages to the spans without one whose id, theirs alone, they bear."""
    ids = [call.id for call in calls]
    by_call = dict(zip(owners, outputs, strict=True))
    left = []
    for entry in found:
        fitting = [i for i in open_calls if entry["id"] and ids[i] == entry["id"] and ids.count(entry["id"]) == 1]
        if fitting and fitting[0] not in by_call:
            by_call[fitting[0]] = _response(entry, ids[fitting[0]], calls[fitting[0]].name)
        else:
            left.append(entry)
    return [by_call[i] for i in sorted(by_call)], sorted(by_call), left


def _response(entry: dict[str, Any], id_: str | None, name: str | None) -> Any:
    from google.genai import types

    return types.FunctionResponse(id=id_, name=name, response=_pairing.as_table(entry["response"]))


def _recorded(module: ModuleType, spans: Sequence[Any]) -> list[Any]:
    """The model calls of a turn, with their messages as google-adk records them."""
    out = []
    for span in spans:
        request = _json(span.get_tag(module.ADK_LLM_REQUEST))
        response = _json(span.get_tag(module.ADK_LLM_RESPONSE))
        contents = request.get("contents") or request.get("Contents") or []
        said = response.get("content") or response.get("Content")
        messages = [c for c in contents if isinstance(c, dict)] if isinstance(contents, list) else []
        out.append(SimpleNamespace(input_messages=messages, output_messages=[said] if isinstance(said, dict) else []))
    return out


def _json(text: Any) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _parts(messages: Sequence[dict[str, Any]], snake: str, camel: str) -> list[dict[str, Any]]:
    parts = [part for message in messages for part in message.get("parts") or () if isinstance(part, dict)]
    found = [part.get(snake) or part.get(camel) for part in parts]
    return [part for part in found if isinstance(part, dict)]


def _calls_of(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    calls = _parts(messages, "function_call", "functionCall")
    return [{"id": call.get("id"), "name": call.get("name"), "arguments": call.get("args")} for call in calls]


def _outputs_of(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"id": output.get("id"), "name": output.get("name"), "response": output.get("response")}
        for output in _parts(messages, "function_response", "functionResponse")
    ]
