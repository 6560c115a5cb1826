"""The options that `apply()` sets and the fixes read at call time."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

INCOMPLETE = ("decide", "unscored", "worst")
DEEPEVAL_ERRORS = ("raise", "record")


class Options:
    """How the fixes deal with a judge that did not answer everything.

    Attributes:
        rejudge: How often an incomplete reply is put to the judge again, for what is missing only;
            0 turns it off.
        incomplete: What becomes of parts that stay missing: ``decide`` (a status that they cannot
            change stands, with the worse score; otherwise unscored), ``unscored`` (any missing part
            makes the whole unscored) or ``worst`` (missing counts as not supported).
        allow_unscored: Metrics known to be unavailable, which then do not gate while they are
            unscored: tables of ``metric``, ``reason`` and ``until`` (a date, ISO 8601).
        deepeval_errors: How an unscored deepeval metric shows: ``raise`` an `UnscoredError` out of
            ``measure``, or ``record`` it (``error`` set, ``score`` None, ``success`` False), for callers
            whom one exception costs a whole batch.
    """

    __slots__ = ("allow_unscored", "deepeval_errors", "incomplete", "rejudge")

    def __init__(
        self,
        rejudge: int = 1,
        incomplete: str = "decide",
        allow_unscored: Sequence[dict[str, Any]] = (),
        deepeval_errors: str = "raise",
    ) -> None:
        wrong = (
            problem("rejudge", rejudge)
            or problem("incomplete", incomplete)
            or problem("deepeval_errors", deepeval_errors)
            or (allow_unscored and problem("allow_unscored", allow_unscored))
        )
        if wrong:
            from evalfixes.errors import OptionError

            raise OptionError(f"evalfixes.apply: {wrong}")
        self.rejudge = rejudge
        self.incomplete = incomplete
        self.allow_unscored = tuple(allow_unscored)
        self.deepeval_errors = deepeval_errors


def problem(name: str, value: object) -> str:
    """Why an option cannot have a value; empty if it can."""
    if name == "rejudge":
        if type(value) is not int or value < 0:
            return f"rejudge={value!r} is not a whole number from 0 up"
    elif name == "strict":
        if type(value) is not bool:
            return f"strict={value!r} is neither true nor false"
    elif name == "allow_unscored":
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
            return f"allow_unscored={value!r} is no list of {{metric, reason, until}}"
        for entry in value:
            if not isinstance(entry, dict):
                return f"allow_unscored: {entry!r} is no table of metric, reason and until"
            lacking = [key for key in ("metric", "reason", "until") if not entry.get(key)]
            if lacking:
                return f"allow_unscored: {entry!r} has no {' and no '.join(lacking)}"
    else:
        known = INCOMPLETE if name == "incomplete" else DEEPEVAL_ERRORS
        if value not in known:
            return f"{name}={value!r} is not one of {', '.join(known)}"
    return ""


current = Options()
"""The options in force; replaced as a whole by `apply()`, so a reader sees one consistent set."""

start = ""
"""The folder in which the search for the settings file begins; empty for the current one. The pytest
plugin sets it to pytest's root."""


def settle(given: Mapping[str, Any], warn: bool = True) -> tuple[dict[str, Any], dict[str, str]]:
    """The options from `apply()`'s arguments, the environment and the settings file, the first that says something.

    Neither a settings file nor a variable costs more than the look for it.

    Args:
        given: The arguments; None where the caller left one out.
        warn: Whether to warn of entries that do not count.

    Returns:
        Those that somebody has set, and why the settings file skips fixes.

    Raises:
        OptionError: A value means nothing.
    """
    path = settings_file()
    named = [name for name in os.environ if name[:10] == "EVALFIXES_" and name not in READ_ELSEWHERE]
    if path or named or given.get("allow_unscored"):
        from evalfixes.runtime.settings import collect

        return collect(given, path, warn)
    return {name: value for name, value in given.items() if value is not None}, {}


# Read at other places, and so no reason to import the rest.
READ_ELSEWHERE = (
    "EVALFIXES_SKIP",
    "EVALFIXES_DISABLE",
    "EVALFIXES_CONFIG",
    "EVALFIXES_RUN",
    "EVALFIXES_CACHE_DIR",
    "EVALFIXES_RECORD",
)


def settings_file() -> str:
    """The settings file: ``EVALFIXES_CONFIG``, else the nearest ``pyproject.toml`` with our table; "" if there is none.

    The search goes up from where it starts and ends at a repository's root.
    """
    named = os.environ.get("EVALFIXES_CONFIG")
    if named is not None:
        return named
    try:
        folder = os.path.abspath(start or os.curdir)
    except OSError:  # the current folder is gone
        return ""
    while True:
        path = os.path.join(folder, "pyproject.toml")
        try:
            with open(path, "rb") as stream:
                text = stream.read()
        except OSError:
            pass
        else:
            if b"evalfixes" in text and has_table(text):
                return path
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return ""
        folder = above


def has_table(text: bytes) -> bool:
    """Whether a TOML text may hold ``tool.evalfixes``: it does not have to be parsed where it cannot."""
    head = b""
    for line in text.splitlines():
        line = line.strip()
        if line[:1] == b"[":
            head = line.translate(None, b" \t\"'[]").partition(b"#")[0]
            if head == b"tool.evalfixes" or head[:15] == b"tool.evalfixes.":
                return True
        elif b"evalfixes" in line:
            key = line.translate(None, b" \t\"'")
            if key[:4] == b"tool" or (head == b"tool" and key[:9] == b"evalfixes"):
                return True
    return False
