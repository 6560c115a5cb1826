"""Schemas of verdicts that take what deepeval's own refuse, so that it can be read or found missing.

Handed to a judge in place of deepeval's: the name, the fields and the JSON schema are the same, and a
valid verdict becomes an object of deepeval's own class.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, get_args


def _keep(value: Any, valid: Any) -> Any:
    try:
        return valid(value)
    except ValueError:
        return value


@cache
def lenient(schema: Any) -> Any:
    """The schema with a list of verdicts, or a single one, that may be anything.

    Args:
        schema: Deepeval's class, with a field ``verdicts`` or ``verdict``.

    Returns:
        A subclass; instances of deepeval's own class count as instances of it.
    """
    from pydantic import BaseModel, WrapValidator

    class Meta(type(BaseModel)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, schema)

    fields = schema.model_fields
    name = "verdicts" if "verdicts" in fields else "verdict"
    taken = fields[name].annotation
    if name == "verdicts":
        (one,) = get_args(taken)
        taken = list[Annotated[one, WrapValidator(_keep)]]  # type: ignore[valid-type]
    else:
        taken = Annotated[taken, WrapValidator(_keep)]
    body = {
        "__module__": schema.__module__,
        "__qualname__": schema.__qualname__,
        "__doc__": schema.__doc__,
        "__annotations__": {name: taken},
    }
    if not fields[name].is_required():
        body[name] = fields[name].default
    return Meta(schema.__name__, (schema,), body)
