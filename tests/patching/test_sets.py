"""N of a wheel's version stands for one patch set."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evalfixes import __version__, generate
from evalfixes.patching import series as series_module
from evalfixes.patching import sets
from evalfixes.patching.sets import PatchSet, UnnumberedSetError, current, digest, read, text
from evalfixes.patching.tree import PREFIXES
from evalfixes.resources import folder

DIST = "agentevals-cli"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The patches in a place where they can be changed."""
    shutil.copytree(folder("patches"), tmp_path / "patches")
    for module in (sets, series_module):
        monkeypatch.setattr(module, "folder", lambda name: tmp_path / name)
    series_module.series.cache_clear()
    yield tmp_path / "patches"
    series_module.series.cache_clear()


def change_a_patch(patches: Path) -> None:
    patch = next((patches / DIST).glob("*/*.patch"))
    patch.write_bytes(patch.read_bytes() + b"\n")


@pytest.mark.parametrize("dist", PREFIXES)
def test_the_patches_are_the_set_that_is_numbered(dist: str) -> None:
    assert current(dist).digest == digest(dist)
    numbers = [s.number for s in read(folder("patches") / dist / sets.NAME)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_changed_patch_has_no_number(copy: Path) -> None:
    current(DIST)
    change_a_patch(copy)
    with pytest.raises(UnnumberedSetError, match=f"patches/{DIST} is not the set that patches/{DIST}/sets.toml"):
        current(DIST)


def test_another_order_is_another_set(copy: Path) -> None:
    path = copy / DIST / "series"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    with pytest.raises(UnnumberedSetError):
        current(DIST)


def test_a_set_that_is_released_keeps_its_number_and_the_next_gets_a_new_one(copy: Path) -> None:
    path = copy / DIST / sets.NAME
    present = read(path)
    change_a_patch(copy)
    path.write_text(text(DIST, present, "99.0"))
    assert read(path) == (*present, PatchSet(present[-1].number + 1, digest(DIST), "99.0"))
    assert current(DIST).number == present[-1].number + 1


def test_a_set_that_is_not_released_makes_way(copy: Path) -> None:
    path = copy / DIST / sets.NAME
    present = read(path)
    assert present[-1].evalfixes == __version__
    change_a_patch(copy)
    path.write_text(text(DIST, present, __version__))
    assert read(path) == (*present[:-1], PatchSet(present[-1].number, digest(DIST), __version__))


def test_without_a_change_nothing_changes(copy: Path) -> None:
    path = copy / DIST / sets.NAME
    assert text(DIST, read(path), "99.0") == path.read_text()
    assert text(DIST, (), "99.0").count("number = 1,") == 1


def test_a_changed_patch_without_a_new_number_fails_the_check_of_ci(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = copy.parent
    project = Path(__file__).parents[2]
    for name in ("README.md", "docs", "src/evalfixes/_index.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        source = project / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
    shutil.copytree(project / "src" / "evalfixes" / "fixes", root / "src" / "evalfixes" / "fixes")
    monkeypatch.setattr(generate, "PACKAGE", root / "src" / "evalfixes")
    assert generate.main(["--check"]) == 0, capsys.readouterr().out
    change_a_patch(copy)
    assert generate.main(["--check"]) == 1
    assert f"patches/{DIST}/sets.toml" in capsys.readouterr().out
