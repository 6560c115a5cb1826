"""Hands the core of `evalfixes.verdicts.pairing` what agentevals and ADK hold, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from evalfixes.verdicts.pairing import Answers, Item, Round, Shown, answer_rounds, distinct_ids, mark, pair

_UNPAIRED_GAP = "tool_output_unpaired"
_UNPAIRED_TEXT = "tool output that answers no recorded call, kept as unpaired: "


def items(parts: Iterable[Any]) -> list[Item]:
    """Function calls or function responses as the core sees them."""
    return [Item(part.id or None, part.name or None) for part in parts]


def to_events(invocation: Any) -> Any:
    """A copy of an ADK invocation whose `IntermediateData` is laid out as `InvocationEvents`.

    Each call is followed by its outputs. Outputs that answer no recorded call, or one of several
    that cannot be told apart, come after all calls, each with an id that says so. Calls that the
    trace gives no ids to tell them apart by get such ids, because judges pair by id.
    """
    from google.adk.evaluation.eval_case import InvocationEvent, InvocationEvents
    from google.genai import types

    data = invocation.intermediate_data
    if data is None or isinstance(data, InvocationEvents):
        return invocation
    calls, outputs = list(data.tool_uses), list(data.tool_responses)
    found = pair(items(calls), items(outputs))
    ids = distinct_ids([call.id for call in calls])

    def event(role: str, parts: list[Any], author: str = "agent") -> Any:
        return InvocationEvent(author=author, content=types.Content(role=role, parts=parts))

    events = []
    for call, id_, answers in zip(calls, ids, found.outputs, strict=True):
        events.append(event("model", [types.Part(function_call=_with_id(call, id_))]))
        events += [event("user", [types.Part(function_response=_with_id(outputs[j], id_))]) for j in answers]
    for j in found.unpaired:
        events.append(event("user", [types.Part(function_response=_with_id(outputs[j], mark(outputs[j].id)))]))
    for author, parts in data.intermediate_responses:
        events.append(event("model", list(parts), author or "agent"))
    return invocation.model_copy(update={"intermediate_data": InvocationEvents(invocation_events=events)})


def _with_id(part: Any, id_: str | None) -> Any:
    if part.id == id_:
        return part
    copy = getattr(part, "model_copy", None)
    return copy(update={"id": id_}) if copy else replace(part, id=id_)


def with_tools_named(invocations: Sequence[Any]) -> list[Any]:
    """Copies of invocations that tell the judge which tools there were, where they tell nothing yet."""
    from google.adk.evaluation.app_details import AgentDetails, AppDetails
    from google.adk.evaluation.eval_case import get_all_tool_calls, get_all_tool_responses
    from google.genai import types

    if any(invocation.app_details and invocation.app_details.agent_details for invocation in invocations):
        return list(invocations)
    names: dict[str, None] = {}
    for invocation in invocations:
        for part in [
            *get_all_tool_calls(invocation.intermediate_data),
            *get_all_tool_responses(invocation.intermediate_data),
        ]:
            if part.name:
                names.setdefault(part.name)
    if not names:
        return list(invocations)
    tool = types.Tool(function_declarations=[types.FunctionDeclaration(name=name) for name in names])
    details = AppDetails(agent_details={"agent": AgentDetails(name="agent", instructions="", tool_declarations=[tool])})
    return [invocation.model_copy(update={"app_details": details}) for invocation in invocations]


def keep_pairs(invocation: Any, owners: Sequence[int], unpaired: Sequence[dict[str, Any]]) -> Any:
    """Makes an ADK invocation say which output answers which call, where its ids would not.

    Args:
        invocation: Holds `IntermediateData` with the calls, and the outputs of `owners`.
        owners: The call of each output it holds, as a position.
        unpaired: Further outputs, of no call: tables of ``id``, ``name`` and ``response``.
    """
    data = invocation.intermediate_data
    calls, outputs = kept_pairs(data.tool_uses, data.tool_responses, owners, unpaired)
    if calls == data.tool_uses and outputs == data.tool_responses:
        return invocation
    renewed = data.model_copy(update={"tool_uses": calls, "tool_responses": outputs})
    return invocation.model_copy(update={"intermediate_data": renewed})


def kept_pairs(
    calls: Sequence[Any],
    outputs: Sequence[Any],
    owners: Sequence[int],
    unpaired: Sequence[dict[str, Any]],
    make: Callable[..., Any] | None = None,
) -> tuple[list[Any], list[Any]]:
    """Calls and outputs with ids by which `to_events` pairs them as `owners` says; see `keep_pairs`.

    ``make`` makes an output of ``id``, ``name`` and ``response``; without it, those of google-genai are made.
    """
    if make is None:
        from google.genai import types

        make = types.FunctionResponse
    calls, outputs = list(calls), list(outputs)
    if len(outputs) == len(owners):
        truth = [tuple(j for j, owner in enumerate(owners) if owner == i) for i in range(len(calls))]
        if list(pair(items(calls), items(outputs)).outputs) != truth:
            ids = distinct_ids([call.id for call in calls])
            outputs = [_with_id(output, ids[owner]) for output, owner in zip(outputs, owners, strict=True)]
            calls = [_with_id(call, id_) for call, id_ in zip(calls, ids, strict=True)]
    outputs += [
        make(id=mark(entry.get("id")), name=entry.get("name"), response=as_table(entry.get("response")))
        for entry in unpaired
    ]
    return calls, outputs


def as_table(value: Any) -> dict[str, Any]:
    """An output as ADK holds it: a table."""
    if isinstance(value, dict):
        return value
    return {} if value is None else {"result": value}


def content_key(value: Any) -> str:
    """Equal for equal outputs, whatever the order of their keys."""
    try:
        return json.dumps(value, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def absent(entries: Iterable[dict[str, Any]], present: Iterable[Any]) -> list[dict[str, Any]]:
    """The outputs among ``entries`` that are not among those present, each once."""
    have = {content_key(value) for value in present}
    out = []
    for entry in entries:
        value = entry.get("response")
        # Upstream may hold an output as it was recorded, as the table that ADK wants, or as text in one.
        keys = {content_key(value), content_key(as_table(value)), content_key({"result": str(value)})}
        if value is not None and not keys & have:
            have |= keys
            out.append(entry)
    return out


def read_rounds(
    calls: Sequence[Any], calls_of: Callable[[Any], list[dict[str, Any]]], outputs_of: Callable[[Any], list[Any]]
) -> tuple[Answers, list[list[dict[str, Any]]]]:
    """Runs `answer_rounds` on a turn's model calls (agentevals 0.10.0 and later).

    Args:
        calls: The turn's model calls, in order, with ``input_messages`` and ``output_messages``.
        calls_of: Upstream's reader of the tool calls in messages.
        outputs_of: Upstream's reader of the tool outputs in messages.

    Returns:
        What was found, and the outputs in the input of each model call, to look them up in.
    """
    rounds, shown_by_round = [], []
    for call in calls:
        messages = list(call.input_messages)
        start = _turn_start(messages)
        entries = _with_arguments(messages, calls_of, outputs_of)
        earlier = len(outputs_of(messages[:start]))
        shown = [
            Shown(Item(entry["id"], entry.get("name") or None, args), content_key(entry["response"]), place < earlier)
            for place, (entry, args) in enumerate(entries)
        ]
        asked = [_asked(entry) for entry in calls_of(call.output_messages)]
        rounds.append(Round(tuple(shown), tuple(asked)))
        shown_by_round.append([entry for entry, _ in entries])
    return answer_rounds(rounds), shown_by_round


def _asked(entry: dict[str, Any]) -> Item:
    return Item(entry["id"] or None, entry["name"], content_key(entry.get("arguments")))


def _with_arguments(
    messages: Sequence[Any], calls_of: Callable[[Any], list[dict[str, Any]]], outputs_of: Callable[[Any], list[Any]]
) -> list[tuple[dict[str, Any], str | None]]:
    """The outputs in messages, each with the arguments of the call before it that it answers, if that is told."""
    found: list[tuple[dict[str, Any], str | None]] = []
    calls: list[Item] = []
    waiting: list[dict[str, Any]] = []

    def close() -> None:
        pairing = pair(calls, [Item(entry["id"], entry.get("name") or None) for entry in waiting])
        owner = {place: i for i, places in enumerate(pairing.outputs) for place in places}
        for place, entry in enumerate(waiting):
            found.append((entry, str(calls[owner[place]].args) if place in owner else None))
        waiting.clear()

    for message in messages:
        asked = calls_of([message])
        if asked and waiting:
            close()
            calls.clear()
        calls += [_asked(entry) for entry in asked]
        waiting += outputs_of([message])
    close()
    return found


def _turn_start(messages: Sequence[dict[str, Any]]) -> int:
    """Where the messages after the last thing that the user said begin; the end if nobody said anything."""
    for position in range(len(messages), 0, -1):
        message = messages[position - 1]
        spoken = message.get("content")
        said = (isinstance(spoken, str) and spoken) or any(
            (part.get("type") == "text" and part.get("content")) or (part.get("text") and not part.get("thought"))
            for part in message.get("parts") or ()
            if isinstance(part, dict)
        )
        if message.get("role") == "user" and said:
            return position
    return len(messages)


def gap_text(entry: dict[str, Any]) -> str:
    """A warning that carries an unpaired output in full, so that it is not lost on the way to the judge."""
    return _UNPAIRED_TEXT + json.dumps(
        {key: entry.get(key) for key in ("id", "name", "response")}, sort_keys=True, default=repr
    )


def unpaired_in(warnings: Iterable[Any]) -> list[dict[str, Any]]:
    """The outputs that `gap_text` put into a turn's warnings."""
    out = []
    for warning in warnings:
        text = warning if isinstance(warning, str) else getattr(warning, "reason", "")
        if isinstance(text, str) and text.startswith(_UNPAIRED_TEXT):
            out.append(json.loads(text[len(_UNPAIRED_TEXT) :]))
    return out


def forget(warnings: list[Any]) -> None:
    """Drops the notes of an earlier look, made before the turn's model calls were all together."""
    warnings[:] = [warning for warning in warnings if not unpaired_in([warning])]


def note(module: ModuleType, warnings: list[Any], outputs: Sequence[dict[str, Any]], tools: Sequence[Any]) -> None:
    """Notes in a turn's warnings which outputs are the result of none of its calls, in place of earlier notes."""
    forget(warnings)
    for entry in missing(outputs, tools):
        gap = getattr(module, "Gap", None)
        text = gap_text(entry)
        warnings.append(text if gap is None else gap(code=_UNPAIRED_GAP, reason=text))


def missing(outputs: Sequence[dict[str, Any]], tools: Sequence[Any]) -> list[dict[str, Any]]:
    """The outputs that are the result of no call, each once."""
    return absent(outputs, [tool.result for tool in tools if tool.result is not None])
