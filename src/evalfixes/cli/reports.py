"""What `evalfixes doctor` and `evalfixes audit` found, as text, Markdown or SARIF 2.1.0."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evalfixes import __version__, catalog
from evalfixes.facts import fix_facts
from evalfixes.runtime.decide import FAULTY, NOT_INSTALLED, UNKNOWN
from evalfixes.runtime.provenance import MARK

_SHOWN = 3
"""Failures shown per fix; the rest is in the JSON."""

BY_CHOICE = "by choice"
"""Stands for the state of a fix that is only applied when it is named, and was not."""

HEADS = ["fix", "installed", "bare", "after apply()", "wrong -> right"]
_MANIFESTS = ("pyproject.toml", "requirements*.txt", "requirements/*.txt", "setup.cfg", "uv.lock", "poetry.lock")
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def considered(row: dict[str, Any], applied: bool) -> str:
    """The state of a row that the exit code goes by.

    What is skipped with a reason is accepted under ``--applied``. What upstream does on purpose and
    documents is repaired only for those who name the fix, so it is not faulty for the others.
    """
    if applied and row.get("accepted"):
        return "accepted"
    if row.get("by_choice") and row["bare"] == FAULTY:
        return BY_CHOICE
    state: str = row["applied" if applied else "bare"]
    return state


def headline(rows: Sequence[dict[str, Any]], applied: bool) -> str:
    """One line: what is installed, and how many fixes it needs."""
    installed = {row["dist"]: row["release"] or "?" for row in rows if row["bare"] != NOT_INSTALLED}
    where = ", ".join(f"{dist} {release}" for dist, release in installed.items()) or "none of the upstreams"
    counted = [row for row in rows if considered(row, False) != BY_CHOICE]
    faulty = sum(row["bare"] == FAULTY for row in counted)
    left = sum(row["bare"] == row["applied"] == FAULTY for row in counted)
    unknown = sum(row["applied" if applied else "bare"] == UNKNOWN for row in rows)
    skipped = sum(bool(row.get("skipped")) for row in rows)
    parts = [f"{faulty} faulty, {faulty - left} of them repaired by apply()" if faulty else "nothing faulty"]
    parts += [f"{unknown} unknown"] if unknown else []
    parts += [f"{skipped} skipped"] if skipped else []
    parts += [f"{len(rows) - len(counted)} by choice"] if len(counted) < len(rows) else []
    return f"evalfixes {__version__} on {where}: {', '.join(parts)}"


def cells(row: dict[str, Any]) -> list[str]:
    """One row of the table."""
    shown = ""
    if row["wrong"] is not None and row["right"] is not None:
        shown = f"{_value(row['wrong'])} -> {_value(row['right'])}"
        if _value(row["wrong"]) == _value(row["right"]):  # then what the judge was shown is what is wrong
            other = [key for key, value in row["right"].items() if row["wrong"].get(key) != value]
            shown += f" ({', '.join(other[:2])})" if other else ""
    release = f"{row['dist']} {row['release']}".strip()
    after = f"{row['applied']}, skipped" if row.get("skipped") else row["applied"]
    after += " if named" if considered(row, False) == BY_CHOICE else ""
    bare = f"{row['bare']} ({row['where']})" if row.get("where") else row["bare"]
    return [row["id"], release, bare, after, shown]


def table(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The rows of the table; those of a distribution that is not installed are one."""
    lines: list[list[str]] = []
    absent: dict[str, int] = {}
    for row in rows:
        if row["bare"] == NOT_INSTALLED:
            absent[row["dist"]] = absent.get(row["dist"], 0) + 1
        else:
            lines.append(cells(row))
    for dist, count in absent.items():
        lines.append([f"({count} fix{'es' if count > 1 else ''})", dist, NOT_INSTALLED, NOT_INSTALLED, ""])
    return lines


