"""Functions with another function's parameters, for targets whose parameters differ by release."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

Arguments = dict[str, Any]


def like(original: Callable[..., Any], handle: Callable[[Arguments], Any]) -> Callable[..., Any]:
    """A function with the parameters and async kind of another, which gives its arguments to `handle`.

    Written out as source, as `collections.namedtuple` does, because callers and checks see real
    parameters then, whatever a release adds. What ``**rest`` takes in is merged into the arguments.

    Args:
        original: The function to look like.
        handle: Gets the arguments by name; a coroutine function if the original is one.
    """
    parameters = inspect.signature(original).parameters.values()
    names: dict[str, Any] = {"_handle": handle}
    declared, passed = [], []
    starred = False
    for number, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_KEYWORD:
            declared.append(f"**{parameter.name}")
            passed.append(f"**{parameter.name}")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            declared.append("*")
            starred = True
        default = ""
        if parameter.default is not parameter.empty:
            names[f"_default_{number}"] = parameter.default
            default = f"=_default_{number}"
        declared.append(f"{parameter.name}{default}")
        passed.append(f"{parameter.name!r}: {parameter.name}")
    given = "{" + ", ".join(passed) + "}"
    kind, call = ("async def", "await _handle") if inspect.iscoroutinefunction(original) else ("def", "_handle")
    source = f"{kind} function({', '.join(declared)}):\n    return {call}({given})\n"
    exec(compile(source, f"<parameters of {getattr(original, '__qualname__', 'a function')}>", "exec"), names)
    made: Callable[..., Any] = names["function"]
    return made
