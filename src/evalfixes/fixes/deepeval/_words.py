"""Verdicts in the releases before 4.2.4, where each metric asks for them by itself, in plain strings."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from types import ModuleType
from typing import Any, get_args, get_type_hints

from evalfixes.fixes.deepeval import _families
from evalfixes.fixes.deepeval._asking import list_of_verdicts, single_verdict
from evalfixes.fixes.deepeval._calls import Call, Conversation, both_ways
from evalfixes.fixes.deepeval._listening import Facade, Listening, parser
from evalfixes.fixes.deepeval._replies import Again, Cell, Reader, cell
from evalfixes.verdicts.yesno import ALIASES, YES_NO


def _family(metric: Any) -> _families.Family:
    family = _families.of(metric)
    assert family is not None  # the replacement sits on that class
    return family


class _Asked:
    """One call of a metric's method that asks for a list of verdicts.

    Args:
        original: Upstream's method.
        metric: The metric.
        args: What else the method is called with; its parameters differ between the releases.
        kwargs: The same, by name.
    """

    listens = False

    def __init__(
        self, original: Callable[..., Any], metric: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        self.metric = metric
        self.family = _family(metric)
        self.heard = Cell()
        self._original = original
        self._bound = inspect.signature(inspect.unwrap(original)).bind(metric, *args, **kwargs)
        self.items = self._items()

    def _items(self) -> Sequence[Any] | None:
        name, given = self.family.items, self._bound.arguments
        if given.get("multimodal"):  # images are asked about in other ways
            return None
        return given[name] if name in given else getattr(self.metric, name, None)

    def of_node(self, node: Any) -> _Asked:
        """The same call, about one item only."""
        one = copy.copy(self)
        one._bound = self._with(**{self.family.items: [node]})
        one.items = [node]
        return one

    def _with(self, **changed: Any) -> inspect.BoundArguments:
        bound = copy.copy(self._bound)
        bound.arguments = {**bound.arguments, **changed}  # type: ignore[assignment]
        return bound

    def ask(self, again: Again) -> Any:
        """Calls upstream's method: at first as it was called, then with what is still missing only."""
        own: dict[str, Any] = {}
        changed: dict[str, Any] = {}
        name, items = self.family.items, self.items
        if again.missing and items is not None and len(items) == again.count:
            (changed if name in self._bound.arguments else own)[name] = [items[i] for i in again.missing]
        opened = cell.get()
        if opened is not None and self.listens:
            self.heard = opened
            own["model"] = Listening(self.metric.model, opened, parser(self._original))
        bound = self._with(**changed)
        return self._original(Facade(self.metric, **own), *bound.args[1:], **bound.kwargs)

    def reader(self, verdict_cls: Any) -> Reader:
        """Reads verdicts as this method returns them."""
        fields = getattr(verdict_cls, "model_fields", {})
        words = get_args(fields["verdict"].annotation) if fields else ()
        allowed = dict.fromkeys(ALIASES.get(word, word) for word in words or YES_NO)
        given = {name: value for name, value in self._bound.arguments.items() if name in fields}
        return Reader(verdict_cls, str, tuple(allowed), given, drops=False)


class _Heard(_Asked):
    """The same, where the judge's reply is heard before upstream makes something of it."""

    listens = True


def _classes(original: Callable[..., Any]) -> tuple[Any, Any]:
    """What the method is said to return its verdicts in, unless that is a list, and the class of a verdict."""
    returned: Any = get_type_hints(inspect.unwrap(original)).get("return")
    if hasattr(returned, "model_fields"):
        return returned, get_args(returned.model_fields["verdicts"].annotation)[0]
    return None, next(iter(get_args(returned)), None)


def _objects(original: Callable[..., Any], module: ModuleType) -> Conversation:
    def _generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Generator[Call, Any, Any]:
        asked = _Asked(original, self, args, kwargs)
        return list_of_verdicts(Reader(None, str, YES_NO), self, asked.ask, Again(), None)

    return _generate_verdicts


build_objects = both_ways(_objects)
"""Of a metric's method that asks for a list of verdicts; they are read as upstream returns them."""


def _list(original: Callable[..., Any], module: ModuleType) -> Conversation:
    container, verdict_cls = _classes(original)
    # From 3.7.7 on the metrics that score windows of a conversation cannot read their judge's text:
    # they take its JSON for verdict objects and fail. They still do.
    raw = hasattr(module, "generate_with_schema_and_extract")

    def verdicts(asked: _Asked) -> Generator[Call, Any, list[Any]]:
        reader = asked.reader(verdict_cls)
        found = yield from list_of_verdicts(reader, asked.metric, asked.ask, Again(), asked.items)
        if raw and asked.family.turns and asked.heard.raw:
            marks = [verdict for verdict in found if _families.is_mark(verdict)]
            for mark in marks:
                mark.reason = _families.broken(mark.reason)
            return found if marks else [dict(verdict) for verdict in found]
        return found

    def _generate_verdicts(self: Any, *args: Any, **kwargs: Any) -> Generator[Call, Any, Any]:
        asked = _Heard(original, self, args, kwargs)
        found: list[Any] = []
        if asked.family.name == "turn_contextual_relevancy" and asked.items:
            for node in asked.items:  # upstream asks node by node, and adds the verdicts up
                found += yield from verdicts(asked.of_node(node))
        else:
            found = yield from verdicts(asked)
        # Up to 3.7.5 prompt alignment is said to return such an object too, and returns a list.
        held = container is not None and asked.family.name == "contextual_relevancy"
        return container.model_construct(verdicts=found) if held else found

    return _generate_verdicts


build_list = both_ways(_list)
"""The same, read as the judge replied."""


def _single(original: Callable[..., Any], module: ModuleType) -> Conversation:
    def _generate_verdict(self: Any, *args: Any, **kwargs: Any) -> Generator[Call, Any, Any]:
        reader = Reader(None, str, YES_NO)
        return single_verdict(reader, self, lambda _: original(self, *args, **kwargs), Again())

    return _generate_verdict


build_single = both_ways(_single)
"""Of a metric's method that asks for one verdict."""
