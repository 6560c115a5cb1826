"""With other tools that come in at start-up or replace functions, in either order.

Each is tested where it is installed (`nox -s startup` installs all of them).
"""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path

import pytest

from tests.ways.environment import SHOW, Site

RUN = ("evalfixes", "run", "--")
APPLY = "import evalfixes; evalfixes.apply(); "
QUIET = {
    "DD_TRACE_ENABLED": "false",
    "DD_INSTRUMENTATION_TELEMETRY_ENABLED": "false",
    "DD_REMOTE_CONFIGURATION_ENABLED": "false",
    "OTEL_TRACES_EXPORTER": "none",
    "OTEL_METRICS_EXPORTER": "none",
    "OTEL_LOGS_EXPORTER": "none",
}


def needs(module: str) -> pytest.MarkDecorator:
    try:
        lacking = importlib.util.find_spec(module) is None
    except ModuleNotFoundError:  # not even the package that it is in
        lacking = True
    return pytest.mark.skipif(lacking, reason=f"{module} is not installed")


def program(site: Site, name: str) -> str:
    """The console script of an installed distribution, in the environment of the test."""
    (entry,) = set(metadata.entry_points(group="console_scripts", name=name))
    module, _, function = entry.value.partition(":")
    return str(site.script(name, f"import sys\nfrom {module} import {function}\nsys.exit({function}())\n"))


@needs("ddtrace")
@pytest.mark.parametrize("order", ["evalfixes first", "ddtrace first", "activated"])
def test_ddtrace_run(site: Site, order: str) -> None:
    program(site, "ddtrace-run")
    code = f"import sys; assert 'ddtrace' in sys.modules; {SHOW}"
    front = {
        "evalfixes first": (*RUN, "ddtrace-run"),
        "ddtrace first": ("ddtrace-run", *RUN),
        "activated": ("ddtrace-run",),
    }[order]
    if order == "activated":
        site.run("evalfixes", "activate")
    assert site.shows(*front, "python", "-c", code, **QUIET) == 0.0


@needs("opentelemetry.instrumentation")
@pytest.mark.parametrize("order", ["evalfixes first", "opentelemetry first", "activated"])
def test_opentelemetry_instrument(site: Site, order: str) -> None:
    program(site, "opentelemetry-instrument")
    instrumented = "import sys; assert 'opentelemetry.instrumentation.auto_instrumentation' in sys.modules; "
    front = {
        "evalfixes first": (*RUN, "opentelemetry-instrument"),
        "opentelemetry first": ("opentelemetry-instrument", *RUN),
        "activated": ("opentelemetry-instrument",),
    }[order]
    if order == "activated":
        site.run("evalfixes", "activate")
    if order == "opentelemetry first":  # it instruments the launcher only, and by design nothing that this executes
        instrumented = ""
    assert site.shows(*front, "python", "-c", instrumented + SHOW, **QUIET) == 0.0


@needs("wrapt")
@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_wrapt(site: Site, first: str) -> None:
    """What instrumentors of ddtrace and opentelemetry put on a function."""
    theirs = (
        "import wrapt, toyeval.metric\n"
        "wrapt.wrap_function_wrapper('toyeval.metric', 'score', lambda f, i, a, k: f(*a, **k))\n"
    )
    ours = "import evalfixes; evalfixes.apply()\n"
    show = (
        "from toyeval.metric import score; import evalfixes\n"
        "print(evalfixes.status()[0].state, evalfixes.revert(), score('London'))"
    )
    done = site.run("python", "-c", (ours + theirs if first == "ours" else theirs + ours) + show)
    assert done.code == 0, done
    # A foreign wrapper on top is left, and said so; under ours it is simply what was there.
    expected = "patched ['toyeval.metric:score'] 0.0" if first == "ours" else "patched [] "
    assert done.out.startswith(expected)


@needs("mpat")
@pytest.mark.parametrize("deferred", [False, True], ids=["at once", "deferred"])
@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_mpat(site: Site, first: str, deferred: bool, tmp_path: Path) -> None:
    """Another tool's patch of the same function, below or above ours."""
    (tmp_path / "patches.py").write_text(
        f"from mpat import patch\n\n\n@patch('toyeval.metric.score', when_imported={deferred})\n"
        "def score(original, *args, **kwargs):\n    print('theirs')\n    return original(*args, **kwargs)\n"
    )
    theirs = "import sys; sys.path.insert(0, ''); import patches; "
    code = (APPLY + theirs if first == "ours" else theirs + APPLY) + SHOW
    done = site.run("python", "-c", code, cwd=tmp_path)
    assert done.out == "theirs\n0.0\n", done


@needs("coverage")
@pytest.mark.parametrize("order", ["evalfixes first", "coverage first"])
def test_coverage(site: Site, order: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SHOW)
    cover = ("python", "-m", "coverage", "run")
    front = (*RUN, *cover) if order == "evalfixes first" else (*cover, "-m", "evalfixes", "run", "--", "python")
    assert site.shows(*front, str(script), COVERAGE_FILE=str(tmp_path / "data")) == 0.0


@pytest.mark.parametrize("start", ["import os\nif os.fork() == 0:\n    {}\n    os._exit(0)\nos.wait()"])
def test_fork_before_and_after_the_import(site: Site, start: str) -> None:
    show = f"{SHOW}; import sys; sys.stdout.flush()"
    assert site.run("python", "-c", APPLY + "\n" + start.format(show)).out == "0.0\n"
    assert site.run("python", "-c", APPLY + "import toyeval.metric\n" + start.format(show)).out == "0.0\n"
    assert site.run(*RUN, "python", "-c", start.format(show)).out == "0.0\n"
