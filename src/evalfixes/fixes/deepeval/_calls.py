"""One body for the two halves of deepeval's call paths, the synchronous and the asynchronous one.

A conversation is a generator function: it yields calls (functions without arguments, whose result may
have to be awaited), is sent what they return, or has thrown into it what they raise, and returns the
result of the whole.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any

from evalfixes.fixes.deepeval._shape import shaped

Call = Callable[[], Any]
Steps = Generator[Call, Any, Any]
Conversation = Callable[..., Steps]
Build = Callable[[Callable[..., Any], ModuleType], Callable[..., Any]]


def both_ways(converse: Callable[[Callable[..., Any], ModuleType], Conversation]) -> Build:
    """Makes a replacement's `build` that serves a function and its asynchronous counterpart alike.

    Args:
        converse: Makes the conversation that takes the original's place, of ``(original, module)``.
    """

    def build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
        conversation = converse(original, module)

        def asked(*args: Any, **kwargs: Any) -> Any:
            steps = conversation(*args, **kwargs)
            try:
                call = next(steps)
                while True:
                    try:
                        found = call()
                    except BaseException as error:  # the conversation decides what to make of it
                        call = steps.throw(error)
                    else:
                        call = steps.send(found)
            except StopIteration as done:
                return done.value

        async def a_asked(*args: Any, **kwargs: Any) -> Any:
            steps = conversation(*args, **kwargs)
            try:
                call = next(steps)
                while True:
                    try:
                        found = await call()
                    except BaseException as error:
                        call = steps.throw(error)
                    else:
                        call = steps.send(found)
            except StopIteration as done:
                return done.value

        half: Callable[..., Any] = a_asked if inspect.iscoroutinefunction(inspect.unwrap(original)) else asked
        return shaped(half, original)

    return build
