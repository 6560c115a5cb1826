"""The pytest plugin: off by default and then nearly free; one option or ini line switches it on."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from evalfixes import __version__
from evalfixes.pytest_plugin import headline
from evalfixes.runtime.state import FixStatus
from tests.ways.environment import DRIFTED, FIXED, Result, Site

TEST = "def test_it():\n    from toyeval.metric import score\n    assert score('London') == {}\n"
pytestmark = pytest.mark.slow
XDIST = ["-n2"] if importlib.util.find_spec("xdist") else []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_one.py").write_text(TEST.format("0.0"))
    (tmp_path / "test_two.py").write_text(
        f"from toyeval.client import use\n{TEST.format('0.0')}    assert not use('Rome')\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def run(site: Site, project: Path, *arguments: str, **environment: str) -> Result:
    return site.run("python", "-m", "pytest", "-p", "no:cacheprovider", *arguments, cwd=project, **environment)


def headers(result: Result) -> list[str]:
    return [line for line in result.out.splitlines() if line.startswith("evalfixes ")]


def test_off_by_default(site: Site, project: Path) -> None:
    (project / "conftest.py").write_text(
        "import sys\ndef pytest_unconfigure():\n"
        "    print('loaded:', sorted(m for m in sys.modules if m.startswith('evalfixes')))\n"
    )
    done = run(site, project)
    assert done.code == 1
    assert "2 failed" in done.out
    assert headers(done) == []
    assert "loaded: ['evalfixes', 'evalfixes.pytest_plugin']" in done.out


@pytest.mark.parametrize(
    "way, workers",
    [("option", []), ("ini", []), ("pyproject", []), ("option", XDIST), ("ini", XDIST), ("override", XDIST)],
    ids=lambda value: value if isinstance(value, str) else "xdist" if value else "alone",
)
def test_switched_on(site: Site, project: Path, way: str, workers: list[str]) -> None:
    arguments = list(workers)
    if way == "option":
        arguments.append("--evalfixes")
    elif way == "override":
        arguments += ["-o", "evalfixes=true"]
    elif way == "ini":
        (project / "pytest.ini").write_text("[pytest]\nevalfixes = true\n")
    else:
        (project / "pytest.ini").unlink()
        (project / "pyproject.toml").write_text("[tool.pytest.ini_options]\nevalfixes = true\n")
    done = run(site, project, *arguments)
    assert done.code == 0, done
    assert headers(done) == [f"evalfixes {__version__}: 1 applied, 0 fixed upstream, 0 unknown"]


def test_ini_can_be_overridden(site: Site, project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nevalfixes = true\n")
    assert run(site, project, "-o", "evalfixes=false").code == 1
    assert run(site, project, "-p", "no:evalfixes").code == 1


def test_before_the_first_conftest(site: Site, project: Path) -> None:
    (project / "conftest.py").write_text(
        "from toyeval.metric import score\nKEPT = [score]\nassert score('London') == 0.0\n"
    )
    assert run(site, project, "--evalfixes").code == 0


def test_fixed_and_drifted_releases(site: Site, project: Path) -> None:
    site.release(FIXED)
    done = run(site, project, "--evalfixes-strict")
    assert (done.code, headers(done)) == (0, [f"evalfixes {__version__}: 0 applied, 1 fixed upstream, 0 unknown"])
    site.release(DRIFTED)
    done = run(site, project, "--evalfixes")
    assert (done.code, headers(done)) == (1, [f"evalfixes {__version__}: 0 applied, 0 fixed upstream, 1 unknown"])
    assert "evalfixes doctor --fix toy-score" in done.out, "the warning shows in pytest's summary"
    assert re.search(r"^evalfixes: toy-score is not in place: ", done.out, re.M)


@pytest.mark.parametrize(
    "way, workers",
    [("option", []), ("ini", []), ("option", XDIST)],
    ids=lambda value: value if isinstance(value, str) else "xdist" if value else "alone",
)
def test_strict_fails_the_run_on_drift(site: Site, project: Path, workers: list[str], way: str) -> None:
    site.release(DRIFTED)
    (project / "test_one.py").write_text("def test_green():\n    pass\n")
    (project / "test_two.py").unlink()
    assert run(site, project, "--evalfixes", *workers).code == 0
    if way == "ini":
        (project / "pytest.ini").write_text("[pytest]\nevalfixes_strict = true\n")
    done = run(site, project, *workers, *(["--evalfixes-strict"] if way == "option" else []))
    assert done.code == 4, done
    assert "evalfixes: toy-score is not in place: " in done.err
    assert "Traceback" not in done.err


def test_strict_where_all_is_well(site: Site, project: Path) -> None:
    assert run(site, project, "--evalfixes-strict", *XDIST).code == 0


def test_wrong_settings_are_usage_errors(site: Site, project: Path) -> None:
    done = run(site, project, "--evalfixes", EVALFIXES_SKIP="toy-scor")
    assert done.code == 4
    assert "did you mean toy-score?" in done.err


def test_skipped_and_disabled_show(site: Site, project: Path) -> None:
    for setting in ({"EVALFIXES_SKIP": "toy-score"}, {"EVALFIXES_DISABLE": "1"}):
        done = run(site, project, "--evalfixes", **setting)
        assert headers(done) == [f"evalfixes {__version__}: 0 applied, 0 fixed upstream, 0 unknown, 1 skipped"]


def test_with_the_launcher(site: Site, project: Path) -> None:
    launched = site.run("evalfixes", "run", "--", "python", "-m", "pytest", *XDIST, "-W", "error", cwd=project)
    assert launched.code == 0, launched
    assert "warning" not in launched.out, "pytest warns of plugins that were imported before it"


@pytest.mark.skipif(importlib.util.find_spec("coverage") is None, reason="needs coverage")
def test_with_coverage(site: Site, project: Path) -> None:
    command = ("python", "-m", "coverage", "run", "-m", "pytest", "--evalfixes")
    assert site.run(*command, cwd=project, COVERAGE_FILE=str(project / "c")).code == 0
    command = ("evalfixes", "run", "--", "python", "-m", "coverage", "run", "-m", "pytest")
    assert site.run(*command, cwd=project, COVERAGE_FILE=str(project / "c")).code == 0


def test_header_counts() -> None:
    def row(state: str, **more: str) -> FixStatus:
        return FixStatus("x", "d", "1", state, "", "", **more)

    rows = (
        row("patched"),
        row("armed"),
        row("fixed-upstream"),
        row("unknown", problem="p"),
        row("not-installed"),
        row("not-affected"),
        row("faulty", problem="p"),
        row("faulty", skipped="s"),
    )
    line = f"evalfixes {__version__}: 2 applied, 1 fixed upstream, 1 unknown, 1 not in place, 1 skipped"
    assert headline(rows) == line


@pytest.mark.parametrize("workers", [[], XDIST], ids=["alone", "xdist"])
def test_the_closing_line_is_in_the_summary(site: Site, project: Path, workers: list[str]) -> None:
    for name in ("one", "two"):
        (project / f"test_{name}.py").write_text(
            "from evalfixes.runtime import ledger\n"
            "def test_it():\n"
            "    ledger.record('m', 5, ['left out'])\n"
            "    with ledger.opened():\n"
            "        ledger.record('m', 2, ['unreadable'])\n"
        )
    done = run(site, project, "--evalfixes", *workers)
    line = "4 of 14 judged parts unscored: 2 left out, 2 unreadable"
    assert (done.out + done.err).count(line) == 1, done
    assert f"evalfixes: {line}" in done.out.splitlines()
    (project / "test_one.py").write_text("def test_it(): pass\n")
    (project / "test_two.py").unlink()
    assert "judged parts" not in run(site, project, "--evalfixes").out


def test_settings_of_pytests_root(site: Site, project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / "pyproject.toml").write_text("[tool.evalfixes]\nrejudge = 4\n")
    (project / "test_two.py").unlink()
    (project / "test_one.py").write_text(
        "from evalfixes.runtime import options\ndef test_it():\n    assert options.current.rejudge == 4\n"
    )
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = site.run("python", "-m", "pytest", "-p", "no:cacheprovider", "--evalfixes", str(project), cwd=elsewhere)
    assert done.code == 0, done
    (project / "pyproject.toml").write_text("[tool.evalfixes]\nrejuge = 4\n")
    done = run(site, project, "--evalfixes")
    assert done.code == 4
    assert "did you mean rejudge?" in done.err


def test_header_does_not_miss_a_fix_that_has_to_be_named() -> None:
    def row(**more: str) -> FixStatus:
        return FixStatus("agentevals-not-evaluated-gate", "agentevals-cli", "0.11.0", "faulty", "", "", **more)

    assert headline((row(),)) == f"evalfixes {__version__}: 0 applied, 0 fixed upstream, 0 unknown, 1 by choice"
    assert headline((row(problem="p"),)).endswith("0 unknown, 1 not in place")
