"""Who was not judged, and why: logged as it happens, and summed up in one closing line per run.

Fixes report with `record` what a judge was asked about and what of it stays unscored. What counts is
kept in the run that is open in the current context (`opened`), so that concurrent evaluations do not
mix; without an open run, in one for the process, which is closed when the interpreter ends. Imports no
upstream and nothing that is not needed.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from threading import Lock

logger = logging.getLogger("evalfixes")

EXCERPT = 200
"""Characters of a judge's reply that are logged."""


class Run:
    """What was judged in one run.

    Args:
        within: The run that this is a part of: what counts here counts there, and what was told there is not
            told again.

    Attributes:
        judged: Parts that a judge was asked about, those without an answer included.
        unscored: How many of them have none, by reason.
    """

    def __init__(self, within: Run | None = None) -> None:
        self._within = within
        self.judged = 0
        self.unscored: Counter[str] = Counter()
        self._told: set[tuple[object, ...]] = set()
        self._lock = Lock()

    @property
    def closing_line(self) -> str:
        """``3 of 412 judged parts unscored: 2 left out, 1 unreadable``; empty if nothing is missing."""
        with self._lock:
            total = sum(self.unscored.values())
            reasons = ", ".join(f"{count} {reason}" for reason, count in self.unscored.most_common())
            return f"{total} of {self.judged} judged parts unscored: {reasons}" if total else ""

    def add(self, judged: int, unscored: Sequence[str]) -> None:
        """Counts parts, here, in the run that this is a part of and in the total of the process."""
        with self._lock:
            self.judged += judged
            self.unscored.update(unscored)
        if self is not total:
            (self._within or total).add(judged, unscored)
        if self is _process and unscored and self.first("closed at exit"):
            atexit.register(_close_process)

    def first(self, *key: object) -> bool:
        """Whether this is told for the first time in this run."""
        if self._within is not None:
            return self._within.first(*key)
        with self._lock:
            new = key not in self._told
            self._told.add(key)
            return new


total = Run()
"""All that was judged in this process, whichever run it belongs to."""

closed_elsewhere = False
"""Whether somebody shows the total of the process at its end, as the pytest plugin does."""

_process = Run()
_run: ContextVar[Run | None] = ContextVar("evalfixes_run", default=None)
_place: ContextVar[str] = ContextVar("evalfixes_place", default="")


def current() -> Run:
    """The run that is open here, else that of the process."""
    return _run.get() or _process


@contextlib.contextmanager
def opened(run: Run | None = None) -> Iterator[Run]:
    """Opens a run for what is called inside, tasks and coroutines started there included.

    A generator must not yield while it is open: its consumer would see it too.
    """
    run = run or Run()
    token = _run.set(run)
    try:
        yield run
    finally:
        _run.reset(token)


@contextlib.contextmanager
def counted() -> Iterator[Run]:
    """Counts what is judged inside apart, and in the run that is open as well.

    For what judges by calling other metrics: it sees what those have counted, and does not count it again.
    """
    with opened(Run(current())) as part:
        yield part


@contextlib.contextmanager
def at(place: str) -> Iterator[None]:
    """Names what is being judged inside: ``case c1``. Places nest."""
    outer = _place.get()
    token = _place.set(f"{outer}, {place}" if outer else place)
    try:
        yield
    finally:
        _place.reset(token)


def place() -> str:
    """What is being judged here; empty if nobody said."""
    return _place.get()


def record(
    metric: str,
    judged: int,
    unscored: Sequence[str] = (),
    *,
    where: str = "",
    why: str = "",
    reply: str | None = None,
) -> None:
    """Records what a judge was asked about, and logs what stays unscored.

    Args:
        metric: The metric's name.
        judged: How many parts were asked about.
        unscored: A reason for each that has no score: ``left out``, ``unreadable``, ...
        where: The invocation, if it has an id; the case is known from `at`.
        why: What happened, in a few words.
        reply: What the judge said.
    """
    run = current()
    run.add(judged, unscored)
    if not unscored:
        return
    outer = place()
    where = ", ".join(name for name in (outer, where) if name)
    if not run.first(metric, where, why, reply):
        return
    counts = ", ".join(f"{count} {reason}" for reason, count in Counter(unscored).most_common())
    said = "" if reply is None else f"; the judge said: {_excerpt(reply)}"
    logger.warning(
        "%s%s: %d of %d unscored (%s)%s%s",
        metric,
        f" ({where})" if where else "",
        len(unscored),
        judged,
        counts,
        f": {why}" if why else "",
        said,
    )


def tell(message: str, *arguments: object) -> None:
    """Logs a warning once per run."""
    if current().first(message, *arguments):
        logger.warning(message, *arguments)


def close(run: Run) -> None:
    """Logs the closing line, if there is anything to say."""
    line = run.closing_line
    if line:
        logger.warning("%s", line)


def _close_process() -> None:
    if not closed_elsewhere:
        close(_process)


def _excerpt(reply: str) -> str:
    text = " ".join(reply[: 4 * EXCERPT].split())
    return repr(text[:EXCERPT]) + ("..." if len(text) > EXCERPT or len(reply) > 4 * EXCERPT else "")
