"""Decodes units of work into records. What cannot be decoded is a problem with its place, and the rest goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from evalfixes.rescoring.fields import DamagedError, get
from evalfixes.rescoring.files import Unit, open_bytes
from evalfixes.rescoring.formats import adk, agentevals, deepeval, rows
from evalfixes.rescoring.records import Place, Problem, Record

FORMATS: dict[str, ModuleType] = {"adk": adk, "deepeval": deepeval, "agentevals": agentevals}

_LISTS = (("adk", "eval_case_results"), ("adk", "evalCaseResults"), ("deepeval", "testCases"))
"""Where the cases of a document begin, for one that is cut off."""


def records(unit: Unit) -> Iterator[Record | Problem]:
    """The records of a unit, in order."""
    if unit.rows is not None:
        yield from _rows(unit)
        return
    try:
        with open_bytes(unit.file) as stream:
            raw = stream.read()
    except Exception as error:  # whatever a file system or a driver raises
        yield Problem(Place(unit.file), f"cannot be read: {type(error).__name__}: {error}", whole=True)
        return
    try:
        written = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield Problem(Place(unit.file, f"byte {error.start}"), "is not UTF-8", whole=True)
        return
    try:
        document = _decoded(written)
    except (ValueError, RecursionError) as error:
        yield from _salvaged(unit.file, written, error)
        return
    yield from _document(unit.file, document)


def _decoded(written: str) -> Any:
    """A document; google-adk up to 1.22 encoded it twice."""
    document = json.loads(written)
    if isinstance(document, str):
        document = json.loads(document)
    return document


def kind_of(document: Any) -> str | None:
    """The format of a document; None for one that is no result file."""
    if not isinstance(document, dict):
        return None
    if get(document, "eval_case_results") is not None or get(document, "eval_set_result_id") is not None:
        return "adk"
    if "testRunData" in document or "test_run_data" in document or "testCases" in document or "test_cases" in document:
        return "deepeval"
    results = document.get("traces", get(document, "trace_results"))
    if isinstance(results, list) and ("errors" in document or _has_metrics(results)):
        return "agentevals"
    return None


def _has_metrics(traces: list[Any]) -> bool:
    return any(isinstance(trace, dict) and ("metrics" in trace or "metricResults" in trace) for trace in traces)


def _document(file: str, document: Any) -> Iterator[Record | Problem]:
    kind = kind_of(document)
    if kind is None:
        if isinstance(document, list) and document and any(map(rows.is_row, document)):
            for index, row in enumerate(document):
                yield _record("rows", Place(file, f"[{index}]"), row)
        elif isinstance(document, dict) and ("resourceSpans" in document or "data" in document):
            yield Problem(Place(file), "is a trace: it holds no scores, so there is nothing to rescore", whole=True)
        else:
            yield Problem(Place(file), "is no result file of google-adk, deepeval or agentevals", whole=True)
        return
    try:
        for position, case in FORMATS[kind].cases(document):
            yield _record(kind, Place(file, position), case)
    except DamagedError as error:
        yield Problem(Place(file), f"{kind}: {error}", whole=True)


def _record(kind: str, place: Place, case: Any) -> Record | Problem:
    if not isinstance(case, dict):
        return Problem(place, f"is {type(case).__name__}, not a table")
    return Record(kind, place, case)


def _salvaged(file: str, written: str, error: Exception) -> Iterator[Record | Problem]:
    """The complete cases of a document that is cut off or broken, and where it breaks."""
    position = f"line {error.lineno} column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
    reason = f"is no JSON: {error.msg}" if isinstance(error, json.JSONDecodeError) else f"is no JSON: {error}"
    decoder = json.JSONDecoder()
    kept = 0
    for kind, name in _LISTS:
        start = written.find(f'"{name}"')
        at = written.find("[", start) + 1 if start >= 0 else 0
        while at:
            while at < len(written) and written[at] in " \t\r\n,":
                at += 1
            try:
                case, at = decoder.raw_decode(written, at)
            except (ValueError, RecursionError):
                break
            if not isinstance(case, dict):
                break
            yield Record(kind, Place(file, f"{name}[{kept}]"), case)
            kept += 1
        if kept:
            reason += f"; the {kept} complete cases before it were read"
            break
    yield Problem(Place(file, position), reason, whole=not kept)


def _rows(unit: Unit) -> Iterator[Record | Problem]:
    for number, raw in unit.rows or ():
        place = Place(unit.file, f"line {number}")
        if unit.table == "csv":
            if len(raw) != len(unit.header):
                yield Problem(place, f"has {len(raw)} cells, and the header {len(unit.header)}")
            else:
                yield Record("rows", place, dict(zip(unit.header, raw, strict=True)))
            continue
        try:
            row = json.loads(raw)
        except (ValueError, RecursionError) as error:
            yield Problem(place, f"is no JSON: {error}")
            continue
        kind = kind_of(row)
        if kind is not None:  # one result file per line
            for found in _document(unit.file, row):
                where = Place(unit.file, f"line {number} {found.place.position}".rstrip())
                yield Record(kind, where, found.data) if isinstance(found, Record) else Problem(where, found.reason)
        elif rows.is_row(row):
            yield Record("rows", place, row)
        else:
            yield Problem(place, "is no row: it has neither a question nor an answer")