def _value(outcome: dict[str, Any]) -> str:
    score = outcome.get("score")
    text = f"{score:.4g}" if isinstance(score, (int, float)) else "no score"
    return f"{text} {outcome.get('status', '')}".strip()


def print_text(rows: Sequence[dict[str, Any]], applied: bool) -> None:
    """Prints the table and what is to be said of single rows."""
    print(headline(rows, applied))
    print_grid(HEADS, table(rows))
    for line in [*details(rows), *advice(rows), *exit_codes(rows)]:
        print(line)


def print_grid(heads: Sequence[str], grid: Sequence[Sequence[str]]) -> None:
    """Prints a table, with `rich` where that is installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        widths = [max(len(line[i]) for line in [heads, *grid]) for i in range(len(heads))]
        for line in [heads, *grid]:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    else:
        shown = Table(box=None, pad_edge=False)
        for head in heads:
            shown.add_column(head, overflow="fold")
        for line in grid:
            shown.add_row(*line)
        Console(highlight=False, width=None if sys.stdout.isatty() else 160).print(shown)


def details(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Failures, and the evidence where something is left."""
    lines = []
    for row in rows:
        lines += [f"{row['id']}: {failure}" for failure in row["failures"][:_SHOWN]]
        if len(row["failures"]) > _SHOWN:
            lines.append(f"{row['id']}: and {len(row['failures']) - _SHOWN} more; --format json has them all")
        if row.get("skipped"):
            lines.append(f"{row['id']}: {row['skipped']}")
        elif row["bare"] == UNKNOWN or row["applied"] in (UNKNOWN, FAULTY):
            lines.append(f"{row['id']}: {row['evidence']}")
    return lines


def advice(rows: Iterable[dict[str, Any]]) -> list[str]:
    """What to do next."""
    return [f"next: {text}" for text in dict.fromkeys(row["next"] for row in rows if row["next"])]


def exit_codes(rows: Iterable[dict[str, Any]]) -> list[str]:
    """What is to be known of `adk eval` in releases whose exit code says nothing."""
    from packaging.version import InvalidVersion, Version

    for row in rows:
        if row["dist"] == "google-adk" and row["release"]:
            try:
                silent = Version(row["release"]) < Version("2.13.0")
            except InvalidVersion:
                return []
            if silent:
                note = f"note: `adk eval` of google-adk {row['release']} exits with 0 whatever the result is"
                note += " (2.13.0 is the first that exits with 1); gate on AgentEvaluator in pytest, or on the"
                return [f"{note} counts of its summary"]
            return []
    return []


def markdown(rows: Sequence[dict[str, Any]], applied: bool) -> str:
    """For a job summary or a comment on a pull request."""

    def cell(text: str) -> str:
        return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")

    lines = [f"### {headline(rows, applied)}", "", f"| {' | '.join(HEADS)} |", "| --- " * len(HEADS) + "|"]
    for line in table(rows):
        first = f"`{line[0]}`" if not line[0].startswith("(") else line[0]
        lines.append(f"| {' | '.join([first, *map(cell, line[1:])])} |")
    notes = [*details(rows), *advice(rows), *exit_codes(rows)]
    if notes:
        lines += ["", *(f"- {cell(note)}" for note in notes)]
    return "\n".join(lines)


def sarif(rows: Sequence[dict[str, Any]], applied: bool, code: int, folder: Path | None = None) -> dict[str, Any]:
    """A SARIF 2.1.0 log: a rule per fix, a result per row that is faulty or unknown.

    Args:
        rows: What was found.
        applied: Whether the state after `apply()` counts.
        code: Doctor's exit code.
        folder: The project, whose manifest names the distribution that a result is about.
    """
    rules = [rule(row["id"]) for row in rows]
    index = {entry["id"]: position for position, entry in enumerate(rules)}
    results = []
    for row in rows:
        state = row["applied" if applied else "bare"]
        if state in (FAULTY, UNKNOWN):
            results.append(_result(row, state, index[row["id"]], folder or Path.cwd()))
    return sarif_log(rules, results, f"evalfixes/{'applied' if applied else 'bare'}/", code)


