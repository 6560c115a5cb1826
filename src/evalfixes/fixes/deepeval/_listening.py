"""Hearing what a judge replied, in the releases before 4.2.4, whose metrics keep only what they made of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from evalfixes.fixes.deepeval._lenient import lenient
from evalfixes.fixes.deepeval._replies import Cell

_ASKING = ("generate", "a_generate", "generate_with_schema", "a_generate_with_schema")


class Listening:
    """A judge whose list of verdicts is left in a cell; upstream is shown an empty one.

    Args:
        model: The judge.
        opened: Takes its reply.
        parse: Upstream's reading of JSON, see `parser`.
    """

    def __init__(self, model: Any, opened: Cell, parse: Callable[[str], Any]) -> None:
        self._model = model
        self._opened = opened
        self._parse = parse

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        if name not in _ASKING:
            return found

        def ask(*args: Any, schema: Any = None, **kwargs: Any) -> Any:
            if schema is None:
                return self._heard(found(*args, **kwargs), None)
            return self._heard(found(*args, schema=lenient(schema), **kwargs), schema)

        async def a_ask(*args: Any, schema: Any = None, **kwargs: Any) -> Any:
            if schema is None:
                return self._heard(await found(*args, **kwargs), None)
            return self._heard(await found(*args, schema=lenient(schema), **kwargs), schema)

        return a_ask if name.startswith("a_") or inspect.iscoroutinefunction(found) else ask

    def _heard(self, reply: Any, schema: Any) -> Any:
        if isinstance(reply, tuple) and len(reply) == 2:  # with what it has cost
            return self._heard(reply[0], schema), reply[1]
        if isinstance(reply, str):
            return self._text(reply)
        if schema is not None and isinstance(reply, schema):
            self._opened.seen = True
            self._opened.entries = list(reply.verdicts)
            return schema.model_construct(verdicts=[])
        return reply

    def _text(self, reply: str) -> str:
        try:
            data = self._parse(reply)
        except ValueError:
            return reply  # upstream will say so
        listed = data.get("verdicts") if isinstance(data, dict) else None
        opened = self._opened
        opened.seen = opened.raw = True
        opened.entries = list(listed) if isinstance(listed, list) else None
        opened.text = repr(data)[:200]
        # Upstream goes over any empty container as over an empty list.
        opened.broken = not isinstance(listed, list) and (listed is None or bool(listed) or isinstance(listed, int))
        return '{"verdicts": []}'


def parser(method: Callable[..., Any]) -> Callable[[str], Any]:
    """Upstream's reading of JSON as a metric's method comes to it: in a repaired class that is the class's own."""
    names = inspect.unwrap(method).__globals__
    through = names.get("generate_with_schema_and_extract")
    if "trimAndLoadJson" not in names and through is not None:
        names = inspect.unwrap(through).__globals__
    found: Callable[[str], Any] = names["trimAndLoadJson"]
    return found


class Facade:
    """A metric with some attributes of its own; all others are read from and written to the metric itself.

    Args:
        metric: The metric.
        own: The attributes.
    """

    def __init__(self, metric: Any, **own: Any) -> None:
        object.__setattr__(self, "_metric", metric)
        object.__setattr__(self, "_own", own)

    def __getattr__(self, name: str) -> Any:
        own = object.__getattribute__(self, "_own")
        return own[name] if name in own else getattr(object.__getattribute__(self, "_metric"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_metric"), name, value)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(object.__getattribute__(self, "_metric"))
