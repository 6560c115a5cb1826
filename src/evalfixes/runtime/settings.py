"""Settings outside of the code: ``[tool.evalfixes]`` in ``pyproject.toml``, and environment variables.

Imported only where one of the two is there. A value or a key that means nothing is an error. An entry
that has no reason, or whose day is past, does not count: at run time that is a warning, for `evalfixes
doctor` an error.
"""

from __future__ import annotations

import os
import sys
from datetime import date, datetime

from evalfixes._index import INDEX
from evalfixes.errors import SettingsError, UnknownFixError
from evalfixes.runtime import options
from evalfixes.runtime.allow import until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

VARIABLES = {
    "EVALFIXES_STRICT": "strict",
    "EVALFIXES_REJUDGE": "rejudge",
    "EVALFIXES_INCOMPLETE": "incomplete",
    "EVALFIXES_DEEPEVAL_ERRORS": "deepeval_errors",
    "EVALFIXES_ALLOW_UNSCORED": "allow_unscored",
}
"""The option that each environment variable sets."""

ENTRIES = {"skip": ("id", "reason", "until"), "allow_unscored": ("metric", "reason", "until")}
"""Keys of the entries of each list; the first says what the entry is about."""

KEYS = (*VARIABLES.values(), "skip")
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class Settings:
    """What one source says.

    Attributes:
        where: The file or variable, for messages.
        values: Options by name; entries that do not count are left out.
        skip: Why fixes are skipped, by id.
        errors: What means nothing.
        lapsed: Entries that do not count, and why.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.values: dict[str, Any] = {}
        self.skip: dict[str, str] = {}
        self.errors: list[str] = []
        self.lapsed: list[str] = []


def collect(
    given: Mapping[str, Any], path: str, warn: bool = True, today: date | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """The options that somebody has set: arguments over environment over file.

    Args:
        given: Arguments of `apply()`; None where one was left out.
        path: The settings file; empty for none.
        warn: Whether to warn of what does not count.
        today: The day; the local one by default.

    Returns:
        The options, and why the file skips fixes.

    Raises:
        OptionError: A value means nothing.
    """
    day = today or datetime.now().astimezone().date()
    arguments = {name: value for name, value in given.items() if value is not None}
    sources = sources_of(path, day)
    told = strange_variables()
    for source in sources:
        if source.errors:
            raise SettingsError(source.where, source.errors)
        told += [f"{source.where}: {problem}" for problem in source.lapsed]
    if "allow_unscored" in arguments:
        said = Settings("evalfixes.apply")
        wrong = options.problem("allow_unscored", arguments["allow_unscored"])
        if not wrong:  # else `Options` says what is wrong
            arguments["allow_unscored"] = _entries(said, "allow_unscored", arguments["allow_unscored"], day)
        if said.errors:
            raise SettingsError(said.where, said.errors)
        told += [f"{said.where}: {problem}" for problem in said.lapsed]
    for message in told if warn else ():
        from evalfixes.runtime.warn import warn as issue

        issue(message)
    merged: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    for source in sources:  # the file comes last
        merged = {**source.values, **merged}
        skipped.update(source.skip)
    return {**merged, **arguments}, skipped


def sources_of(path: str, today: date) -> list[Settings]:
    """What the environment and the settings file say, in that order."""
    return [
        *(_variable(name, today) for name in VARIABLES if name in os.environ),
        *([read(path, today)] if path else []),
    ]


def examine(today: date | None = None) -> None:
    """Says what is wrong in the settings, entries that do not count included: for `evalfixes doctor`.

    Raises:
        SettingsError: All that is wrong.
    """
    day = today or datetime.now().astimezone().date()
    problems: list[tuple[str, str]] = []
    for source in sources_of(options.settings_file(), day):
        problems += [(source.where, problem) for problem in (*source.errors, *source.lapsed)]
    problems += [tuple(name.split(": ", 1)) for name in strange_variables()]  # type: ignore[misc]
    if problems:
        first = problems[0][0]
        raise SettingsError(
            first, [problem if where == first else f"{where}: {problem}" for where, problem in problems]
        )


def read(path: str, today: date) -> Settings:
    """Reads a settings file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    said = Settings(path)
    try:
        with open(path, "rb") as stream:
            parsed = tomllib.load(stream)
    except OSError as error:
        said.errors.append(f"cannot be read ({error.strerror}); EVALFIXES_CONFIG names it, or the search found it")
        return said
    except ValueError as error:
        said.errors.append(f"is not valid TOML: {error}")
        return said
    tool = parsed.get("tool", {})
    table = tool.get("evalfixes", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        said.errors.append(f"tool.evalfixes is {table!r}, not a table")
        return said
    for key, value in table.items():
        if key not in KEYS:
            said.errors.append(f"[tool.evalfixes] has an unknown key {_unknown(key, KEYS)}")
        elif key == "skip":
            _skip(said, value, today)
        elif key == "allow_unscored":
            said.values[key] = _entries(said, key, value, today)
        elif wrong := options.problem(key, value):
            said.errors.append(wrong)
        else:
            said.values[key] = value
    return said


def _variable(name: str, today: date) -> Settings:
    said = Settings(name)
    option, text = VARIABLES[name], os.environ[name].strip()
    value: Any = text
    if option == "strict":
        lower = text.lower()
        value = True if lower in _TRUE else False if lower in _FALSE else text
    elif not text:  # an empty variable is how CI systems unset one
        return said
    elif option == "rejudge":
        value = int(text) if text.isascii() and text.isdigit() else text
    elif option == "allow_unscored":
        import json

        try:
            value = json.loads(text)
        except ValueError as error:
            said.errors.append(f'is no JSON list such as [{{"metric": …, "reason": …, "until": …}}]: {error}')
            return said
        said.values[option] = _entries(said, option, value, today)
        return said
    if wrong := options.problem(option, value):
        said.errors.append(wrong)
    else:
        said.values[option] = value
    return said


def _skip(said: Settings, value: Any, today: date) -> None:
    for entry in _entries(said, "skip", value, today):
        fix_id = entry["id"]
        if fix_id not in INDEX:
            said.errors.append(f"skip: {UnknownFixError(fix_id, INDEX)}")
            continue
        end = f" until {until(entry['until'])}" if entry.get("until") else ""
        said.skip[fix_id] = f"skipped by {said.where}{end}: {entry['reason']}"


def _entries(said: Settings, name: str, value: Any, today: date) -> list[dict[str, Any]]:
    """The entries of a list that count; the others are noted."""
    keys = ENTRIES[name]
    subject = keys[0]
    if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
        said.errors.append(f"{name} is {value!r}, not a list of {{ {', '.join(keys)} }}")
        return []
    counting = []
    for entry in value:
        if isinstance(entry, str):  # a bare id or name: the entry that has no reason
            entry = {subject: entry}
        if not isinstance(entry, dict):
            said.errors.append(f"{name}: {entry!r} is no table of {', '.join(keys)}")
            continue
        strange = [key for key in entry if key not in keys]
        if strange:
            said.errors += [f"{name}: {dict(entry)!r} has an unknown key {_unknown(key, keys)}" for key in strange]
            continue
        label = entry.get(subject)
        if not isinstance(label, str) or not label.strip():
            said.errors.append(f"{name}: {dict(entry)!r} has no {subject}")
            continue
        if name == "skip" and label not in INDEX:
            said.errors.append(f"skip: {UnknownFixError(label, INDEX)}")
            continue
        lapsed = _lapsed(entry, today, must_end=name == "allow_unscored")
        if lapsed:
            said.lapsed.append(f"{name}: the entry for {label!r} does not count: {lapsed}")
        else:
            counting.append(dict(entry))
    return counting


def _lapsed(entry: Mapping[str, Any], today: date, must_end: bool) -> str:
    """Why an entry does not count; empty if it does."""
    reason = entry.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return 'it has no reason; add reason = "…"'
    end = entry.get("until")
    if end in (None, ""):
        # A skipped fix shows in every report; a metric that does not gate shows in none that is green.
        return "it has no until; add the day on which it ends, until = 2027-03-31" if must_end else ""
    day = until(end)
    if day is None:
        return f"until = {str(end)!r} is no date such as 2027-03-31"
    if day < today:
        return f"it ended on {day}; remove it, or give a later day and why"
    return ""


def strange_variables() -> list[str]:
    """Variables that look like one of ours with a slip of the pen, each with what it may stand for."""
    known = {name.removeprefix("EVALFIXES_"): name for name in (*VARIABLES, *options.READ_ELSEWHERE)}
    found = []
    for name in os.environ:
        if name.startswith("EVALFIXES_") and name.removeprefix("EVALFIXES_") not in known:
            from difflib import get_close_matches

            near = get_close_matches(name.removeprefix("EVALFIXES_").upper(), known, n=1, cutoff=0.75)
            if near:
                found.append(f"{name}: unknown environment variable; did you mean {known[near[0]]}?")
    return found


def _unknown(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key.replace("-", "_"), list(known), n=1, cutoff=0.5)
    return f"{key!r}; " + (f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}")
