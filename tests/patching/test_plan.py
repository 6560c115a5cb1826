from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalfixes import catalog
from evalfixes.cli import main
from evalfixes.fix import Fix
from evalfixes.patching import plan as plan_module
from evalfixes.patching.plan import (
    APPLIED,
    NOT_NEEDED,
    NOT_THERE,
    REFUSED,
    REVERSED,
    THERE,
    NothingFoundError,
    make,
)
from evalfixes.patching.series import series

FILE = "third_party/google/adk/evaluation/final_response_match_v1.py"


def snapshot(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def state(path: Path, fix: Fix, reverse: bool = False) -> str:
    (rows,) = [rows for _, rows in make(path, [fix.id], reverse).copies]
    return next(row.state for row in rows if row.fix_id == fix.id)


def run(*args: object) -> int:
    return main(["patch", *map(str, args)])


def test_a_vendored_copy_is_found_patched_and_reversed(vendored: Path, fix: Fix) -> None:
    before = snapshot(vendored)
    assert run(vendored, "--fix", fix.id) == 0
    after = snapshot(vendored)
    assert [name for name in after if after[name] != before[name]] == [FILE]
    assert b"not part.thought" in after[FILE]
    assert run(vendored, "--fix", fix.id) == 0
    assert snapshot(vendored) == after
    assert state(vendored, fix) == THERE
    assert run(vendored, "--fix", fix.id, "--reverse") == 0
    assert snapshot(vendored) == before
    assert state(vendored, fix, reverse=True) == NOT_THERE


@pytest.mark.parametrize("option", ["--check", "--dry-run"])
def test_looking_changes_nothing(vendored: Path, fix: Fix, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(vendored)
    assert run(vendored, "--fix", fix.id, option) == 0
    assert snapshot(vendored) == before
    out = capsys.readouterr().out
    assert ("not part.thought" in out) == (option == "--dry-run")
    assert "to apply" in out
    assert "applied" not in out, "what was only looked at is said to be done"


@pytest.mark.parametrize("below", ["", "third_party", "third_party/google", "third_party/google/adk"])
def test_any_folder_above_the_copy_will_do(vendored: Path, fix: Fix, below: str) -> None:
    assert state(vendored / below, fix) == APPLIED


def test_what_upstream_means_so_is_patched_by_name_only(tmp_path: Path) -> None:
    opt_in = catalog.get("agentevals-not-evaluated-gate")
    assert not opt_in.default
    (tmp_path / "agentevals").mkdir()
    file = tmp_path / "agentevals" / "custom_evaluators.py"
    (change, *_) = series(opt_in.dist).patches[opt_in.id][0].files
    lines = [content for hunk in change.hunks for content, _ in hunk.side("-")]
    file.write_bytes(b"\n".join(lines) + b"\n    actual\n):\n    pass\n")
    assert opt_in.id not in [row.fix_id for _, rows in make(tmp_path).copies for row in rows]
    assert state(tmp_path, opt_in) == APPLIED
    assert run(tmp_path, "--fix", opt_in.id) == 0
    before = file.read_bytes()
    assert run(tmp_path, "--reverse") == 0
    assert file.read_bytes() != before


def test_crlf_files_stay_crlf(vendored: Path, fix: Fix) -> None:
    file = vendored / FILE
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    before = file.read_bytes()
    assert run(vendored, "--fix", fix.id) == 0
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    assert run(vendored, "--fix", fix.id, "--reverse") == 0
    assert file.read_bytes() == before


def test_a_hunk_that_does_not_fit_is_shown_and_nothing_changes(
    vendored: Path, fix: Fix, capsys: pytest.CaptureFixture[str]
) -> None:
    file = vendored / FILE
    file.write_bytes(file.read_bytes().replace(b"for part in", b"for  part in"))
    second = vendored / "also/google/adk/evaluation/final_response_match_v1.py"
    second.parent.mkdir(parents=True)
    second.write_bytes(file.read_bytes().replace(b"for  part in", b"for part in"))
    before = snapshot(vendored)
    assert run(vendored, "--fix", fix.id) == 1
    assert snapshot(vendored) == before
    out = capsys.readouterr().out
    assert "refused" in out
    assert "@@" in out


def test_two_copies_are_both_patched(vendored: Path, fix: Fix) -> None:
    second = vendored / "other/adk/evaluation/final_response_match_v1.py"
    second.parent.mkdir(parents=True)
    second.write_bytes((vendored / FILE).read_bytes())
    assert run(vendored, "--fix", fix.id) == 0
    assert second.read_bytes() == (vendored / FILE).read_bytes()
    assert b"not part.thought" in second.read_bytes()


def test_a_file_behind_a_symbolic_link_is_refused(vendored: Path, fix: Fix, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    (vendored / FILE).rename(outside)
    (vendored / FILE).symlink_to(outside)
    before = outside.read_bytes()
    assert run(vendored, "--fix", fix.id) == 1
    assert outside.read_bytes() == before


def test_a_linked_folder_is_refused_or_not_entered(vendored: Path, fix: Fix, tmp_path: Path) -> None:
    inner = vendored / "third_party/google/adk/evaluation"
    outside = tmp_path / "evaluation"
    inner.rename(outside)
    inner.symlink_to(outside)
    before = snapshot(outside)
    assert run(vendored, "--fix", fix.id) == 1
    (vendored / "third_party").rename(tmp_path / "moved")
    (vendored / "third_party").symlink_to(tmp_path / "moved")
    assert run(vendored, "--fix", fix.id) == 3
    assert snapshot(outside) == before


def test_a_hard_link_is_not_written_through(vendored: Path, fix: Fix, tmp_path: Path) -> None:
    os.link(vendored / FILE, tmp_path / "cache.py")
    before = (tmp_path / "cache.py").read_bytes()
    assert run(vendored, "--fix", fix.id) == 0
    assert (tmp_path / "cache.py").read_bytes() == before


def test_the_mode_is_kept(vendored: Path, fix: Fix) -> None:
    (vendored / FILE).chmod(0o440)
    assert run(vendored, "--fix", fix.id) == 0
    assert (vendored / FILE).stat().st_mode & 0o777 == 0o440


def test_a_virtual_environment_below_is_left_alone(vendored: Path, fix: Fix) -> None:
    (vendored / "third_party" / "pyvenv.cfg").write_text("")
    assert run(vendored, "--fix", fix.id) == 3
    assert state(vendored / "third_party", fix) == APPLIED


def test_a_checkout_gets_the_regression_test_too(vendored: Path, fix: Fix) -> None:
    src = vendored / "src"
    (vendored / "third_party").rename(src)
    (vendored / "tests" / "unittests").mkdir(parents=True)
    (vendored / "pyproject.toml").write_text("")
    before = snapshot(vendored)
    assert run(vendored, "--fix", fix.id) == 0
    new = snapshot(vendored).keys() - before.keys()
    assert len(new) == 1
    assert new.pop().startswith("tests/unittests/evaluation/test_")
    assert run(vendored, "--fix", fix.id, "--reverse") == 0
    assert snapshot(vendored) == before


def test_a_test_of_the_same_name_is_not_overwritten(vendored: Path, fix: Fix) -> None:
    (vendored / "third_party").rename(vendored / "src")
    (vendored / "pyproject.toml").write_text("")
    theirs = vendored / "tests/unittests/evaluation/test_final_response_match_v1_thoughts.py"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("# theirs\n")
    before = snapshot(vendored)
    assert run(vendored, "--fix", fix.id) == 1
    assert snapshot(vendored) == before


def test_a_failed_write_is_rolled_back(vendored: Path, fix: Fix, monkeypatch: pytest.MonkeyPatch) -> None:
    second = vendored / "zzz/adk/evaluation/final_response_match_v1.py"
    second.parent.mkdir(parents=True)
    second.write_bytes((vendored / FILE).read_bytes())
    before = snapshot(vendored)
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if "zzz" in str(target) and self.read_bytes() != before["zzz/adk/evaluation/final_response_match_v1.py"]:
            raise PermissionError(13, "no")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    assert run(vendored, "--fix", fix.id) == 1
    assert snapshot(vendored) == before


def test_a_file_that_changes_meanwhile_is_not_overwritten(vendored: Path, fix: Fix) -> None:
    plan = make(vendored, [fix.id])
    (vendored / FILE).write_bytes(b"# edited\n")
    plan.write()
    assert plan.problem
    assert (vendored / FILE).read_bytes() == b"# edited\n"


def test_bytecode_that_is_never_checked_is_removed(vendored: Path, fix: Fix) -> None:
    cache = (vendored / FILE).parent / "__pycache__"
    cache.mkdir()
    stale = cache / "final_response_match_v1.cpython-312.pyc"
    fresh = cache / "neighbour.cpython-312.pyc"
    for path in (stale, fresh):
        path.write_bytes(b"\xcb\r\r\n\x01\0\0\0")
    assert run(vendored, "--fix", fix.id) == 0
    assert not stale.exists()
    assert fresh.exists()


def test_a_file_that_is_no_python_is_still_patched_by_its_hunks(vendored: Path, fix: Fix) -> None:
    file = vendored / FILE
    file.write_bytes(b"print 'two'\n" + file.read_bytes())
    assert state(vendored, fix) == APPLIED


@pytest.mark.parametrize("args", [["nope"], ["."], [".", "--fix", "adk-no-such-fix"], []])
def test_usage_errors_are_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code: object = main(["patch", *args])
    except SystemExit as left:
        code = left.code
    assert code == 3


def test_nothing_found_names_what_was_looked_for(tmp_path: Path, fix: Fix) -> None:
    with pytest.raises(NothingFoundError, match="google-adk"):
        make(tmp_path, [fix.id])


def test_a_fix_is_held_back_without_what_it_needs(vendored: Path, fix: Fix, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        plan_module, "_put", lambda copy, fix, rows: plan_module.Row(fix.id, plan_module.NO_PATCH, "none")
    )
    assert make(vendored, [fix.id]).refused


def test_a_release_before_all_patches_is_told_from_which_one_on_there_is_one() -> None:
    late = catalog.get("adk-judge-samples")
    why = plan_module._no_patch(late, "text of 1.18.0..1.18.0", list(series(late.dist).patches[late.id]))
    assert "affected are 1.6.1..2.13.0, there is a patch from 1.20.0 on (" in why


@pytest.mark.parametrize(("release", "expected"), [("1.22.0", NOT_NEEDED), ("2.99.0", REFUSED), ("own", REFUSED)])
def test_a_fault_that_came_later_needs_no_patch(vendored: Path, release: str, expected: str) -> None:
    package = vendored / "third_party/google/adk"
    (package / "version.py").write_text(f'__version__ = "{release}"\n')
    (package / "evaluation/rubric_based_evaluator.py").write_text("class Other:\n  pass\n")
    assert state(vendored, catalog.get("adk-rubric-turns")) == expected


def test_states_name_each_other_apart() -> None:
    assert len({APPLIED, NOT_THERE, REFUSED, REVERSED, THERE}) == 5
