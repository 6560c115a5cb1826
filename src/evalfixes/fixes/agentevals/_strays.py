"""Outputs that a trace holds where no turn of agentevals looks: whose they are, and how a turn is given them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from evalfixes.fixes.agentevals import _pairing
from evalfixes.fixes.agentevals._genai_converter import messages_of, outputs_of
from evalfixes.verdicts.pairing import Item, mark, pair

Output = dict[str, Any]
"""A tool's output: its ``id``, ``name`` and ``response``; the ``args`` that the tool got and ``at``, when it began."""


@dataclass(frozen=True)
class Held:
    """What a turn holds: its start, and its calls as agentevals or google-genai have them."""

    start: float
    calls: Sequence[Any]


def home(output: Output, turns: Sequence[Held]) -> int:
    """The turn that an output belongs to: the one with the call that it answers, else the last that had begun."""
    asking = [number for number, turn in enumerate(turns) if answered(output, turn.calls) is not None]
    if len(asking) == 1:
        return asking[0]
    begun = [number for number, turn in enumerate(turns) if turn.start <= output["at"]]
    return max(begun, key=lambda number: (turns[number].start, number)) if begun else 0


def answered(output: Output, calls: Sequence[Any]) -> int | None:
    """The place of the one call of an output's id; as ids may start anew, name and arguments must agree too."""
    same = [place for place, call in enumerate(calls) if output["id"] and _id(call) == output["id"]]
    if len(same) != 1 or output["name"] not in (None, calls[same[0]].name):
        return None
    asked, got = _arguments(calls[same[0]]), output["args"]
    if asked and got and _pairing.content_key(asked) != _pairing.content_key(got):
        return None
    return same[0]


def _id(call: Any) -> str | None:
    found: str | None = call.call_id if hasattr(call, "call_id") else call.id
    return found


def _arguments(call: Any) -> Any:
    return call.arguments if hasattr(call, "arguments") else call.args


def shared_out(outputs: Iterable[Output], turns: Sequence[Held]) -> dict[int, list[Output]]:
    """The outputs of each turn that has any."""
    out: dict[int, list[Output]] = defaultdict(list)
    for output in outputs:
        out[home(output, turns)].append(output)
    return out


def give(result: Any, outputs: Sequence[Output]) -> None:
    """Gives outputs to the invocations of a converted trace, up to 0.9.12."""
    from google.genai import types

    turns = [
        Held(invocation.creation_timestamp, invocation.intermediate_data.tool_uses) for invocation in result.invocations
    ]
    for number, mine in shared_out(outputs, turns).items():
        invocation = result.invocations[number]
        data = invocation.intermediate_data
        responses = list(data.tool_responses)
        have = {response.id for response in responses}
        for output in _pairing.absent(mine, [response.response for response in responses]):
            paired = answered(output, data.tool_uses) is not None and output["id"] not in have
            id_ = output["id"] if paired else mark(output["id"])
            have.add(id_)
            table = _pairing.as_table(output["response"])
            responses.append(types.FunctionResponse(id=id_, name=output["name"], response=table))
        renewed = data.model_copy(update={"tool_responses": responses})
        result.invocations[number] = invocation.model_copy(update={"intermediate_data": renewed})


def give_turns(module: ModuleType, conversation: Any, tools: Sequence[Any]) -> Any:
    """A copy of a conversation, from 0.10.0 on, whose turns have the results of further tools' spans."""
    turns = list(conversation.turns)
    held = [Held(turn.start_ns, turn.tool_calls) for turn in turns]
    outputs = [
        {
            "id": tool.call_id,
            "name": tool.name,
            "args": tool.arguments,
            "response": tool.result,
            "at": tool.start_ns,
        }
        for tool in tools
        if tool.result is not None
    ]
    for number, mine in shared_out(outputs, held).items():
        turn = turns[number]
        calls, warnings, unpaired = list(turn.tool_calls), list(turn.warnings), _pairing.unpaired_in(turn.warnings)
        for output in mine:
            place = answered(output, calls)
            if place is not None and calls[place].result is None:
                calls[place] = calls[place].model_copy(update={"result": output["response"]})
            else:
                unpaired.append(output)
        _pairing.note(module, warnings, unpaired, calls)
        turns[number] = turn.model_copy(update={"tool_calls": calls, "warnings": warnings})
    return conversation.model_copy(update={"turns": turns})


def give_broadcast(module: ModuleType, turns: Sequence[Any], span: Any) -> None:
    """Gives the turns of a conversation that one model call's messages tell the outputs that stand there."""
    mine: dict[int, list[Output]] = defaultdict(list)
    number = -1
    for message in messages_of(span, module.OTEL_GENAI_INPUT_MESSAGES):
        if message.get("role") in module.USER_ROLES and module.extract_text_from_message(message):
            number = min(number + 1, len(turns) - 1)
        mine[max(number, 0)] += outputs_of([message])
    for number, outputs in mine.items():
        turn = turns[number]
        found = pair(_pairing.items(turn.tool_calls), [Item(output["id"], output["name"]) for output in outputs])
        answers = {place: places[-1] for place, places in enumerate(found.outputs) if places}
        responses = [
            module._ToolResponse(
                turn.tool_calls[place].name, _pairing.as_table(outputs[j]["response"]), turn.tool_calls[place].id
            )
            for place, j in answers.items()
        ]
        rest = [output for j, output in enumerate(outputs) if j not in answers.values()]
        turn.tool_calls, turn.tool_responses = _pairing.kept_pairs(
            turn.tool_calls,
            responses,
            list(answers),
            _pairing.absent(rest, [response.response for response in responses]),
            module._ToolResponse,
        )


def spans_below(span: Any) -> list[Any]:
    """All spans below one, in any depth."""
    found, waiting = [], list(span.children)
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].children
    return found


def outside(spans: Iterable[Any], tops: Iterable[Any], is_tool: Callable[[Any], bool]) -> list[Any]:
    """The tools' spans that are below none of the tops."""
    owned = {id(span) for top in tops for span in spans_below(top)}
    return [span for span in spans if is_tool(span) and id(span) not in owned]
