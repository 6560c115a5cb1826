"""`evalfixes retire` on copies of the facts and patches; `nox -s retire` looks at real releases."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalfixes import catalog
from evalfixes.cli import main
from evalfixes.patching import retire as retire_module
from evalfixes.patching import series as series_module
from evalfixes.patching.retire import (
    ABSORBED,
    BEFORE,
    NOTHING,
    STILL,
    UNSURE,
    Finding,
    RetireError,
    _finding,
    affected_before,
    put_down,
    retire,
)
from evalfixes.resources import folder
from evalfixes.runtime.decide import FAULTY, FIXED, NOT_AFFECTED, NOT_INSTALLED, PATCHED, UNKNOWN

pytest.importorskip("tomlkit")

DIST = "agentevals-cli"
MCP = "agentevals-mcp-passed"
DAY = dt.date(2027, 1, 2)


def row(fix_id: str, bare: str = FAULTY, content: str = FAULTY, **more: Any) -> dict[str, Any]:
    seen = {"id": fix_id, "dist": DIST, "release": "0.12.0", "bare": bare, "content": content}
    return {**seen, "evidence": "as told", "failures": [], **more}


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("patches", "upstream"):
        shutil.copytree(folder(name), tmp_path / name)
    (tmp_path / "pyproject.toml").write_text("")
    for module in (retire_module, series_module):
        monkeypatch.setattr(module, "folder", lambda name: tmp_path / name)
    series_module.series.cache_clear()
    yield tmp_path
    series_module.series.cache_clear()


@pytest.fixture
def absorbed(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release that has absorbed one fix."""
    rows = [row(f.id, FIXED, UNKNOWN) if f.id == MCP else row(f.id) for f in catalog.fixes(DIST)]
    monkeypatch.setattr(retire_module, "_probed", lambda ids, against: rows)
    return copy


class TestFinding:
    @pytest.mark.parametrize(
        ("bare", "content", "state"),
        [
            (FIXED, UNKNOWN, ABSORBED),
            (FIXED, FIXED, ABSORBED),
            (PATCHED, PATCHED, ABSORBED),
            (FAULTY, UNKNOWN, STILL),
            (FAULTY, FAULTY, STILL),
            (FAULTY, PATCHED, STILL),
            (UNKNOWN, FAULTY, UNSURE),
            (UNKNOWN, UNKNOWN, UNSURE),
            (NOT_AFFECTED, NOT_AFFECTED, NOTHING),
        ],
    )
    def test_text_and_scenarios_have_to_agree(self, bare: str, content: str, state: str) -> None:
        assert _finding(row(MCP, bare, content)).state == state

    def test_a_scenario_with_another_value_leaves_it_open(self) -> None:
        found = _finding(row(MCP, FIXED, UNKNOWN, failures=["control 'x': 0 bare"]))
        assert found == Finding(MCP, UNSURE, "as told; control 'x': 0 bare")

    def test_what_is_retired_already(self) -> None:
        found = _finding(row("agentevals-hallucinations-tool-evidence", FIXED, FIXED))
        assert found.state == BEFORE
        assert found.why.startswith("since 0.9.12")


class TestRange:
    RELEASES = ("1.0", "1.1", "1.2", "2.0")

    @pytest.mark.parametrize(
        ("affected", "release", "expected"),
        [
            ("1.0..1.2", "2.0", "1.0..1.2"),
            ("1.0..2.0", "2.0", "1.0..1.2"),
            ("1.0..", "2.0", "1.0..1.2"),
            ("1.0..2.0", "1.2", "1.0..1.1"),
            ("1.0..1.0,1.2..2.0", "2.0", "1.0..1.0,1.2..1.2"),
            ("1.0..1.0,2.0..2.0", "1.2", "1.0..1.0,2.0..2.0"),
        ],
    )
    def test_it_ends_before_the_release(self, affected: str, release: str, expected: str) -> None:
        assert affected_before(affected, release, self.RELEASES) == expected


