"""Which tool output answers which tool call.

Two views of one question. `pair` sees a turn's calls and outputs as two lists and decides by ids,
names and counts. `answer_rounds` sees the model calls of a turn in order, each with the outputs it
was shown and the calls it asked for, so it also decides where ids start anew in every round. Neither
guesses: an output that no rule assigns is unpaired, and none is ever dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence, Set
from dataclasses import dataclass

UNPAIRED = "unpaired"
"""The id, or the start of the id, of an output that is known to have no call to stand under."""


@dataclass(frozen=True)
class Item:
    """A call or an output as recorded; None or empty is what has not been.

    Attributes:
        id: The id of the call.
        name: The name of the tool.
        args: Anything that is equal for equal arguments: the call's own, or of the call that a
            conversation shows right before the output.
    """

    id: str | None = None
    name: str | None = None
    args: Hashable | None = None


@dataclass(frozen=True)
class Pairing:
    """The outputs of each call, as positions in the list of outputs, and those of no call."""

    outputs: tuple[tuple[int, ...], ...]
    unpaired: tuple[int, ...]


def marked(id_: str | None) -> bool:
    """Whether an id says that its output is unpaired."""
    return id_ is not None and (id_ == UNPAIRED or id_.startswith(UNPAIRED + ":"))


def mark(id_: str | None) -> str:
    """The id of an unpaired output, with what was recorded behind the mark."""
    if id_ is None or not id_:
        return UNPAIRED
    return id_ if marked(id_) else f"{UNPAIRED}:{id_}"


def pair(calls: Sequence[Item], outputs: Sequence[Item]) -> Pairing:
    """Assigns outputs to calls.

    By arguments first, where outputs have any. Then by id, where no name contradicts it: one call
    takes the last output of its id, several calls under one id take them in order if there are as
    many outputs as calls. Then outputs without id go to calls without id, and at last what is left to
    what is left, each time by tool name and in order, and only where there are as many outputs as
    calls.
    """
    found: list[list[int]] = [[] for _ in calls]
    left = [j for j, output in enumerate(outputs) if not marked(output.id)]
    unclear_calls: set[int] = set()

    for j, i in _by_arguments(calls, outputs, left).items():
        found[i].append(j)
        left.remove(j)
    calls = [Item(None, call.name, call.args) if found[i] else call for i, call in enumerate(calls)]

    by_owners: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for j in left:
        by_owners[_owners(calls, outputs[j])].append(j)
    by_owners.pop((), None)
    for owners, answers in by_owners.items():
        overlap = any(set(owners) & set(other) for other in by_owners if other != owners)
        names = {calls[i].name or None for i in owners}
        if len(owners) == 1 and not overlap:
            # The last one is the final one. The ones before may as well be another call's of that
            # id which has not been recorded.
            found[owners[0]].append(answers[-1])
        elif len(owners) == len(answers) and len(names) == 1 and not overlap:
            for i, j in zip(owners, answers, strict=True):
                found[i].append(j)
        else:
            # Which of several calls under one id these answer is not recorded.
            unclear_calls.update(owners)
    claimed = {j for answers in by_owners.values() for j in answers}
    left = [j for j in left if j not in claimed]

    def by_name(call_fits: Callable[[Item], bool], output_fits: Callable[[Item], bool]) -> None:
        open_calls: dict[str | None, list[int]] = defaultdict(list)
        for i, call in enumerate(calls):
            if not found[i] and i not in unclear_calls and call_fits(call):
                open_calls[call.name or None].append(i)
        waiting: dict[str | None, list[int]] = defaultdict(list)
        for j in left:
            if output_fits(outputs[j]) and _uncontradicted(outputs[j], calls):
                waiting[outputs[j].name or None].append(j)
        nameless = waiting.pop(None, [])
        for name, answers in waiting.items():
            if len(open_calls.get(name, ())) == len(answers):
                for i, j in zip(open_calls.pop(name), answers, strict=True):
                    found[i].append(j)
                    left.remove(j)
        remaining = [i for group in open_calls.values() for i in group]
        if len(nameless) == 1 and len(remaining) == 1:
            found[remaining[0]].append(nameless[0])
            left.remove(nameless[0])

    by_name(lambda call: not call.id, lambda output: not output.id)
    by_name(lambda _: True, lambda _: True)
    given = {j for answers in found for j in answers}
    return Pairing(
        outputs=tuple(tuple(sorted(answers)) for answers in found),
        unpaired=tuple(j for j in range(len(outputs)) if j not in given),
    )


def _owners(calls: Sequence[Item], output: Item) -> tuple[int, ...]:
    if not output.id:
        return ()
    return tuple(
        i
        for i, call in enumerate(calls)
        if call.id == output.id
        and (not call.name or not output.name or call.name == output.name)
        and _agree(call.args, output.args)
    )


def _by_arguments(calls: Sequence[Item], outputs: Sequence[Item], left: Sequence[int]) -> dict[int, int]:
    """Output to call, where equal arguments tell: one call, or as many calls as outputs, in order."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for j in left:
        output = outputs[j]
        if output.args is None:
            continue
        alike = [
            i
            for i, call in enumerate(calls)
            if call.args == output.args and (not call.name or not output.name or call.name == output.name)
        ]
        groups[tuple([i for i in alike if calls[i].id == output.id] or alike)].append(j)
    taken = Counter(i for owners in groups for i in owners)
    return {
        j: i
        for owners, answers in groups.items()
        if len(owners) == len(answers) and all(taken[i] == 1 for i in owners)
        for i, j in zip(owners, answers, strict=True)
    }


