from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evalfixes.cli import main
from evalfixes.fix import Fix
from evalfixes.patching import blobs
from evalfixes.patching.blobs import Files, blob_id, look, order, ranges, releases_of, table
from evalfixes.patching.plan import make
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES
from evalfixes.releases import in_range

PATCHES = [p for dist in PREFIXES for found in series(dist).patches.values() for p in found]
NAME = "evaluation/final_response_match_v1.py"
PATH = PREFIXES["google-adk"] + NAME


def test_the_id_is_that_of_git(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes("ä\r\n".encode())
    done = subprocess.run(
        ["git", "hash-object", "--no-filters", "file"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert blob_id("ä\r\n".encode()) == done.stdout.strip()


@pytest.mark.parametrize("patch", PATCHES, ids=lambda p: f"{p.fix_id}-{p.releases}")
def test_the_table_knows_the_files_of_every_patch(patch: Patch) -> None:
    last = patch.releases.split("..")[-1]
    every = series(patch.dist).for_release(last)
    before = {c.path for p in every[: every.index(patch)] for c in p.files}
    for change in patch.files:
        if change.path.startswith(PREFIXES[patch.dist]) and not change.new and change.path not in before:
            assert in_range(last, table(patch.dist)[change.path][change.blobs[0]])


@pytest.mark.parametrize("dist", PREFIXES)
def test_no_release_has_two_contents_of_a_file(dist: str) -> None:
    for path, known in table(dist).items():
        for release in order(dist):
            assert len([blob for blob, span in known.items() if in_range(release, span)]) <= 1, (path, release)


def test_ranges_are_runs_of_releases() -> None:
    first, second, third, fourth, *_ = order("google-adk")
    assert ranges("google-adk", [fourth, first, second]) == f"{first}..{second}, {fourth}..{fourth}"
    assert in_range(second, ranges("google-adk", [third, second]))


@pytest.fixture
def known(vendored: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy's file; it is as released in two releases."""
    file = vendored / "third_party/google/adk" / NAME
    monkeypatch.setattr(blobs, "table", lambda dist: {PATH: {blob_id(file.read_bytes()): "2.12.0..2.13.0"}})
    known = blobs.table("google-adk")
    monkeypatch.setattr(blobs, "table", lambda dist: known)
    return file


def seen(file: Path) -> Files:
    ((copy, _),) = make(file.parents[1]).copies
    return look(copy)


def test_pristine_patched_and_edited_are_told_apart(known: Path, fix: Fix, capsys: pytest.CaptureFixture[str]) -> None:
    both = ("2.12.0", "2.13.0")
    assert seen(known) == Files((NAME,), (), (), both)
    top = known.parents[1]
    assert main(["patch", str(top), "--fix", fix.id, "--check"]) == 0
    assert "files of 2.12.0..2.13.0: 1 pristine\n" in capsys.readouterr().out
    assert main(["patch", str(top), "--fix", fix.id]) == 0
    assert seen(known) == Files((), (NAME,), (), both)
    known.write_bytes(known.read_bytes() + b"# theirs\n")
    assert seen(known) == Files((), (), (NAME,), ())
    capsys.readouterr()
    main(["patch", str(top), "--fix", fix.id, "--check"])
    assert f"files of no release: 1 edited ({NAME})" in capsys.readouterr().out


def test_line_ends_are_no_edit(known: Path) -> None:
    known.write_bytes(known.read_bytes().replace(b"\n", b"\r\n"))
    assert seen(known).pristine == (NAME,)


def test_a_content_of_no_release_is_of_none() -> None:
    assert releases_of("google-adk", PATH, b"") == frozenset()
    assert releases_of("google-adk", "src/google/adk/none.py", b"") == frozenset()
