"""Asking deepeval's judge for verdicts until there is one usable verdict per item, or no hope of it.

The conversations are generators that yield calls, as `_calls.both_ways` drives them on the two call
paths, so both decide alike.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, NoReturn

from evalfixes.fixes.deepeval._calls import Call
from evalfixes.fixes.deepeval._families import MARK
from evalfixes.fixes.deepeval._families import of as family_of
from evalfixes.fixes.deepeval._replies import Reader, Reply, cell
from evalfixes.fixes.deepeval._slots import Free, Known, counting
from evalfixes.fixes.deepeval._unscored import unscored
from evalfixes.runtime import options

Ask = Callable[[Any], Any]
"""Puts a prompt to the judge, through upstream's own function; on one path the result is awaited."""


def _reply(ask: Ask, prompt: Any) -> Generator[Call, Any, Reply]:
    """Asks once."""
    reply = Reply()
    token = cell.set(reply.cell)
    try:
        reply.found = yield lambda: ask(prompt)
    except ValueError as error:
        reply.error = error
    finally:
        cell.reset(token)
    return reply


def list_of_verdicts(
    reader: Reader, metric: Any, ask: Ask, prompt: Any, items: Sequence[Any] | None
) -> Generator[Call, Any, list[Any]]:
    """The conversation for a list of verdicts.

    Args:
        reader: Reads its verdicts.
        metric: The metric that asks.
        ask: Puts a prompt to the judge.
        prompt: Upstream's prompt, or an `Again`.
        items: What is asked about, as far as upstream says.

    Returns:
        As many verdicts as items, or as the judge gave; stand-ins for the missing ones.
    """
    family = family_of(metric)
    known = items is not None and family is not None and family.counted and counting.get()
    reply = yield from _reply(ask, prompt)
    reader.broke = reply.cell.broken or reader.refused(reply)
    if items is not None and not items:  # nothing to judge
        return _as_upstream(reader, reply)
    first = Known(reader, reply, items or ()) if known else Free(reader, reply, items, family)
    for _ in range(options.current.rejudge):
        if first.complete:
            break
        reply = yield from _reply(ask, first.prompt(prompt))
        metric.error = None  # upstream leaves a note there when a reply is no JSON
        first.add(reply, family)
    if first.complete:
        return first.verdicts
    if first.error is not None:
        _invalid(metric, first.error)
    if family is None:
        unscored(metric, f"the judge's reply has verdicts missing: {reply.cell.text or '(no text)'}")
    return first.filled(family)


def _as_upstream(reader: Reader, reply: Reply) -> list[Any]:
    if reply.error is not None:
        raise reply.error
    found = [reader.verdict(entry) for entry in reply.entries or ()]
    return [verdict for verdict in found if verdict is not None]


def single_verdict(reader: Reader, metric: Any, ask: Ask, prompt: Any) -> Generator[Call, Any, Any]:
    """The conversation for one verdict; returns it, or a stand-in."""
    family = family_of(metric)
    reply = yield from _reply(ask, prompt)
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
        reply = yield from _reply(ask, further)
        if error is None or reply.error is None:
            # Of two replies one was JSON: its verdict is missing, whatever the other one was.
            reader.broke = reader.broke or error is not None
            error = metric.error = None
    if error is not None:
        _invalid(metric, error)
    if family is None:
        unscored(metric, f"the judge's reply has no usable verdict: {reply.cell.text or '(no text)'}")
    return reader.stand_in(family.bad, MARK)


def _invalid(metric: Any, error: ValueError) -> NoReturn:
    """The judge's replies have not even the form of an answer: no JSON, or what the schema refuses.

    Raises:
        UnscoredError: Always.
    """
    unscored(metric, f"the judge's reply is invalid: {' '.join(str(error).split())[:200]}", cause=error)
