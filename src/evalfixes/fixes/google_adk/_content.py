"""Reading of google-genai contents that all fixes share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from evalfixes.verdicts.plain import plain, writable
from evalfixes.verdicts.thoughts import answer_only


def without_thoughts(content: Any) -> Any:
    """The content with its private thought parts left out.

    A tool call or a tool's response was made, whatever it is marked as: of such a part only the
    text is a thought.

    Args:
        content: A ``google.genai.types.Content``, or None.

    Returns:
        The very same object where it holds no thought, so that nothing changes for it; otherwise a
        shallow copy, whose ``parts`` may be empty.
    """
    parts = getattr(content, "parts", None)
    if not parts or not any(getattr(part, "thought", None) for part in parts):
        return content
    return content.model_copy(update={"parts": visible_parts(parts)})


def visible_parts(parts: list[Any]) -> list[Any]:
    """The parts that are no thoughts."""
    kept = []
    for part in parts:
        if not getattr(part, "thought", None):
            kept.append(part)
        elif part.function_call or part.function_response:
            kept.append(part.model_copy(update={"text": None, "thought": None}))
    return kept


def visible_content(content: Any) -> Any:
    """Like `without_thoughts`, but None where nothing else than thoughts was there."""
    visible = without_thoughts(content)
    return None if visible is not content and not visible.parts else visible


def visible_event(event: Any) -> Any:
    """An ``InvocationEvent`` without thoughts; the same object where it has none."""
    content = visible_content(event.content)
    return event if content is event.content else event.model_copy(update={"content": content})


def visible_events(events: list[Any] | None) -> list[Any] | None:
    """Events without thoughts, as many as before; the same list where there are none."""
    if not events:
        return events
    visible = [visible_event(event) for event in events]
    return events if all(new is old for new, old in zip(visible, events, strict=True)) else visible


def visible_invocation(invocation: Any) -> Any:
    """An ``Invocation`` without thoughts in any of its contents; the same object where it has none."""
    changed: dict[str, Any] = {}
    user = without_thoughts(invocation.user_content)
    if user is not invocation.user_content:
        changed["user_content"] = user
    final = visible_content(invocation.final_response)
    if final is not invocation.final_response:
        changed["final_response"] = final
    data = invocation.intermediate_data
    if getattr(data, "invocation_events", None):
        events = visible_events(data.invocation_events)
        if events is not data.invocation_events:
            changed["intermediate_data"] = data.model_copy(update={"invocation_events": events})
    elif getattr(data, "intermediate_responses", None):
        responses = [(author, visible_parts(parts)) for author, parts in data.intermediate_responses]
        if any(len(new) != len(old) for (_, new), (_, old) in zip(responses, data.intermediate_responses, strict=True)):
            changed["intermediate_data"] = data.model_copy(update={"intermediate_responses": responses})
    return invocation.model_copy(update=changed) if changed else invocation


def visible_reply(response: Any) -> Any:
    """A judge's ``LlmResponse`` without its reasoning; the same object where it has none."""
    content = getattr(response, "content", None)
    if not getattr(content, "parts", None):
        return response
    visible = without_thoughts(content)
    texts = [index for index, part in enumerate(visible.parts) if part.text]
    if texts:
        part = visible.parts[texts[0]]
        answer = answer_only(part.text)
        if answer != part.text:
            parts = list(visible.parts)
            parts[texts[0]] = part.model_copy(update={"text": answer})
            visible = visible.model_copy(update={"parts": parts})
    return response if visible is content else response.model_copy(update={"content": visible})


def text_reader(original: Callable[..., Any], read: Callable[[Any, Callable[[Any], Any]], Any]) -> Callable[..., Any]:
    """A replacement of ``get_text_from_content``, with the signature that the installed release has.

    Args:
        original: The upstream function; it takes a flag besides the content since 2.0.0.
        read: Given the content and upstream's way to read one, returns the text.
    """
    if len(inspect.signature(original).parameters) == 1:

        def get_text_of_content(content: Any) -> Any:
            return read(content, original)

        return get_text_of_content

    def get_text_from_content(content: Any, *, include_intermediate_responses_in_final: bool = False) -> Any:
        def text(visible: Any) -> Any:
            return original(visible, include_intermediate_responses_in_final=include_intermediate_responses_in_final)

        return read(content, text)

    return get_text_from_content


