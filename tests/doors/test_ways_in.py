"""Every way in, through the real commands: what each gives bare, and with evalfixes switched on.

The judge leaves out the wrong part of the answer in each. `-s` shows the table.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from packaging.version import Version

from tests.doors.project import APPLY, Project
from tests.forked import forked

Seen = tuple[float | None, int]
ROWS: list[tuple[str, str, Seen, Seen]] = []


def _older(dist: str, module: str, release: str) -> bool:
    try:
        found = importlib.util.find_spec(module) is not None
        return not found or Version(metadata.version(dist)) < Version(release)
    except (ImportError, metadata.PackageNotFoundError):
        return True


ADK = pytest.mark.skipif(
    _older("google-adk", "google.adk.evaluation", "2.13.0"),
    reason="`adk eval` has an exit code from google-adk 2.13.0 on",
)
DEEPEVAL = pytest.mark.skipif(_older("deepeval", "deepeval", "4.3.1"), reason="no deepeval 4.3.1 or later")
AGENTEVALS = pytest.mark.skipif(
    _older("agentevals-cli", "agentevals", "0.11.0"), reason="no agentevals 0.11.0 or later"
)
pytestmark = [pytest.mark.door, pytest.mark.slow]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    made = Project(tmp_path_factory.mktemp("ways"))
    yield made
    width = max((len(row[0]) for row in ROWS), default=0)
    for command, way, before, after in ROWS:
        print(f"\n{command:<{width}}  {way:<28}  {before} -> {after}", end="")


@pytest.fixture
def clean(project: Project) -> Iterator[Project]:
    yield project
    project.write()
    project.run("evalfixes", "deactivate")


def _adk(project: Project, *front: str) -> Seen:
    command = ["adk", "eval", "capital", "capitals.test.json", "--config_file_path", "test_config.json"]
    done = project.run(*front, *command)
    results = sorted(
        (project.home / "capital" / ".adk" / "eval_history").glob("*.json"), key=lambda p: p.stat().st_mtime
    )
    assert results, done.stdout + done.stderr
    read = json.loads(results[-1].read_text())
    read = json.loads(read) if isinstance(read, str) else read
    results[-1].unlink()
    score: float | None = read["eval_case_results"][0]["overall_eval_metric_results"][0]["score"]
    assert _closed(done) is (score is None), done.stdout + done.stderr
    return score, done.returncode


def _closed(done: CompletedProcess[str]) -> bool:
    """Whether the run ends with the line that says what was not judged."""
    return " judged parts unscored: " in done.stdout + done.stderr


def _agent_evaluator(project: Project, *front: str, options: tuple[str, ...] = ()) -> Seen:
    """AgentEvaluator gives no score where it is content; the exit code is what a build sees."""
    done = project.run(*front, "pytest", "-p", "no:cacheprovider", *options, "test_agent.py")
    assert ("1 passed" in done.stdout) == (done.returncode == 0), done.stdout + done.stderr
    assert done.returncode == 0 or "was not evaluated" in done.stdout, done.stdout
    assert _closed(done) is (done.returncode != 0), done.stdout
    return None, done.returncode


def _deepeval(project: Project, *front: str, options: tuple[str, ...] = ()) -> Seen:
    done = project.run(*front, "deepeval", "test", "run", "test_answer.py", *options)
    latest: Path = project.home / ".deepeval" / ".latest_test_run.json"
    assert latest.exists(), done.stdout + done.stderr
    read = json.loads(latest.read_text())
    read = read.get("testRunData", read)
    latest.unlink()
    score: float | None = read["testCases"][0]["metricsData"][0].get("score")
    assert _closed(done) is (score is None), done.stdout + done.stderr
    return score, done.returncode


def _agentevals(project: Project, *front: str) -> Seen:
    arguments = forked(_trace, project.home)
    done = project.run(*front, "agentevals", *arguments)
    metric = json.loads(done.stdout[done.stdout.index("{") :])["traces"][0]["metrics"][0]
    score: float | None = metric["score"]
    assert _closed(done) is (done.returncode != 0), done.stderr
    return score, done.returncode


def _trace(folder: Path) -> list[str]:
    """Two turns; the judge is down for the second."""
    from evalfixes.fixes.agentevals import _harness

    def turn(user: str, item: str) -> dict[str, object]:
        call = {"name": "lookup", "args": {"q": user}, "id": item, "output": {"item": item}}
        return {"user": user, "final": f"The item is {item}.", "rounds": [[call]]}

    turns = [turn("First?", "A-11"), turn("Second?", "B-22")]
    return _harness.write_inputs({"turns": turns, "threshold": 0.8}, folder)


BARE: dict[str, Seen] = {}


def _before(project: Project, name: str, door: Callable[..., Seen]) -> Seen:
    if name not in BARE:
        BARE[name] = door(project)
    return BARE[name]


@ADK
@pytest.mark.parametrize("way", ["evalfixes run --", "evalfixes activate", "evalfixes.apply()"])
def test_adk_eval(clean: Project, way: str) -> None:
    before = _before(clean, "adk eval", _adk)
    front = ("evalfixes", "run", "--") if way == "evalfixes run --" else ()
    _prepare(clean, way)
    after = _adk(clean, *front)
    ROWS.append(("adk eval", way, before, after))
    assert (before, after) == ((1.0, 0), (None, 1))


@ADK
@pytest.mark.parametrize("way", ["--evalfixes", "evalfixes = true"])
def test_pytest_with_agent_evaluator(clean: Project, way: str) -> None:
    before = _before(clean, "AgentEvaluator", _agent_evaluator)
    _prepare(clean, way)
    after = _agent_evaluator(clean, options=("--evalfixes",) if way == "--evalfixes" else ())
    ROWS.append(("pytest with AgentEvaluator", way, before, after))
    assert (before[1], after[1]) == (0, 1)


@DEEPEVAL
@pytest.mark.parametrize("way", ["--evalfixes", "evalfixes = true", "evalfixes run --"])
def test_deepeval_test_run(clean: Project, way: str) -> None:
    before = _before(clean, "deepeval test run", _deepeval)
    _prepare(clean, way)
    front = ("evalfixes", "run", "--") if way == "evalfixes run --" else ()
    after = _deepeval(clean, *front, options=("--evalfixes",) if way == "--evalfixes" else ())
    ROWS.append(("deepeval test run", way, before, after))
    assert (before, after) == ((1.0, 0), (None, 1))


@AGENTEVALS
@pytest.mark.parametrize("way", ["evalfixes run --", "evalfixes activate"])
def test_agentevals_run(clean: Project, way: str) -> None:
    before = _before(clean, "agentevals run", _agentevals)
    _prepare(clean, way)
    after = _agentevals(clean, *(("evalfixes", "run", "--") if way == "evalfixes run --" else ()))
    ROWS.append(("agentevals run", way, before, after))
    assert before == (1.0, 0)
    assert after[1] == 1
    assert after[0] is None or after[0] < 0.8


def _prepare(project: Project, way: str) -> None:
    if way == "evalfixes activate":
        done = project.run("evalfixes", "activate")
        assert done.returncode == 0, done.stderr
    elif way == "evalfixes.apply()":
        project.write(APPLY)
    elif way == "evalfixes = true":
        (project.home / "pytest.ini").write_text("[pytest]\nevalfixes = true\n")