def sarif_log(
    rules: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]], run: str, code: int
) -> dict[str, Any]:
    """A SARIF 2.1.0 log of one run.

    Args:
        rules: The rules.
        results: What was found.
        run: The category of the run, by which a code host tells it from others.
        code: The exit code of the command.
    """
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "evalfixes", "semanticVersion": __version__, "rules": list(rules)}},
                "automationDetails": {"id": run},
                "invocations": [{"executionSuccessful": True, "exitCode": code}],
                "columnKind": "unicodeCodePoints",
                "results": list(results),
            }
        ],
    }


def rule(fix_id: str) -> dict[str, Any]:
    """A fix as a rule."""
    fix = catalog.get(fix_id)
    links = fix_facts(fix.dist, fix.id).links
    text = f"{fix.before} {fix.after}"
    if fix.risks:
        text += f" Risks: {fix.risks}"
    entry = {
        "id": fix.id,
        "shortDescription": {"text": _sentence(fix.title)},
        "fullDescription": {"text": fix.before},
        "help": {
            "text": f"{text} Repair: evalfixes.apply() before the evaluation. `evalfixes show {fix.id}` says more."
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["evaluation", fix.dist]},
    }
    return {**entry, "helpUri": links[0]} if links else entry


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _result(row: dict[str, Any], state: str, index: int, folder: Path) -> dict[str, Any]:
    fix = catalog.get(row["id"])
    named = f"{row['dist']} {row['release']}".strip()
    if state == UNKNOWN:
        text = f"{named}: it could not be told whether {fix.title}. {row['evidence']}"
    else:
        text = f"{named}: {fix.title}."
        if row["wrong"] is not None:
            text += f" Scenario '{row['scenario']}' gives {_value(row['wrong'])}"
            text += f"; {_value(row['right'])} is right." if row["right"] is not None else "."
    if row["next"]:
        text += f" Next: {row['next']}."
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": r.target, "kind": "function"} for r in fix.replacements]
    }
    found = manifest(row["dist"], folder)
    if found is not None:
        name, line = found
        location["physicalLocation"] = {"artifactLocation": {"uri": name}, "region": {"startLine": line}}
    result = {
        "ruleId": row["id"],
        "ruleIndex": index,
        "level": "error" if state == FAULTY and row["applied"] == FAULTY else "warning",
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {"evalfixes/v1": hashlib.sha256(f"{row['id']} {row['dist']}".encode()).hexdigest()[:32]},
    }
    if row.get("accepted"):
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": row["skipped"]}]
    return result


def manifest(dist: str, folder: Path) -> tuple[str, int] | None:
    """Where a project names a distribution: the file, relative to the project, and the line.

    Code hosts show a result at a line of the repository, and the faulty code is in none of its files.
    """
    spelt = re.compile(_spelt(dist), re.IGNORECASE)
    for path, text in _manifests(folder):
        for number, line in enumerate(text.splitlines(), 1):
            if spelt.search(line.partition("#")[0]):
                return path.relative_to(folder).as_posix(), number
    return None


def names_patched_wheel(dist: str, folder: Path) -> bool:
    """Whether a requirements or lock file of a project asks for a wheel of `evalfixes wheel`."""
    asked = re.compile(rf"{_spelt(dist)}[^#\n]*\n?[^#\n]*\+{MARK}\.\w", re.IGNORECASE)
    return any(asked.search(text) for _, text in _manifests(folder))


def _spelt(dist: str) -> str:
    return rf"(?<![\w.-]){'[-_.]'.join(map(re.escape, dist.split('-')))}(?![\w-])"


def _manifests(folder: Path) -> Iterator[tuple[Path, str]]:
    for pattern in _MANIFESTS:
        for path in sorted(folder.glob(pattern)):
            try:
                yield path, path.read_text("utf-8")
            except (OSError, ValueError):
                continue
