"""Mutation operators: what can happen to one reply of a judge on its way to a metric.

Each is small, has a name, and is of one of two groups:

- `LOSES`: the mutant says less than the reply, or contradicts it, or means nothing. No such mutant may
  make an outcome better.
- `KEEPS`: the mutant says the same in another form. No such mutant should change an outcome.

Each gives a finite number of mutants, one per site of the reply, the same ones on every run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalfixes.testing import lines
from evalfixes.testing.doubled import doubled
from evalfixes.testing.labels import is_about
from evalfixes.testing.reply import (
    Path,
    Reply,
    all_flipped,
    asked,
    changed,
    ends,
    form,
    items,
    labels,
    nodes,
    with_entry,
    without,
)

LOSES = "loses information"
KEEPS = "keeps meaning"

Structural = Callable[[Any], Iterable[tuple[str, Any]]]
"""Mutants of a structure: the site of each in words, and the mutated structure."""


@dataclass(frozen=True)
class Mutant:
    """A reply to which something has happened.

    Attributes:
        operator: The name of the operator.
        group: `LOSES` or `KEEPS`.
        site: Where in the reply, in words; empty if there is only one place.
        reply: The mutated reply.
    """

    operator: str
    group: str
    site: str
    reply: Reply


@dataclass(frozen=True)
class Operator:
    """One way in which a reply changes.

    Attributes:
        name: Short, unique.
        group: `LOSES` or `KEEPS`.
        says: What it does, in one line.
        make: Mutants of a reply.
        of_structure: The same on the structure inside of the reply, for the operators that work on it.
    """

    name: str
    group: str
    says: str
    make: Callable[[Reply], Iterable[tuple[str, Reply]]] = field(repr=False)
    of_structure: Structural | None = field(default=None, repr=False)

    def mutants(self, reply: Reply) -> list[Mutant]:
        """All mutants of a reply that differ from it and from each other.

        Args:
            reply: A reply that came back; one that failed or was lost has no mutants.
        """
        if reply.error or reply.lost:
            return []
        found: dict[Reply, Mutant] = {}
        for site, made in self.make(reply):
            if made != reply:
                found.setdefault(made, Mutant(self.name, self.group, site, made))
        return list(found.values())

    def then(self, other: Operator) -> Operator:
        """Both, one after the other; it keeps the meaning only if both do."""
        group = KEEPS if self.group == other.group == KEEPS else LOSES

        def make(reply: Reply) -> Iterator[tuple[str, Reply]]:
            for first in self.mutants(reply):
                for second in other.mutants(first.reply):
                    yield "; ".join(filter(None, (first.site, second.site))), second.reply

        return Operator(f"{self.name}+{other.name}", group, f"{self.says}, then: {other.says}", make)


def on_structure(name: str, group: str, says: str, structural: Structural) -> Operator:
    """An operator that works on the structure inside of a reply."""

    def make(reply: Reply) -> Iterator[tuple[str, Reply]]:
        found = form(reply.text)
        if found is not None:
            for site, value in structural(found.value):
                yield site, replace(reply, text=found.write(value))

    return Operator(name, group, says, make, structural)


def on_text(name: str, group: str, says: str, change: Callable[[str], Iterable[tuple[str, str]]]) -> Operator:
    """An operator that works on the text of a reply."""

    def make(reply: Reply) -> Iterator[tuple[str, Reply]]:
        for site, text in change(reply.text):
            yield site, replace(reply, text=text)

    return Operator(name, group, says, make)


def place(path: Path) -> str:
    """A path in words, such as ``verdicts[1].verdict``."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def _each_item(value: Any) -> Iterator[tuple[Path, int, Any]]:
    for path, entries in items(value):
        for at in ends(len(entries)):
            yield path, at, entries[at]


def _each_label(value: Any) -> Iterator[tuple[Path, Any]]:
    found = labels(value)
    for at in ends(len(found)):
        yield found[at]


def _drop_item(value: Any) -> Iterator[tuple[str, Any]]:
    for path, at, _ in _each_item(value):
        yield f"without {place((*path, at))}", without(value, (*path, at))


def _drop_all(value: Any) -> Iterator[tuple[str, Any]]:
    for path, _ in items(value):
        yield f"{place(path) or 'the list'} is empty", changed(value, path, [])


def _drop_asked(value: Any) -> Iterator[tuple[str, Any]]:
    for path, entries in asked(value):
        for at in ends(len(entries)):
            yield f"without {place((*path, at))}", without(value, (*path, at))


def _empty_asked(value: Any) -> Iterator[tuple[str, Any]]:
    for path, _ in asked(value):
        yield f"{place(path) or 'the list'} is empty", changed(value, path, [])


