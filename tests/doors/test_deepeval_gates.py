"""An unscored metric through deepeval's own doors: no gate goes green, sync and async, whatever is ignored."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evalfixes
from tests.forked import forked

pytest.importorskip("deepeval.metrics", reason="deepeval is not installed")
pytestmark = pytest.mark.door


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    """Old releases want a folder that they make at import only, and not where telemetry is off."""
    (tmp_path / ".deepeval").mkdir()


SILENT: dict[str, Any] = {
    "metric": "PromptAlignmentMetric",
    "items": 2,
    "replies": [{"verdicts": [{"verdict": "maybe", "reason": "r"}] * 2}],
}
GOOD: dict[str, Any] = {**SILENT, "replies": [{"verdicts": [{"verdict": "yes", "reason": "r"}] * 2}]}
BAD: dict[str, Any] = {**SILENT, "replies": [{"verdicts": [{"verdict": "no", "reason": "r"}] * 2}]}


def parts(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    from evalfixes.fixes.deepeval import _harness

    judge = _harness._judge(case)
    return judge, _harness._metric(case, judge), _harness._test_case(case)


def quiet() -> Any:
    from deepeval.evaluate.configs import DisplayConfig

    return DisplayConfig(show_indicator=False, print_results=False)


def through_evaluate(
    apply: bool, case: dict[str, Any], run_async: bool, ignore: bool, skip: bool, **options: Any
) -> Any:
    if apply:
        evalfixes.apply(**options)
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, ErrorConfig

    _, metric, test_case = parts({**case, "mode": "async" if run_async else "sync"})
    try:
        result = evaluate(
            [test_case],
            [metric],
            async_config=AsyncConfig(run_async=run_async),
            display_config=quiet(),
            error_config=ErrorConfig(ignore_errors=ignore, skip_on_missing_params=skip),
        )
    except Exception as error:
        return type(error).__mro__[1].__name__ if apply else type(error).__name__
    found = result.test_results[0]
    data = (found.metrics_data or [None])[0]
    return [found.success, None if data is None else [data.success, data.score, bool(data.error)]]


def through_assert(apply: bool, case: dict[str, Any], run_async: bool) -> str:
    if apply:
        evalfixes.apply()
    from deepeval import assert_test

    _, metric, test_case = parts({**case, "mode": "async" if run_async else "sync"})
    try:
        assert_test(test_case, [metric], run_async=run_async)
    except Exception as error:
        return "ValueError" if isinstance(error, ValueError) else type(error).__name__
    return "green"


@pytest.mark.parametrize(("run_async", "ignore", "skip"), list(itertools.product([False, True], repeat=3)))
def test_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_async: bool, ignore: bool, skip: bool) -> None:
    monkeypatch.chdir(tmp_path)
    assert forked(through_evaluate, False, SILENT, run_async, ignore, skip)[0] is True, "what used to pass"
    seen = forked(through_evaluate, True, SILENT, run_async, ignore, skip)
    if ignore:
        assert seen == [False, [False, None, True]]
    else:
        assert isinstance(seen, str), "an error out of evaluate()"
    assert forked(through_evaluate, True, GOOD, run_async, ignore, skip)[0] is True
    assert forked(through_evaluate, True, BAD, run_async, ignore, skip)[0] is False


@pytest.mark.parametrize("run_async", [False, True])
def test_evaluate_goes_on_where_errors_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_async: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    seen = forked(_recorded, run_async)
    assert seen == [False, [False, None, True]]


def _recorded(run_async: bool) -> Any:
    return through_evaluate(True, SILENT, run_async, False, False, deepeval_errors="record")


@pytest.mark.parametrize("run_async", [False, True])
def test_assert_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_async: bool) -> None:
    monkeypatch.chdir(tmp_path)
    assert forked(through_assert, False, SILENT, run_async) == "green"
    assert forked(through_assert, True, SILENT, run_async) == "ValueError"
    assert forked(through_assert, True, GOOD, run_async) == "green"
    assert forked(through_assert, True, BAD, run_async) == "AssertionError"


TEST_FILE = """
import evalfixes
{apply}
from deepeval import assert_test
from evalfixes.fixes.deepeval import _harness

CASE = {case!r}

def test_it():
    judge = _harness._judge(CASE)
    assert_test(_harness._test_case(CASE), [_harness._metric(CASE, judge)])
"""


def test_run(folder: Path, case: dict[str, Any], apply: bool, *flags: str) -> int:
    path = folder / "test_generated.py"
    path.write_text(TEST_FILE.format(apply="evalfixes.apply()" if apply else "", case=case))
    command = "import sys; from deepeval.cli.main import app; app()"
    source = str(Path(evalfixes.__file__).parents[1])
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]),
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "CONFIDENT_OPEN_BROWSER": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", command, "test", "run", path.name, *flags],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if "No module named 'deepeval.deepeval'" in done.stderr:
        pytest.skip("the command line of this release (4.0.6) cannot be imported as published")
    assert "1 passed" in done.stdout or "1 failed" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    return done.returncode


test_run.__test__ = False  # type: ignore[attr-defined]


SLOW = pytest.mark.slow
FLAGS = [(), pytest.param(("-i",), marks=SLOW), pytest.param(("-s",), marks=SLOW), ("-i", "-s")]


@pytest.mark.parametrize("flags", FLAGS, ids=lambda flags: "".join(flags) or "plain")
def test_deepeval_test_run(tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert test_run(tmp_path, SILENT, True, *flags) == 1


def test_deepeval_test_run_can_pass(tmp_path: Path) -> None:
    assert test_run(tmp_path, SILENT, False) == 0, "what used to pass"
    assert test_run(tmp_path, GOOD, True) == 0