def _uncontradicted(output: Item, calls: Sequence[Item]) -> bool:
    """Whether no name alone would put an output under a call of other arguments."""
    return output.args is None or all(_agree(call.args, output.args) for call in calls if call.name == output.name)


def distinct_ids(ids: Sequence[str | None]) -> list[str | None]:
    """Ids that tell the calls of a turn apart; those that do already stay, and so does a lone call's."""
    if len(ids) < 2:
        return list(ids)
    counts = Counter(ids)
    taken = {id_ for id_ in ids if id_}
    out: list[str | None] = []
    for number, id_ in enumerate(ids, 1):
        if id_ and counts[id_] == 1:
            out.append(id_)
            continue
        new = f"{id_ or 'call'}#{number}"
        while new in taken:
            new += "'"
        taken.add(new)
        out.append(new)
    return out


@dataclass(frozen=True)
class Shown:
    """An output in the input of a model call.

    Attributes:
        item: Its id and tool name.
        content: Anything that is equal for equal outputs.
        earlier: Whether the input itself places it before the current turn.
    """

    item: Item
    content: Hashable
    earlier: bool = False


@dataclass(frozen=True)
class Round:
    """One model call of a turn: the outputs in its input, and the tool calls it asked for."""

    shown: tuple[Shown, ...] = ()
    asked: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Answers:
    """What `answer_rounds` found; outputs are named by round and place in its input.

    Attributes:
        of_call: The outputs of each call, calls counted through all rounds, outputs in order.
        unpaired: Outputs of this turn that answer no recorded call, or one that is not told.
    """

    of_call: tuple[tuple[tuple[int, int], ...], ...]
    unpaired: tuple[tuple[int, int], ...]