def _drop_key(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key in value:
            yield f"without {key}", without(value, (key,))


def _drop_field(value: Any) -> Iterator[tuple[str, Any]]:
    for path, at, entry in _each_item(value):
        for key in entry if isinstance(entry, dict) else ():
            yield f"without {place((*path, at, key))}", without(value, (*path, at, key))


def relabelled(words: Sequence[Any]) -> Structural:
    """Puts other words in the place of one label; ``{}`` in a word stands for the label itself."""

    def structural(value: Any) -> Iterator[tuple[str, Any]]:
        for path, label in _each_label(value):
            for word in words:
                new = word.replace("{}", _spelt(label)) if isinstance(word, str) else word
                yield f"{place(path) or 'the label'} is {json.dumps(new)}", changed(value, path, new)

    return structural


def _spelt(label: Any) -> str:
    return label if isinstance(label, str) else json.dumps(label)


def _duplicate(value: Any) -> Iterator[tuple[str, Any]]:
    for path, at, entry in _each_item(value):
        yield f"{place((*path, at))} twice", with_entry(value, path, at, entry)


def _contradict(value: Any) -> Iterator[tuple[str, Any]]:
    for path, at, entry in _each_item(value):
        other = all_flipped(entry)
        if other != entry:
            yield f"{place((*path, at))} contradicted before", with_entry(value, path, at, other)
            yield f"{place((*path, at))} contradicted after", with_entry(value, path, at + 1, other)


def _contradict_key(reply: Reply) -> Iterator[tuple[str, Reply]]:
    found = form(reply.text)
    for path, where, text in () if found is None else doubled(found):
        yield f"{place(path)} contradicted {where}", replace(reply, text=text)


def _swap(value: Any) -> Iterator[tuple[str, Any]]:
    """Only where each entry says what it is about; elsewhere the order is part of the answer."""
    for path, entries in items(value):
        names = [
            sorted((key, str(inner)) for key, inner in entry.items() if is_about(key, inner)) if entry else []
            for entry in entries
            if isinstance(entry, dict)
        ]
        if len(entries) > 1 and len({str(name) for name in names if name}) == len(entries):
            yield f"{place(path) or 'the entries'} in reverse", changed(value, path, list(reversed(entries)))


def _wrong_type(value: Any) -> Iterator[tuple[str, Any]]:
    new: Any
    for path, label in _each_label(value):
        for new in (None, [], {}, [label], "" if isinstance(label, (int, float)) else 3):
            yield f"{place(path) or 'the label'} is {json.dumps(new)}", changed(value, path, new)
    for path, part in nodes(value):
        if isinstance(part, (list, dict)) and (not path or isinstance(path[-1], str) or labels(part)):
            for new in (None, "text", {} if isinstance(part, list) else []):
                yield f"{place(path) or 'all'} is {json.dumps(new)}", changed(value, path, new)


def _out_of_range(value: Any) -> Iterator[tuple[str, Any]]:
    for path, label in _each_label(value):
        if isinstance(label, (int, float)) and not isinstance(label, bool):
            for new in (-1, 20, 1e300, float("inf"), float("nan")):
                yield f"{place(path) or 'the number'} is {new}", changed(value, path, new)


def _draft(reply: Reply) -> str | None:
    """The reply with the opposite of every label; None where it has no label with an opposite."""
    found = form(reply.text)
    other = None if found is None else all_flipped(found.value)
    return None if found is None or other == found.value else found.write(other)


def _drafts(glue: str) -> Callable[[Reply], Iterator[tuple[str, Reply]]]:
    def make(reply: Reply) -> Iterator[tuple[str, Reply]]:
        draft = _draft(reply)
        if draft is not None:
            yield "opposite labels first", replace(reply, text=glue.format(draft=draft, answer=reply.text))

    return make


def _thought(reply: Reply) -> Iterator[tuple[str, Reply]]:
    draft = _draft(reply)
    if draft is not None:
        yield "opposite labels in a thought part", replace(reply, thought=draft + "\n")


def _instead(*texts: str) -> Callable[[str], Iterator[tuple[str, str]]]:
    return lambda _: (("", text) for text in texts)


def _key_order(value: Any) -> Iterator[tuple[str, Any]]:
    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turned(part[key]) for key in reversed(part)}
        return [turned(entry) for entry in part] if isinstance(part, list) else part

    yield "", turned(value)


def _json_only(operator: Operator) -> Operator:
    """The operator on replies that are JSON alone: elsewhere the order of the fields is part of the form."""

    def make(reply: Reply) -> Iterable[tuple[str, Reply]]:
        found = form(reply.text)
        return operator.make(reply) if found is not None and found.json else ()

    return replace(operator, make=make)


def _every_label(change: Callable[[str], str]) -> Structural:
    """The same change to all labels that are words."""

    def structural(value: Any) -> Iterator[tuple[str, Any]]:
        made = value
        for path, label in labels(value):
            if isinstance(label, str):
                made = changed(made, path, change(label))
        yield "all labels", made

    return structural


