"""The record of what was not judged."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from datetime import date, timedelta

import pytest

from evalfixes.runtime import ledger, options
from evalfixes.runtime.allow import allowed


def test_the_closing_line() -> None:
    with ledger.opened() as run:
        ledger.record("m", 400)
        ledger.record("m", 10, ["left out", "left out"], where="invocation e1")
        ledger.record("m", 2, ["unreadable"], where="invocation e2")
    assert run.closing_line == "3 of 412 judged parts unscored: 2 left out, 1 unreadable"
    assert ledger.Run().closing_line == ""


def test_a_part_counts_in_the_run_that_it_is_in(caplog: pytest.LogCaptureFixture) -> None:
    before = ledger.total.judged
    with caplog.at_level(logging.WARNING, "evalfixes"), ledger.opened() as run:
        for _ in range(2):
            with ledger.counted() as part:
                ledger.record("m", 2, ["left out"])
            assert (part.judged, sum(part.unscored.values())) == (2, 1)
    assert run.closing_line == "2 of 4 judged parts unscored: 2 left out"
    assert ledger.total.judged == before + 4
    assert len(caplog.messages) == 1, "what the run has told, a part does not tell again"


def test_each_is_logged_once_with_its_place_and_an_excerpt(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "evalfixes"), ledger.opened(), ledger.at("case c1"):
        for _ in range(2):
            ledger.record("m", 2, ["left out"], where="invocation e1", why="no block", reply="x" * 300)
    assert len(caplog.records) == 1
    assert caplog.messages[0] == (
        f"m (case c1, invocation e1): 1 of 2 unscored (1 left out): no block; the judge said: '{'x' * 200}'..."
    )


def test_concurrent_runs_do_not_mix() -> None:
    async def one(count: int) -> str:
        with ledger.opened() as run, ledger.at(f"case {count}"):
            for _ in range(count):
                await asyncio.sleep(0)
                ledger.record("m", 1, ["left out"])
                assert ledger.place() == f"case {count}"
            return run.closing_line

    async def both() -> list[str]:
        return await asyncio.gather(one(2), one(3))

    assert [line[:6] for line in asyncio.run(both())] == ["2 of 2", "3 of 3"]
    assert ledger.place() == ""


def test_allowances_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    today = date(2026, 12, 1)
    entries = [
        {"metric": "a", "reason": "r", "until": "2026-12-01"},
        {"metric": "b", "reason": "r", "until": "2026-11-30"},
        {"metric": "c", "reason": "r", "until": today + timedelta(days=1)},
        {"metric": "d", "reason": "r", "until": "soon"},
    ]
    monkeypatch.setattr(options, "current", options.Options(allow_unscored=entries))
    assert [name for name in "abcde" if allowed(name, today)] == ["a", "c"]


@pytest.mark.parametrize("closed_elsewhere, shown", [("", 1), ("ledger.closed_elsewhere = True", 0)])
def test_the_run_of_the_process_is_closed_at_its_end(closed_elsewhere: str, shown: int) -> None:
    code = (
        "from evalfixes.runtime import ledger\n"
        f"{closed_elsewhere}\n"
        "ledger.record('m', 3, ['left out'])\n"
        "ledger.record('m', 2, ['unreadable'])\n"
        "with ledger.opened(): ledger.record('n', 7)\n"
        "assert ledger.total.closing_line.startswith('2 of 12 ')\n"
        "print('done', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines().count("2 of 5 judged parts unscored: 1 left out, 1 unreadable") == shown


def test_nothing_is_said_where_nothing_is_missing() -> None:
    code = "from evalfixes.runtime import ledger; ledger.record('m', 3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