class TestWritten:
    def test_facts_and_patches_of_what_was_absorbed(self, absorbed: Path) -> None:
        path = absorbed / "upstream" / f"{DIST}.toml"
        before = path.read_text()
        others = {p: p.read_bytes() for p in absorbed.rglob("*") if p.is_file() and MCP not in str(p) and p != path}

        found = retire(f"{DIST}==0.12.0", today=DAY)
        assert path.read_text() == before
        put_down(found)

        line = 'affected = "0.5.2..0.11.0"\n'
        head, mark, tail = before.partition(f"[fixes.{MCP}]\nlinks = []\n{line}")
        assert mark
        assert path.read_text() == f'{head}{mark}fixed_in = "0.12.0"\n{tail}'
        for patch in (absorbed / "patches" / DIST / MCP).glob("*.patch"):
            text = patch.read_text()
            for trailer in ("Forwarded: not-needed", "Applied-Upstream: 0.12.0", "Last-Update: 2027-01-02"):
                assert f"\n{trailer}\n" in text
            now = (folder("patches") / DIST / MCP / patch.name).read_text()
            assert text.partition("diff --git ")[2] == now.partition("diff --git ")[2]
        assert all(p.read_bytes() == data for p, data in others.items())

    def test_a_release_on_record_is_replaced(self, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = copy / "upstream" / f"{DIST}.toml"
        path.write_text(path.read_text().replace('fixed_in = "0.9.12"', 'fixed_in = ""'))
        fix_id = "agentevals-hallucinations-tool-evidence"
        changes = retire_module._facts(copy, DIST, "0.10.0", [fix_id])
        assert b'affected = "0.5.2..0.9.11"\nfixed_in = "0.10.0"\n' in (changes[path].after or b"")

    def test_nothing_absorbed_nothing_written(
        self, copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(retire_module, "_probed", lambda ids, against: [row(i) for i in ids])
        assert main(["retire", f"{DIST}==0.12.0"]) == 0
        out = capsys.readouterr().out
        assert "has absorbed none of the fixes" in out
        assert "changed" not in out

    def test_the_command(self, absorbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["retire", f"{DIST}==0.12.0", "--dry-run"]) == 0
        out = capsys.readouterr().out
        assert f"would change: upstream/{DIST}.toml" in out
        assert "next: " not in out
        assert main(["retire", f"{DIST}==0.12.0"]) == 0
        out = capsys.readouterr().out
        assert f"changed: upstream/{DIST}.toml" in out
        assert f"{DIST} 0.12.0 has absorbed {MCP}" in out
        assert "next: nox -s survey -- --write" in out

    def test_what_cannot_be_told_shows_in_the_exit_code(self, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retire_module, "_probed", lambda ids, against: [row(i, UNKNOWN, UNKNOWN) for i in ids])
        assert main(["retire", f"{DIST}==0.12.0"]) == 2

    def test_a_file_that_changes_meanwhile(self, absorbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
        real = retire_module.retire

        def slow(*arguments: Any) -> Any:
            found = real(*arguments)
            path = absorbed / "upstream" / f"{DIST}.toml"
            path.write_text(path.read_text() + "# edited\n")
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(retire_module, "retire", slow)
            assert main(["retire", f"{DIST}==0.12.0"]) == 3
        assert "it changed while it was being patched; no file was changed" in capsys.readouterr().err


class TestErrors:
    @pytest.mark.parametrize("wanted", ["nothing==1.0", "agentevals-cli", "agentevals-cli=="])
    def test_no_release(self, wanted: str, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["retire", wanted]) == 3
        assert "names no release; give one such as agentevals-cli==0.9.12" in capsys.readouterr().err

    def test_no_checkout(self, copy: Path) -> None:
        (copy / "pyproject.toml").unlink()
        with pytest.raises(RetireError, match="is no checkout of evalfixes"):
            retire(f"{DIST}==0.12.0")

    @pytest.mark.parametrize(("bare", "seen"), [(FAULTY, "0.12.0"), (NOT_INSTALLED, "none")])
    def test_another_release_is_installed(
        self, bare: str, seen: str, copy: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(retire_module, "_probed", lambda ids, against: [row(i, bare) for i in ids])
        with pytest.raises(RetireError, match=rf"{DIST} 0\.13\.0 is to be looked at, and .* has {seen}"):
            retire(f"{DIST}==0.13.0")

    def test_a_file_that_is_no_wheel(self, copy: Path, tmp_path: Path) -> None:
        (tmp_path / "x.whl").write_bytes(b"no zip")
        for name in ("x.whl", "missing.whl"):
            with pytest.raises(RetireError, match=f"{name} is no wheel that can be read"):
                retire(f"{DIST}==0.12.0", str(tmp_path / name))

    @pytest.mark.parametrize("python", ["/nowhere/python", "/bin/false", "/bin/true"])
    def test_a_python_that_cannot(self, python: str, copy: Path) -> None:
        with pytest.raises(RetireError, match=f"the scenarios cannot be run by {python}: "):
            retire(f"{DIST}==0.12.0", python)

    def test_without_tomlkit(self, absorbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "tomlkit", None)
        with pytest.raises(RetireError, match=r"tomlkit is not installed in .*pip install 'evalfixes\[dev\]'"):
            retire(f"{DIST}==0.12.0")


def test_a_wheel_comes_first_on_the_path(tmp_path: Path, copy: Path) -> None:
    import zipfile

    ids = [fix.id for fix in catalog.fixes(DIST)]
    with zipfile.ZipFile(tmp_path / "agentevals_cli-0.12.0-py3-none-any.whl", "w") as archive:
        archive.writestr("agentevals_cli-0.12.0.dist-info/METADATA", "Name: agentevals-cli\nVersion: 0.12.0\n")
        archive.writestr("agentevals/__init__.py", "")
        archive.writestr("agentevals/builtin_metrics.py", "nothing = 'like it'\n")
    rows = retire_module._probed(ids, str(tmp_path / "agentevals_cli-0.12.0-py3-none-any.whl"))
    assert {r["release"] for r in rows} == {"0.12.0"}
    assert {_finding(r).state for r in rows} <= {UNSURE, STILL, NOTHING}
    assert json.dumps(rows)