UNKNOWN = ("unclear", "N/A", "?")
"""Words that answer nothing."""

HEDGED = (
    "It cannot be said whether this is {}.",
    "Neither yes nor no.",
    "No doubt, this is {}.",
    "partially {}",
    "{} or not {}",
)
"""Prose that holds a label without meaning it plainly."""

ERROR_OBJECT = '{"error": {"code": 429, "message": "content filtered"}}'
REFUSAL = "I'm sorry, but I can't help with that."

OPERATORS: tuple[Operator, ...] = (
    on_structure("drop-item", LOSES, "one answer of several is left out", _drop_item),
    on_structure("drop-all", LOSES, "the list of answers is empty", _drop_all),
    on_structure("drop-field", LOSES, "an answer lacks a field", _drop_field),
    on_structure("drop-key", LOSES, "the reply lacks a key", _drop_key),
    on_structure("drop-asked", LOSES, "an item that would be asked about is left out", _drop_asked),
    on_structure("empty-asked", LOSES, "no item is left to be asked about", _empty_asked),
    on_text("cut-off", LOSES, "the reply ends early", lines.cuts),
    on_structure("unknown-label", LOSES, "a label is a word that answers nothing", relabelled(UNKNOWN)),
    on_structure("empty-label", LOSES, "a label is empty", relabelled(("",))),
    on_structure("hedged-label", LOSES, "a label stands in prose that does not mean it", relabelled(HEDGED)),
    Operator(
        "draft-before",
        LOSES,
        "a draft of the opposite stands before the answer",
        _drafts("{draft}\n\nNo, let me think again.\n\n{answer}"),
    ),
    Operator("draft-in-think", LOSES, "the same in a <think> block", _drafts("<think>\n{draft}\n</think>\n{answer}")),
    Operator("draft-in-thought", LOSES, "the same in a thought part", _thought),
    on_structure("duplicate-item", LOSES, "an answer is given twice", _duplicate),
    on_structure("contradict-item", LOSES, "an answer and its opposite are given", _contradict),
    Operator("contradict-key", LOSES, "a key of an object is given twice, with different values", _contradict_key),
    on_structure("wrong-type", LOSES, "a label, list or table is of another type", _wrong_type),
    on_structure("out-of-range", LOSES, "a number is off every scale", _out_of_range),
    on_text("error-object", LOSES, "an error comes in place of the reply", _instead(ERROR_OBJECT)),
    on_text("empty-object", LOSES, "an empty object or list comes in its place", _instead("{}", "[]", "null")),
    on_text("refusal", LOSES, "the judge declines", _instead(REFUSAL)),
    on_text("empty-reply", LOSES, "the reply is empty", _instead("")),
    Operator("exception", LOSES, "the call fails", lambda _: [("", Reply(error="503 overloaded"))]),
    Operator("lost-call", LOSES, "nothing comes back: a sample or a turn is lost", lambda _: [("", Reply(lost=True))]),
    on_text("drop-line", LOSES, "a line is left out", lines.dropped),
    on_text("repeat-line", LOSES, "a line is repeated", lines.repeated),
    on_text("fences", KEEPS, "the reply stands in a code block", lines.fenced),
    on_structure("bold", KEEPS, "labels are bold", _every_label("**{}**".format)),
    on_structure("backticks", KEEPS, "labels stand in backticks", _every_label("`{}`".format)),
    on_structure("full-stop", KEEPS, "labels end with a full stop", _every_label("{}.".format)),
    on_structure("capitals", KEEPS, "labels in capitals", _every_label(str.upper)),
    on_structure("explained", KEEPS, "labels are followed by a reason", _every_label("{}, because it says so".format)),
    on_text("crlf", KEEPS, "lines end as on Windows", lambda text: [("", text.replace("\n", "\r\n"))]),
    _json_only(on_structure("key-order", KEEPS, "the fields stand in another order", _key_order)),
    on_structure("swap-items", KEEPS, "answers that name their items stand in another order", _swap),
    on_text("prose-around", KEEPS, "prose stands before and after the reply", lines.in_prose),
    on_text("blank-lines", KEEPS, "blank lines are added around the reply", lines.spaced),
)
"""All operators, those that lose information first."""

_BY_NAME = {operator.name: operator for operator in OPERATORS}


def operator(name: str) -> Operator:
    """The operator of a name; ``a+b`` is `a` followed by `b`.

    Raises:
        ValueError: There is none of that name.
    """
    first, plus, rest = name.partition("+")
    if first not in _BY_NAME:
        raise ValueError(f"no mutation operator is called {first!r}; there are: {', '.join(_BY_NAME)}")
    return _BY_NAME[first].then(operator(rest)) if plus else _BY_NAME[first]
