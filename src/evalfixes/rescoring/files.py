"""Finds result files and cuts them into units of work: here, on a share, or behind an fsspec URL.

Files are opened for reading only. A unit is one JSON document, or a batch of rows; one at a time is
held, so memory does not grow with the number of files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from evalfixes.errors import OptionError
from evalfixes.rescoring.records import Place, Problem

ROWS = (".jsonl", ".ndjson", ".csv", ".tsv")
SUFFIXES = (".json", *ROWS)
BATCH = 500
"""Rows per unit."""

_SKIPPED_FOLDERS = {".git", ".venv", "venv", "node_modules", "__pycache__", ".nox", ".tox"}
_SKIPPED_FILES = {".deepeval-cache.json", ".deepeval"}


@dataclass(frozen=True)
class Unit:
    """A piece of work.

    Attributes:
        file: The file, as it is named.
        rows: Numbered lines of it; None if the unit is the whole file.
        header: The names of the columns, for CSV.
        table: How the rows are to be read: ``jsonl`` or ``csv``.
    """

    file: str
    rows: tuple[tuple[int, Any], ...] | None = None
    header: tuple[str, ...] = ()
    table: str = ""


def found(paths: Sequence[str]) -> Iterator[str | Problem]:
    """The files below paths, each once, in a stable order."""
    seen: set[str] = set()
    for path in paths:
        any_file = False
        for file in _remote(path) if "://" in path else _local(path):
            if isinstance(file, str):
                any_file = True
                if file in seen:
                    continue
                seen.add(file)
            else:
                any_file = True
            yield file
        if not any_file:
            yield Problem(Place(path), "there are no result files here (.json, .jsonl, .csv)", whole=True)


def _local(path: str) -> Iterator[str | Problem]:
    if not Path(path).is_dir():
        if Path(path).exists():
            yield path
        else:
            yield Problem(Place(path), "there is no such file", whole=True)
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES) and name not in _SKIPPED_FILES:
                yield str(Path(folder, name))


def _remote(url: str) -> Iterator[str | Problem]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise OptionError(f"{url} needs fsspec: pip install 'evalfixes[remote]', and the driver of its protocol")
    try:
        system, path = url_to_fs(url)
        if system.isfile(path):
            yield url
            return
        names = sorted(system.find(path))
    except Exception as error:  # whatever a driver raises
        yield Problem(Place(url), f"cannot be read: {type(error).__name__}: {error}", whole=True)
        return
    for name in names:
        last = name.rsplit("/", 1)[-1]
        if last.lower().endswith(SUFFIXES) and last not in _SKIPPED_FILES:
            yield system.unstrip_protocol(name)


def open_bytes(file: str) -> IO[bytes]:
    """Opens a file for reading."""
    if "://" in file:
        import fsspec

        return cast("IO[bytes]", fsspec.open(file, "rb").open())
    return Path(file).open("rb")


def units(paths: Sequence[str]) -> Iterator[Unit | Problem]:
    """Everything that is to be read."""
    for file in found(paths):
        if isinstance(file, Problem):
            yield file
        elif file.lower().endswith(ROWS):
            yield from _batches(file)
        else:
            yield Unit(file)


def _batches(file: str) -> Iterator[Unit | Problem]:
    """The rows of a file in batches; a JSON file that was named .jsonl is one unit all the same."""
    import csv
    import io

    try:
        with open_bytes(file) as stream:
            if file.lower().endswith((".csv", ".tsv")):
                lines = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
                delimiter = "\t" if file.lower().endswith(".tsv") else ","
                reader = csv.reader(lines, delimiter=delimiter)
                header = tuple(next(reader, ()))
                yield from _cut(file, ((reader.line_num, row) for row in reader if row), header, "csv")
            else:
                numbered = ((number, line) for number, line in enumerate(stream, 1) if line.strip())
                yield from _cut(file, numbered, (), "jsonl")
    except (OSError, csv.Error, UnicodeError) as error:
        yield Problem(Place(file), f"cannot be read to its end: {error}", whole=True)


def _cut(file: str, rows: Iterator[tuple[int, Any]], header: tuple[str, ...], table: str) -> Iterator[Unit]:
    batch: list[tuple[int, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield Unit(file, tuple(batch), header, table)
            batch = []
    if batch:
        yield Unit(file, tuple(batch), header, table)
