"""Asking deepeval's judge for verdicts until there is one usable verdict per item, or no hope of it.

The conversation itself (`list_of_verdicts`, `single_verdict`) is a generator that yields prompts and
receives replies; `run` and `a_run` drive it on the two call paths, so both decide alike.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any

from evalfixes.fixes.deepeval._families import MARK
from evalfixes.fixes.deepeval._families import of as family_of
from evalfixes.fixes.deepeval._replies import Reader, Reply, cell
from evalfixes.fixes.deepeval._slots import Free, Known, counting
from evalfixes.fixes.deepeval._unscored import unscored
from evalfixes.runtime import options


def run(dialogue: Generator[Any, Reply, Any], ask: Callable[[Any], Any]) -> Any:
    """Drives a conversation on the synchronous path."""
    prompt = next(dialogue)
    while True:
        reply = Reply()
        token = cell.set(reply.cell)
        try:
            reply.found = ask(prompt)
        except ValueError as error:
            reply.error = error
        finally:
            cell.reset(token)
        try:
            prompt = dialogue.send(reply)
        except StopIteration as done:
            return done.value


async def a_run(dialogue: Generator[Any, Reply, Any], ask: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    """Drives a conversation on the asynchronous path."""
    prompt = next(dialogue)
    while True:
        reply = Reply()
        token = cell.set(reply.cell)
        try:
            reply.found = await ask(prompt)
        except ValueError as error:
            reply.error = error
        finally:
            cell.reset(token)
        try:
            prompt = dialogue.send(reply)
        except StopIteration as done:
            return done.value


def list_of_verdicts(
    reader: Reader, metric: Any, prompt: Any, items: Sequence[Any] | None
) -> Generator[Any, Reply, list[Any]]:
    """The conversation for a list of verdicts.

    Args:
        reader: Reads its verdicts.
        metric: The metric that asks.
        prompt: Upstream's prompt, or an `Again`.
        items: What is asked about, as far as upstream says.

    Returns:
        As many verdicts as items, or as the judge gave; stand-ins for the missing ones.
    """
    family = family_of(metric)
    known = items is not None and family is not None and family.counted and counting.get()
    reply = yield prompt
    reader.broke = reply.cell.broken
    if items is not None and not items:  # nothing to judge
        return _as_upstream(reader, reply)
    first = Known(reader, reply, items or ()) if known else Free(reader, reply, items, family)
    for _ in range(options.current.rejudge):
        if first.complete:
            break
        reply = yield first.prompt(prompt)
        metric.error = None  # upstream leaves a note there when a reply is no JSON
        first.add(reply, family)
    if first.complete:
        return first.verdicts
    if first.error is not None:
        _note_error(metric, first.error)
        raise first.error
    if family is None:
        unscored(metric, f"the judge's reply has verdicts missing: {reply.cell.text or '(no text)'}")
    return first.filled(family)


def _as_upstream(reader: Reader, reply: Reply) -> list[Any]:
    if reply.error is not None:
        raise reply.error
    found = [reader.verdict(entry) for entry in reply.entries or ()]
    return [verdict for verdict in found if verdict is not None]


def single_verdict(reader: Reader, metric: Any, prompt: Any) -> Generator[Any, Reply, Any]:
    """The conversation for one verdict; returns it, or a stand-in."""
    family = family_of(metric)
    reply = yield prompt
    error = reply.error
    for left in range(options.current.rejudge, -1, -1):
        entry = reply.cell.entries[0] if reply.cell.entries else reply.found
        found = None if reply.error is not None or entry is None else reader.verdict(entry)
        if found is not None:
            return found
        if left == 0:
            break
        further = prompt
        if isinstance(prompt, str):
            further = (
                f"{prompt}\n\nYour last answer to this could not be used. Answer once more, in the same JSON format, "
                "with one word of the vocabulary as the verdict.\n\nJSON:\n"
            )
        reply = yield further
        if error is None or reply.error is None:
            # Of two replies one was JSON: its verdict is missing, whatever the other one was.
            reader.broke = reader.broke or error is not None
            error = metric.error = None
    if error is not None:
        _note_error(metric, error)
        raise error
    if family is None:
        unscored(metric, f"the judge's reply has no usable verdict: {reply.cell.text or '(no text)'}")
    return reader.stand_in(family.bad, MARK)


def _note_error(metric: Any, error: ValueError) -> None:
    if getattr(metric, "error", None) is None:
        metric.error = str(error)
    metric.score = None
    metric.success = False
    metric.reason = None
