"""`evalfixes activate` and `deactivate`: one start-up file, only on request, and gone without a trace."""

from __future__ import annotations

import os
import pkgutil
import sys
import sysconfig
from pathlib import Path

import pytest

from evalfixes.cli.activate import ENTRY_POINT, content
from tests.ways.environment import SHOW, Site, install


def _files(site: Site) -> dict[str, bytes]:
    return {
        str(path.relative_to(site.home)): path.read_bytes()
        for path in site.home.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_on_and_off_leaves_no_trace(site: Site) -> None:
    before = _files(site)
    assert site.shows("python", "-c", SHOW) == 1.0
    done = site.run("evalfixes", "activate")
    assert done.code == 0, done
    added = set(_files(site)) - set(before)
    assert len(added) == 1
    assert added.pop() in done.out
    assert site.shows("python", "-c", SHOW) == 0.0
    assert site.shows("python", "-I", "-c", SHOW) == 0.0
    assert site.run("evalfixes", "activate").code == 0, "twice is once"
    assert site.run("evalfixes", "deactivate").code == 0
    assert _files(site) == before
    assert site.shows("python", "-c", SHOW) == 1.0
    again = site.run("evalfixes", "deactivate")
    assert (again.code, "not active" in again.out) == (0, True)


def test_console_scripts_and_children(site: Site) -> None:
    site.script("toy", SHOW)
    site.run("evalfixes", "activate")
    assert site.shows("toy") == 0.0
    assert site.shows("sh", "-c", "toy") == 0.0
    assert site.shows("toy", EVALFIXES_DISABLE="1") == 1.0


def test_the_interpreter_starts_as_it_would_have(site: Site) -> None:
    site.run("evalfixes", "activate")
    for setting in ({"EVALFIXES_SKIP": "no-such-fix"}, {}):
        done = site.run("python", "-c", "print(5)", **setting)
        assert (done.code, done.out) == (0, "5\n")
        assert ("no-such-fix" in done.err) == bool(setting)
        assert len(done.err.splitlines()) == len(setting)
    loaded = "import sys; print([m for m in sys.modules if m.partition('.')[0] in ('google', 'toyeval', 'typing')])"
    assert site.run("python", "-c", loaded).out == "[]\n"


def test_evalfixes_that_is_gone_or_broken_later(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    site.run("evalfixes", "activate")
    (site.packages / "evalfixes" / "runtime" / "hooks.py").write_text("raise ImportError('half')\n")
    done = site.run("python", "-c", "print(5)")
    assert (done.code, done.out) == (0, "5\n")
    assert "half" in done.err
    (site.packages / "evalfixes").rename(site.packages / "gone")
    for leave_a_folder in (False, True):  # an empty one is what uninstalling can leave
        if leave_a_folder:
            (site.packages / "evalfixes").mkdir()
        done = site.run("python", "-c", "print(5)")
        assert (done.code, done.out, done.err) == (0, "5\n", "")


def test_wrong_settings_do_not_leave_it_unfixed(site: Site, tmp_path: Path) -> None:
    site.run("evalfixes", "activate")
    (tmp_path / "pyproject.toml").write_text("[tool.evalfixes]\nrejuge = 1\n")
    done = site.run("python", "-c", SHOW, cwd=tmp_path)
    assert (done.code, done.out) == (0, "0.0\n")
    assert "did you mean rejudge?" in done.err
    assert "applied with the defaults instead" in done.err
    done = site.run("evalfixes", "run", "--", "python", "-c", SHOW, cwd=tmp_path, EVALFIXES_DISABLE="1")
    assert done.code == 3
    assert "did you mean rejudge?" in done.err


def test_read_only_site_packages(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    code = (
        "import sys, tempfile\n"
        "def no(*a, **k):\n    raise PermissionError(13, 'Permission denied')\n"
        "tempfile.mkstemp = no\n"
        "from evalfixes.cli import main\nsys.exit(main(['activate']))"
    )
    before = _files(site)
    done = site.run("python", "-c", code)
    assert done.code == 3
    assert "Permission denied" in done.err
    assert "evalfixes run" in done.err
    assert _files(site) == before


def test_activation_without_effect_is_taken_back(tmp_path: Path, bare: Site) -> None:
    """Evalfixes is found through PYTHONPATH only, which says nothing about other programs' environments."""
    (tmp_path / "elsewhere").mkdir()
    install(tmp_path / "elsewhere")
    before = set(bare.packages.iterdir())
    path = os.pathsep.join([str(tmp_path / "elsewhere"), sysconfig.get_path("purelib")])
    done = bare.run("python", "-m", "evalfixes", "activate", PYTHONPATH=path)
    assert done.code == 3
    assert "had no effect" in done.err
    assert set(bare.packages.iterdir()) == before


def test_with_run_and_pytest_on_top(site: Site, tmp_path: Path) -> None:
    site.run("evalfixes", "activate")
    assert site.shows("evalfixes", "run", "--", "python", "-c", SHOW) == 0.0
    (tmp_path / "test_it.py").write_text(
        "def test_it():\n    from toyeval.metric import score\n    assert score('London') == 0\n"
    )
    done = site.run("python", "-m", "pytest", "-q", "--evalfixes", str(tmp_path))
    assert done.code == 0, done


def test_doctor_in_an_activated_environment(site: Site) -> None:
    bare = site.run("evalfixes", "doctor")
    assert bare.code == 1, bare
    assert "evalfixes_activated" not in bare.out
    site.run("evalfixes", "activate")
    done = site.run("evalfixes", "doctor", "--applied")
    assert done.code == 0, done
    assert f"evalfixes_activated{content(sys.version_info[:2])[0]}" in done.out
    assert site.run("evalfixes", "doctor").code == 1, "what is faulty bare is faulty"
    assert site.run("evalfixes", "run", "--", "evalfixes", "doctor", "--applied").code == 0


@pytest.mark.parametrize(
    "version, suffix", [((3, 10), ".pth"), ((3, 13), ".pth"), ((3, 14), ".pth"), ((3, 15), ".start")]
)
def test_the_file_for_each_python(version: tuple[int, int], suffix: str) -> None:
    found, text = content(version)
    assert found == suffix
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == 1
    assert text.isascii()
    if suffix == ".start":
        assert lines == [ENTRY_POINT]
        assert callable(pkgutil.resolve_name(lines[0]))
    else:
        assert lines[0].startswith("import ")
        compile(lines[0], "line", "exec")


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_other_environment_is_not_touched(site: Site, bare: Site) -> None:
    site.run("evalfixes", "activate")
    assert bare.shows("python", "-c", SHOW) == 1.0
    assert not [path for path in bare.packages.iterdir() if "evalfixes" in path.name]
