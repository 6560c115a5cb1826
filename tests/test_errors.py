"""Every error of the public API and of the command line: what it names, and what it says to do.

A class of errors that has no example here fails a test.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import evalfixes
from evalfixes import cli, facts, resources
from evalfixes.cli import activate, catalog
from evalfixes.errors import EvalfixesError, OptionError, SettingsError, UnscoredError
from evalfixes.patching import pull_request
from evalfixes.patching.plan import NothingFoundError, make
from evalfixes.patching.pull_request import PullRequestError, UnprovenError
from evalfixes.patching.retire import RetireError, retire
from evalfixes.patching.sets import UnnumberedSetError
from evalfixes.patching.wheel import RefusedError, WheelError, build
from evalfixes.rescoring.fields import DamagedError, listed
from evalfixes.runtime import options
from evalfixes.testing import (
    NothingToAuditError,
    RecordingError,
    Scripted,
    UnknownPromptError,
    audit_callable,
    recordings,
)
from evalfixes.testing.targets import TargetError, resolve
from tests.runtime.toy import DRIFTED, Toy, make_fix, toy

__all__ = ["toy"]

PACKAGE = Path(evalfixes.__file__).parent


def drift(toy: Toy, folder: Path) -> None:
    toy.release(DRIFTED, version="2.0")
    import toyeval.metric  # type: ignore[import-not-found]  # noqa: F401

    evalfixes.apply(strict=True)


def not_writable(toy: Toy, folder: Path) -> None:
    raise activate.ActivationError(folder, "cannot be written (Permission denied); use an environment of your own")


def wrong_file(toy: Toy, folder: Path) -> None:
    path = folder / "pyproject.toml"
    path.write_text("[tool.evalfixes]\nskip = [{ id = 'toy-scor', reason = 'r' }]\n")
    options.start, before = str(folder), options.start
    try:
        evalfixes.apply()
    finally:
        options.start = before


def unscored(toy: Toy, folder: Path) -> None:
    raise UnscoredError("FaithfulnessMetric is unscored: no usable answer for 1 of 3", "FaithfulnessMetric", 1, 3)


def tampered(toy: Toy, folder: Path) -> None:
    pytest.importorskip("wheel")
    (folder / "deepeval-4.3.1-py3-none-any.whl").write_bytes(b"something else")
    with real_facts():
        build(str(folder / "deepeval-4.3.1-py3-none-any.whl"), folder)


def unnumbered(toy: Toy, folder: Path) -> None:
    raise UnnumberedSetError("deepeval")


def nothing_to_open(toy: Toy, folder: Path) -> None:
    with real_facts():
        pull_request.patch_for(replace(make_fix("deepeval-verbose-verdicts"), dist="deepeval"))


def unproven(toy: Toy, folder: Path) -> None:
    (folder / "test_it.py").write_text("def test_it():\n    pass\n")
    with real_facts():
        fix = replace(make_fix("deepeval-verbose-verdicts"), dist="deepeval")
        pull_request._pytest(fix, folder, ("test_it.py",), fails=True)


@contextmanager
def real_facts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "folder", resources.folder)
        facts.upstream.cache_clear()
        facts.fix_facts.cache_clear()
        yield
    facts.upstream.cache_clear()
    facts.fix_facts.cache_clear()


EXAMPLES: list[tuple[type[Exception], Callable[[Toy, Path], object], list[str]]] = [
    (
        evalfixes.UnknownFixError,
        lambda toy, folder: evalfixes.apply("toy-scor"),
        ["'toy-scor'", "did you mean toy-score?", "`evalfixes list` shows all"],
    ),
    (
        evalfixes.UnknownFixError,
        lambda toy, folder: evalfixes.revert("nothing-like-it-at-all"),
        ["'nothing-like-it-at-all'", "`evalfixes list` shows all"],
    ),
    (evalfixes.UnknownFixError, lambda toy, folder: evalfixes.status("toy-scor"), ["did you mean toy-score?"]),
    (evalfixes.DriftError, drift, ["toy-score is not in place", "`evalfixes doctor --fix toy-score`", "skip"]),
    (
        OptionError,
        lambda toy, folder: evalfixes.apply(skip="toy-score"),
        ["evalfixes.apply: skip='toy-score' is a string", "give a list of fix ids"],
    ),
    (
        OptionError,
        lambda toy, folder: evalfixes.apply(incomplete="guess"),
        ["evalfixes.apply: incomplete='guess'", "one of decide, unscored, worst"],
    ),
    (OptionError, lambda toy, folder: evalfixes.apply(rejudge=-1), ["rejudge=-1", "a whole number from 0 up"]),
    (OptionError, lambda toy, folder: evalfixes.apply(deepeval_errors="x"), ["'x'", "one of raise, record"]),
    (OptionError, lambda toy, folder: evalfixes.apply(allow_unscored=[{"metric": "m"}]), ["'m'", "no reason and no"]),
    (OptionError, lambda toy, folder: evalfixes.apply(allow_unscored="m"), ["'m' is no list of {metric, reason"]),
    (SettingsError, wrong_file, ["pyproject.toml", "skip", "'toy-scor'", "did you mean toy-score?"]),
    (UnscoredError, unscored, ["FaithfulnessMetric", "1 of 3"]),
    (activate.ActivationError, not_writable, ["cannot be written", "use an environment of your own"]),
    (
        NothingFoundError,
        lambda toy, folder: make(folder / "absent", []),
        ["absent does not exist", "give the folder that holds the copy"],
    ),
    (
        TargetError,
        lambda toy, folder: resolve("mymetric"),
        ["mymetric", "name it as deepeval:CLASS, google-adk:METRIC or MODULE:FUNCTION"],
    ),
    (
        NothingToAuditError,
        lambda toy, folder: audit_callable(lambda judge: (None, False), name="mymetric"),
        ["mymetric: no score", "make it score a well-formed reply first"],
    ),
    (
        UnknownPromptError,
        lambda toy, folder: Scripted("good")("Tell me a story."),
        ["'Tell me a story.'", "give them with --recordings"],
    ),
    (
        RecordingError,
        lambda toy, folder: recordings(folder / "judge.jsonl"),
        ["judge.jsonl", "cannot be read"],
    ),
    (
        WheelError,
        lambda toy, folder: build("requests==2.0", folder),
        ["no patches for requests", "they are for agentevals-cli, deepeval, google-adk"],
    ),
    (RefusedError, tampered, ["deepeval 4.3.1", "its SHA-256 is", "nothing was written"]),
    (UnnumberedSetError, unnumbered, ["patches/deepeval", "sets.toml", "python -m evalfixes.generate"]),
    (
        PullRequestError,
        nothing_to_open,
        ["deepeval-verbose-verdicts is fixed upstream since 4.2.4", "there is nothing to open"],
    ),
    (UnprovenError, unproven, ["regression test of deepeval-verbose-verdicts", "does not fail without the change"]),
    (
        RetireError,
        lambda toy, folder: retire("toyeval"),
        ["'toyeval' names no release", "give one such as agentevals-cli==0.9.12"],
    ),
    (DamagedError, lambda toy, folder: listed({"a_b": 1}, "a_b"), ["a_b is 1", "not a list"]),
    (
        EvalfixesError,
        lambda toy, folder: catalog.known_dist("toyevil"),
        ["'toyevil'", "there are some for toyeval"],
    ),
    (FileNotFoundError, lambda toy, folder: resources.folder("nothing"), ["'nothing' is missing", "reinstall"]),
]


@pytest.mark.parametrize(
    "kind, cause, told", EXAMPLES, ids=[f"{kind.__name__}-{n}" for n, (kind, _, _) in enumerate(EXAMPLES)]
)
def test_an_error_names_what_and_says_what_to_do(
    toy: Toy, tmp_path: Path, kind: type[Exception], cause: Callable[[Toy, Path], object], told: list[str]
) -> None:
    with pytest.raises(kind) as caught:
        cause(toy, tmp_path)
    for part in told:
        assert part in str(caught.value)


def test_every_class_of_errors_has_an_example() -> None:
    shown = {kind.__name__ for kind, _, _ in EXAMPLES}
    needs_an_upstream = {"SkippableError"}  # tests/evaluators/test_deepeval.py
    assert set(family()) - shown - needs_an_upstream == set()


def family() -> Iterator[str]:
    """Names of `EvalfixesError` and of all classes below it."""
    bases: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
    found = {"EvalfixesError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    yield from found


@pytest.mark.parametrize(
    "arguments, told",
    [
        ([], "COMMAND"),
        (["docter"], "invalid choice: 'docter'"),
        (["doctor", "--aplied"], "unrecognized arguments: --aplied"),
        (["doctor", "--format", "xml"], "invalid choice: 'xml'"),
        (["show"], "the following arguments are required: ID"),
        (["patch"], "the following arguments are required: PATH"),
        (["wheel"], "the following arguments are required: REQUIREMENT"),
        (["wheel", "requests"], "there are no patches for requests"),
        (["pr", "toy-score"], "the following arguments are required: -o/--output"),
        (["pr", "toy-scor", "-o", "x"], "did you mean toy-score?"),
        (["retire"], "the following arguments are required: DIST==RELEASE"),
        (["retire", "toyevil==1"], "names no release"),
        (["rescore"], "the following arguments are required: PATH"),
        (["audit"], "the following arguments are required: TARGET"),
        (["show", "toy-scor"], "did you mean toy-score?"),
        (["doctor", "--fix", "toy-scor"], "did you mean toy-score?"),
        (["list", "--dist", "toyevil"], "there are some for toyeval"),
        (["patch", "/nowhere/at/all"], "/nowhere/at/all does not exist; give the folder"),
        (["run"], "no COMMAND is given"),
        (["run", "--children", "--", "true"], "unknown option '--children'"),
    ],
)
def test_the_command_line_names_what_is_wrong(
    toy: Toy, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    try:
        code = cli.main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr()
    assert (code, said.out) == (cli.USAGE, "")
    assert told in said.err
    assert said.err.splitlines()[-1].startswith("evalfixes")
    assert "Traceback" not in said.err


def test_an_internal_error_is_no_result(
    toy: Toy, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "describe", lambda fix: 1 / 0)
    assert cli.main(["show", "toy-score"]) == cli.USAGE
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("evalfixes show: internal error: ZeroDivisionError")
    assert "please report it with the lines above" in last