def answer_rounds(rounds: Sequence[Round]) -> Answers:
    """Finds what each call of a turn was answered, though inputs repeat the history.

    An output is new where an input holds more of its like than any input before. A new output
    answers a call of an earlier round: by `pair` among all calls that are still open, else among
    those of the latest round that asked for any.
    """
    asked = [(number, item) for number, round_ in enumerate(rounds) for item in round_.asked]
    told = {(item.name, item.args) for _, item in asked}
    of_call: list[list[tuple[int, int]]] = [[] for _ in asked]
    unpaired: list[tuple[int, int]] = []
    known: Counter[Hashable] = Counter()
    for number, round_ in enumerate(rounds):
        new = _unseen(round_, known)
        if number == 0:
            unpaired.extend((0, place) for place in new if not round_.shown[place].earlier)
            continue
        open_calls = [i for i, (at, _) in enumerate(asked) if at < number and not of_call[i]]
        latest = max((asked[i][0] for i in open_calls), default=-1)
        for candidates in (open_calls, [i for i in open_calls if asked[i][0] == latest]):
            candidates = [i for i in candidates if not of_call[i]]
            result = pair([asked[i][1] for i in candidates], [_within(round_.shown[place].item, told) for place in new])
            for i, answers in zip(candidates, result.outputs, strict=True):
                of_call[i].extend((number, new[j]) for j in answers)
            new = [new[j] for j in result.unpaired]
        for place in new:
            # One more output under the id of a call that has been answered belongs to it as well.
            output = _within(round_.shown[place].item, told)
            owners = _owners([item if at < number else Item() for at, item in asked], output)
            if len(owners) == 1:
                of_call[owners[0]].append((number, place))
            else:
                unpaired.append((number, place))
    return Answers(tuple(tuple(answers) for answers in of_call), tuple(unpaired))


def _within(output: Item, told: Set[tuple[str | None, Hashable | None]]) -> Item:
    """The output, without arguments that no call of the turn has: a conversation may abridge them."""
    known = any(args == output.args and (not output.name or not name or name == output.name) for name, args in told)
    return output if known else Item(output.id, output.name)


def _unseen(round_: Round, known: Counter[Hashable]) -> list[int]:
    """Places of the outputs that no earlier input held; `known` takes them in."""
    here: Counter[Hashable] = Counter()
    new = []
    for place, shown in enumerate(round_.shown):
        key = (shown.item, shown.content)
        here[key] += 1
        if here[key] > known[key]:
            new.append(place)
    known |= here
    return new


Recorded = tuple[str | None, str, Hashable | None]
"""A call as a span or a message holds it: id, tool name and arguments, None where not recorded."""


def match_spans(spans: Sequence[Recorded], parts: Sequence[Recorded]) -> dict[int, int]:
    """Tool spans and message parts that are one call.

    By id, name and arguments, then by id, by name and arguments, and at last by name; each time in
    order. Never where the arguments contradict each other: whatever ids and names say, those are two
    calls, and the output of one must not come to stand under the other.

    Returns:
        Position of the span to position of the part.
    """
    found: dict[int, int] = {}
    keys: tuple[Callable[[Recorded], Hashable | None], ...] = (
        lambda call: call if call[0] and call[2] is not None else None,
        lambda call: call[0] or None,
        lambda call: (call[1], call[2]) if call[2] is not None else None,
        lambda call: call[1],
    )
    for key in keys:
        taken = set(found.values())
        waiting = [position for position in range(len(parts)) if position not in taken]
        for number, span in enumerate(spans):
            if number in found or key(span) is None:
                continue
            fitting = (p for p in waiting if key(parts[p]) == key(span) and _agree(span[2], parts[p][2]))
            part = next(fitting, None)
            if part is not None:
                found[number] = part
                waiting.remove(part)
    return found


def _agree(one: Hashable | None, other: Hashable | None) -> bool:
    return one is None or other is None or one == other


def first_come(spans: Sequence[Recorded], parts: Sequence[Recorded]) -> dict[int, int]:
    """What upstream matches: each span in order by id, else by name, whatever the arguments."""
    found: dict[int, int] = {}
    for number, (id_, name, _) in enumerate(spans):
        free = [position for position in range(len(parts)) if position not in found.values()]
        same_id = [position for position in free if id_ and parts[position][0] == id_]
        match = [*same_id, *(position for position in free if parts[position][1] == name)]
        if match:
            found[number] = match[0]
    return found