def visible_text(content: Any, text: Callable[[Any], Any]) -> Any:
    """The text of a content without its thoughts, as upstream reads it.

    Like parts of which none has text, parts of which all are thoughts have the empty text.
    """
    visible = without_thoughts(content)
    return text(visible) if visible is content or visible.parts else ""


class _Writable:
    """Stands for a tool call or response whose values JSON cannot hold: its table, in plain form.

    Upstream writes what ``model_dump`` returns, or the mapping it finds in ``args`` or ``response``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.args = plain(getattr(model, "args", None))
        self.response = plain(getattr(model, "response", None))

    def model_dump(self, **options: Any) -> Any:
        return plain(self._model.model_dump(**options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def _writable_part(part: Any) -> Any:
    changed = {}
    for name in ("function_call", "function_response"):
        model = getattr(part, name, None)
        if model and not writable(model.model_dump(exclude_none=True)):
            changed[name] = _Writable(model)
    return part.model_copy(update=changed) if changed else part


def plain_tool_values(data: Any) -> Any:
    """Intermediate data whose tool arguments and responses are in plain form, as true upstream models."""

    def part(old: Any) -> Any:
        changed = {}
        for name, values in (("function_call", "args"), ("function_response", "response")):
            model = getattr(old, name, None)
            if model:
                changed[name] = model.model_copy(update={values: plain(getattr(model, values))})
        return old.model_copy(update=changed) if changed else old

    events = getattr(data, "invocation_events", None)
    if events is not None:
        written = []
        for event in events:
            if event.content and event.content.parts:
                parts = [part(old) for old in event.content.parts]
                event = event.model_copy(update={"content": event.content.model_copy(update={"parts": parts})})
            written.append(event)
        return data.model_copy(update={"invocation_events": written})
    return data.model_copy(
        update={
            "tool_uses": [call.model_copy(update={"args": plain(call.args)}) for call in data.tool_uses],
            "tool_responses": [
                reply.model_copy(update={"response": plain(reply.response)})
                for reply in getattr(data, "tool_responses", None) or []
            ],
        }
    )


def writable_events(events: list[Any] | None) -> list[Any] | None:
    """Events whose tool calls and responses can be written as JSON; the same list if all can."""
    if not events:
        return events
    result = []
    for event in events:
        parts = event.content.parts if event.content and event.content.parts else []
        written = [_writable_part(part) for part in parts]
        if all(new is old for new, old in zip(written, parts, strict=True)):
            result.append(event)
        else:
            result.append(event.model_copy(update={"content": event.content.model_copy(update={"parts": written})}))
    return events if all(new is old for new, old in zip(result, events, strict=True)) else result


def writable_invocation(invocation: Any) -> Any:
    """An ``Invocation`` whose intermediate events can be written as JSON; the same object if they can."""
    data = invocation.intermediate_data
    events = getattr(data, "invocation_events", None)
    written = writable_events(events)
    if written is events:
        return invocation
    return invocation.model_copy(update={"intermediate_data": data.model_copy(update={"invocation_events": written})})


class _NoDeclarations:
    """Stands for a tool that declares no functions."""

    function_declarations: tuple[Any, ...] = ()


def with_declarations(invocation: Any) -> Any:
    """An ``Invocation`` whose tools all have a list of declarations; the same object if they have."""
    details = invocation.app_details
    agents = getattr(details, "agent_details", None) or {}
    changed = {}
    for name, agent in agents.items():
        tools = list(agent.tool_declarations or [])
        listed = [_with_declarations(tool) for tool in tools]
        if any(new is not old for new, old in zip(listed, tools, strict=True)):
            changed[name] = agent.model_copy(update={"tool_declarations": listed})
    if not changed:
        return invocation
    new = details.model_copy(update={"agent_details": {**agents, **changed}})
    return invocation.model_copy(update={"app_details": new})


def _with_declarations(tool: Any) -> Any:
    if getattr(tool, "function_declarations", None) is not None:
        return tool
    if isinstance(tool, dict):  # as read from a file
        declared = tool.get("function_declarations") or tool.get("functionDeclarations")
        if declared:
            from types import SimpleNamespace

            functions = [SimpleNamespace(name=f.get("name"), description=f.get("description")) for f in declared]
            return SimpleNamespace(function_declarations=functions)
    return _NoDeclarations()
