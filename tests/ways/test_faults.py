"""What is broken in an installation never breaks the user's program, and doctor says what it is."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

import evalfixes
from tests.packaging.test_data import ROOT, build
from tests.ways.environment import FIX, SHOW, Site, install

APPLY = "import evalfixes; evalfixes.apply(); "
pytestmark = pytest.mark.slow


@pytest.fixture
def mine(tmp_path: Path) -> Site:
    """An environment of the test's own, to break."""
    return Site(tmp_path / "mine")


@pytest.mark.parametrize(
    "way, fault",
    [
        ("apply", "raise RuntimeError('boom')"),
        ("run", "raise SystemExit('boom')"),
        ("run", "import boom"),
        ("activate", "raise ImportError('boom')"),
    ],
)
def test_fix_that_cannot_be_imported(mine: Site, way: str, fault: str) -> None:
    (mine.packages / "evalfixes" / "fixes" / "toy" / "score.py").write_text(f"{fault}\n")
    if way == "activate":
        assert mine.run("evalfixes", "activate").code == 0
    command = {
        "apply": ("python", "-c", APPLY + SHOW),
        "run": ("evalfixes", "run", "--", "python", "-c", SHOW),
        "activate": ("python", "-c", SHOW),
    }[way]
    done = mine.run(*command)
    assert (done.code, done.out) == (0, "1.0\n")
    assert "toy-score is not in place" in done.err
    assert "boom" in done.err


@pytest.mark.parametrize("body", ["raise RuntimeError('boom')", "1 / 0", "raise SystemExit('boom')"])
def test_hook_that_raises(mine: Site, body: str) -> None:
    text = FIX.replace('    def score(answer, wanted="Paris"):', f'    {body}\n    def score(answer, wanted="Paris"):')
    (mine.packages / "evalfixes" / "fixes" / "toy" / "score.py").write_text(text)
    done = mine.run("evalfixes", "run", "--", "python", "-c", SHOW)
    assert (done.code, done.out) == (0, "1.0\n")
    assert "toy-score is not in place" in done.err
    doctor = mine.run("evalfixes", "doctor", "--applied")
    assert doctor.code in (1, 2)
    assert "toy-score" in doctor.out


def test_half_installed_upstream(mine: Site) -> None:
    (mine.packages / "toyeval" / "metric.py").write_text(
        "import no_such_dependency\n\ndef score(answer):\n    return 1.0\n"
    )
    bare = mine.run("python", "-c", SHOW)
    done = mine.run("evalfixes", "run", "--", "python", "-c", SHOW)
    assert (done.code, done.out) == (bare.code, bare.out)
    assert done.err.splitlines()[-1] == bare.err.splitlines()[-1]
    assert "no_such_dependency" in mine.run("evalfixes", "doctor", "--applied").out
    (mine.packages / "toyeval" / "metric.py").unlink()
    done = mine.run("evalfixes", "run", "--", "python", "-c", "import toyeval; print(1)")
    assert (done.code, done.out, done.err) == (0, "1\n", "")
    assert mine.run("evalfixes", "doctor").code in (0, 2)


def test_upstream_that_stops_the_program_while_it_is_imported(mine: Site) -> None:
    (mine.packages / "toyeval" / "metric.py").write_text("raise SystemExit(7)\n")
    assert mine.run("evalfixes", "run", "--", "python", "-c", SHOW).code == 7


def test_data_that_is_missing(mine: Site) -> None:
    (mine.packages / "evalfixes" / "_data" / "upstream" / "toyeval.toml").unlink()
    done = mine.run("evalfixes", "run", "--", "python", "-c", SHOW)
    assert (done.code, done.out) == (0, "1.0\n")
    assert "toyeval.toml" in done.err


def test_two_versions_on_the_path(mine: Site, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    install(other)
    init = other / "evalfixes" / "__init__.py"
    init.write_text(init.read_text().replace(f'__version__ = "{evalfixes.__version__}"', '__version__ = "0.0.9"'))
    version = "import evalfixes; print(evalfixes.__version__, evalfixes.__file__)"
    done = mine.run("evalfixes", "run", "--", "python", "-c", f"{version}; {SHOW}", PYTHONPATH=str(other))
    assert done.out.splitlines() == [f"0.0.9 {init}", "0.0"]
    doctor = mine.run("evalfixes", "doctor", PYTHONPATH=str(other))
    assert "evalfixes 0.0.9 on toyeval" in doctor.out
    assert f"another copy of evalfixes is on the path: {mine.packages / 'evalfixes'}" in doctor.out
    assert "another copy" not in mine.run("evalfixes", "doctor").out


def test_read_only_cache_and_site_packages(mine: Site) -> None:
    done = mine.run(
        "evalfixes",
        "run",
        "--",
        "python",
        "-B",
        "-c",
        SHOW,
        EVALFIXES_CACHE_DIR="/proc/no",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert (done.code, done.out, done.err) == (0, "0.0\n", "")


def test_installing_runs_nothing(tmp_path: Path) -> None:
    """The wheel puts files into its own package only: no start-up file of any kind, no unknown entry point."""
    wheel = build(ROOT, "wheel", tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name.partition("/")[0] for name in names if name.endswith(".dist-info/METADATA"))
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
        archive.extractall(tmp_path / "site")
    assert {name.partition("/")[0] for name in names} == {"evalfixes", info}
    assert not [name for name in names if name.endswith((".pth", ".start", ".site.toml"))]
    assert [line for line in entry_points.splitlines() if line.startswith("[")] == ["[console_scripts]", "[pytest11]"]
    custom = [name for name in names if name.rpartition("/")[2] in ("sitecustomize.py", "usercustomize.py")]
    assert custom == ["evalfixes/_boot/sitecustomize.py"], "not where `site` looks"
    fresh = Site(tmp_path / "fresh", with_evalfixes=False)
    for path in (tmp_path / "site").iterdir():
        path.rename(fresh.packages / path.name)
    code = "import sys; print([m for m in sys.modules if 'evalfixes' in m], len(sys.meta_path), len(sys.path_hooks))"
    plain = Site(tmp_path / "plain", with_evalfixes=False)
    assert fresh.run("python", "-c", code).out == plain.run("python", "-c", code).out
    assert os.path.sep in sys.executable
