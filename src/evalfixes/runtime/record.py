"""Which fixes scored a result: for the result itself where its format has room, and for a file on request."""

from __future__ import annotations

import atexit
import json
import os
import sys
from datetime import datetime, timezone
from typing import Any

from evalfixes._index import INDEX
from evalfixes.runtime import ledger, options
from evalfixes.runtime.engine import engine


def in_place(dist: str | None = None) -> list[str]:
    """Ids of the fixes that are in place in this process, or those of one distribution."""
    ids = {fix_id for slot in list(engine.slots.values()) for fix_id in slot.layers}
    return sorted(fix_id for fix_id in ids if dist in (None, INDEX[fix_id].dist))


def stamp(dist: str) -> dict[str, Any]:
    """What a result carries: the version, and the fixes of the distribution that are in place."""
    from evalfixes import __version__

    return {"version": __version__, "fixes": in_place(dist)}


def data() -> dict[str, Any]:
    """The record of this process, as one line of the file has it."""
    from evalfixes import __version__
    from evalfixes.runtime.state import status

    rows = status()
    current = options.current
    return {
        "schema_version": 1,
        "evalfixes": __version__,
        "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "command": sys.argv,
        "releases": {row.dist: row.release for row in rows if row.release},
        "fixes": in_place(),
        "skipped": {row.id: row.skipped for row in rows if row.skipped},
        "problems": {row.id: row.problem for row in rows if row.problem},
        "options": {name: getattr(current, name) for name in current.__slots__},
        "judged": ledger.total.judged,
        "unscored": dict(ledger.total.unscored),
    }


_arranged = False


def arrange() -> None:
    """Has the record written when the interpreter ends, once."""
    global _arranged
    if not _arranged:
        _arranged = True
        atexit.register(write)


def write() -> None:
    """Appends the record to the file that ``EVALFIXES_RECORD`` names.

    A line for each process that had a fix in place: tests that run in several processes share the file.
    """
    path = os.environ.get("EVALFIXES_RECORD", "")
    if not path or not in_place():
        return
    try:
        line = json.dumps(data(), default=str) + "\n"
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(line)
    except Exception as error:  # the run is over and its result stands
        sys.stderr.write(f"evalfixes: EVALFIXES_RECORD={path!r} cannot be written: {error}\n")
