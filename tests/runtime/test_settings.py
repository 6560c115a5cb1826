"""`[tool.evalfixes]` and the environment: what is read, what wins, what is wrong, and what it costs."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import evalfixes
from evalfixes.errors import EvalfixesWarning, OptionError, SettingsError
from evalfixes.runtime import allow, options, settings
from evalfixes.runtime.engine import engine
from tests.runtime.toy import Toy, make_fix

ENTRY = {"metric": "safety_v1", "reason": "no credentials", "until": "2999-01-01"}
LATE = 'reason = "r", until = 2999-01-01'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "project"
    (home / "deep" / "er").mkdir(parents=True)
    (home / ".git").mkdir()
    monkeypatch.chdir(home)
    monkeypatch.delenv("EVALFIXES_CONFIG", raising=False)
    for name in settings.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return home


def write(project: Path, table: str) -> Path:
    path = project / "pyproject.toml"
    path.write_text(f'[project]\nname = "agent"\n\n[tool.evalfixes]\n{table}\n')
    return path


def test_the_file_sets_every_option(toy: Toy, project: Path) -> None:
    write(
        project,
        'strict = true\nrejudge = 3\nincomplete = "worst"\ndeepeval_errors = "record"\n'
        f'allow_unscored = [{{ metric = "safety_v1", {LATE} }}]\nskip = [{{ id = "toy-score", {LATE} }}]',
    )
    rows = list(evalfixes.apply())
    assert (options.current.rejudge, options.current.incomplete) == (3, "worst")
    assert options.current.deepeval_errors == "record"
    assert allow.allowed("safety_v1")
    assert engine.strict
    assert "until 2999-01-01: r" in rows[0].skipped


def test_arguments_win_over_the_environment_and_that_over_the_file(
    toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, 'rejudge = 3\nincomplete = "worst"\nstrict = true')
    monkeypatch.setenv("EVALFIXES_REJUDGE", "2")
    monkeypatch.setenv("EVALFIXES_STRICT", "0")
    evalfixes.apply()
    assert (options.current.rejudge, options.current.incomplete, engine.strict) == (2, "worst", False)
    evalfixes.apply(rejudge=0, incomplete="decide", strict=True)
    assert (options.current.rejudge, options.current.incomplete, engine.strict) == (0, "decide", True)


def test_the_environment_sets_every_option(toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("STRICT", "yes"),
        ("REJUDGE", "0"),
        ("INCOMPLETE", "unscored"),
        ("DEEPEVAL_ERRORS", "record"),
        ("ALLOW_UNSCORED", json.dumps([ENTRY])),
    ):
        monkeypatch.setenv(f"EVALFIXES_{name}", value)
    evalfixes.apply()
    assert (options.current.rejudge, options.current.incomplete) == (0, "unscored")
    assert options.current.deepeval_errors == "record"
    assert options.current.allow_unscored == (ENTRY,)
    assert engine.strict
    evalfixes.apply(allow_unscored=())
    assert options.current.allow_unscored == ()


def test_an_empty_variable_sets_nothing(toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "rejudge = 3")
    for name in settings.VARIABLES:
        monkeypatch.setenv(name, " ")
    evalfixes.apply()
    assert options.current.rejudge == 3


def test_what_is_skipped_adds_up(toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy.add(make_fix("toy-second"), make_fix("toy-third"))
    write(project, f'skip = [{{ id = "toy-score", {LATE} }}]')
    monkeypatch.setenv("EVALFIXES_SKIP", "toy-second")
    evalfixes.apply(skip=["toy-third"])
    assert [row.skipped.split(" until")[0] for row in evalfixes.status()] == [
        f"skipped by {project / 'pyproject.toml'}",
        "skipped by EVALFIXES_SKIP",
        "skipped by apply(skip=...)",
    ]


@pytest.mark.parametrize(
    "table, told",
    [
        ("rejuge = 0", "unknown key 'rejuge'; did you mean rejudge?"),
        ("allow-unscored = []", "did you mean allow_unscored?"),
        ("colour = 1", "unknown key 'colour'; there are allow_unscored, "),
        ("rejudge = -1", "rejudge=-1 is not a whole number from 0 up"),
        ("rejudge = true", "rejudge=True is not a whole number"),
        ('strict = "yes"', "strict='yes' is neither true nor false"),
        ('incomplete = "guess"', "is not one of decide, unscored, worst"),
        ("incomplete = []", "incomplete=[] is not one of"),
        ('deepeval_errors = "hide"', "is not one of raise, record"),
        ('skip = "toy-score"', "skip is 'toy-score', not a list of { id, reason, until }"),
        ("skip = [1]", "skip: 1 is no table of id, reason, until"),
        (f'skip = [{{ id = "toy-scor", {LATE} }}]', "unknown fix 'toy-scor'; did you mean toy-score?"),
        (f"skip = [{{ {LATE} }}]", "has no id"),
        ('skip = [{ id = "toy-score", reson = "r" }]', "unknown key 'reson'; did you mean reason?"),
        ("allow_unscored = 3", "allow_unscored is 3, not a list of { metric, reason, until }"),
        (f"allow_unscored = [{{ {LATE} }}]", "has no metric"),
    ],
)
def test_what_means_nothing_is_an_error(toy: Toy, project: Path, table: str, told: str) -> None:
    path = write(project, table)
    before = options.current
    with pytest.raises(OptionError) as caught:
        evalfixes.apply()
    assert isinstance(caught.value, SettingsError)
    assert str(caught.value).startswith(f"{path}: ")
    assert told in str(caught.value)
    assert options.current is before
    assert not engine.chosen


@pytest.mark.parametrize(
    "table, told",
    [
        ('skip = ["toy-score"]', "it has no reason"),
        ('skip = [{ id = "toy-score", reason = " " }]', "it has no reason"),
        ('skip = [{ id = "toy-score", reason = "r", until = 2020-01-31 }]', "it ended on 2020-01-31"),
        ('skip = [{ id = "toy-score", reason = "r", until = "soon" }]', "'soon' is no date such as 2027-03-31"),
        ('allow_unscored = [{ metric = "m", until = 2999-01-01 }]', "it has no reason"),
        ('allow_unscored = [{ metric = "m", reason = "r" }]', "it has no until"),
        ('allow_unscored = [{ metric = "m", reason = "r", until = "2020-01-31" }]', "it ended on 2020-01-31"),
    ],
)
def test_an_entry_that_does_not_count_is_a_warning(toy: Toy, project: Path, table: str, told: str) -> None:
    path = write(project, table)
    with pytest.warns(EvalfixesWarning) as caught:
        rows = list(evalfixes.apply())
    assert str(path) in str(caught[0].message)
    assert told in str(caught[0].message)
    assert caught[0].filename == __file__
    assert rows[0].skipped == ""
    assert options.current.allow_unscored == ()
    with pytest.raises(SettingsError, match="does not count"):
        settings.examine()


def test_the_last_day_counts(project: Path) -> None:
    path = write(project, 'allow_unscored = [{ metric = "m", reason = "r", until = 2027-03-31 }]')
    assert settings.read(str(path), date(2027, 3, 31)).values["allow_unscored"]
    assert not settings.read(str(path), date(2027, 4, 1)).values["allow_unscored"]


def test_entries_of_the_argument_are_held_to_the_same(toy: Toy, project: Path) -> None:
    with pytest.warns(EvalfixesWarning, match=r"evalfixes\.apply: allow_unscored: .* it ended on 2020"):
        evalfixes.apply(allow_unscored=[{**ENTRY, "until": "2020-01-01"}])
    assert options.current.allow_unscored == ()
    with pytest.raises(OptionError, match="unknown key 'utnil'; did you mean until"):
        evalfixes.apply(allow_unscored=[{**ENTRY, "utnil": "2020-01-01"}])


@pytest.mark.parametrize(
    "name, value, told",
    [
        ("EVALFIXES_REJUDGE", "-1", "rejudge='-1' is not a whole number"),
        ("EVALFIXES_REJUDGE", "²", "is not a whole number"),
        ("EVALFIXES_STRICT", "perhaps", "strict='perhaps' is neither true nor false"),
        ("EVALFIXES_INCOMPLETE", "guess", "is not one of"),
        ("EVALFIXES_ALLOW_UNSCORED", "safety_v1", "is no JSON list such as"),
        ("EVALFIXES_ALLOW_UNSCORED", "{}", "not a list of"),
        ("EVALFIXES_CONFIG", "/nowhere/at/all.toml", "cannot be read"),
    ],
)
def test_a_variable_that_means_nothing_is_an_error(
    toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(OptionError) as caught:
        evalfixes.apply()
    assert told in str(caught.value)
    assert (value if name == "EVALFIXES_CONFIG" else name) in str(caught.value)


def test_a_slip_in_a_variables_name(toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALFIXES_REJUGE", "0")
    with pytest.warns(EvalfixesWarning, match="EVALFIXES_REJUGE: unknown .* did you mean EVALFIXES_REJUDGE"):
        evalfixes.apply()
    with pytest.raises(SettingsError, match="EVALFIXES_REJUGE"):
        settings.examine()


def test_broken_toml(toy: Toy, project: Path) -> None:
    write(project, "rejudge = ")
    with pytest.raises(SettingsError, match="is not valid TOML"):
        evalfixes.apply()


def test_where_it_is_looked_for(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.evalfixes]\n")
    assert options.settings_file() == "", "the search ends at the repository's root"
    path = str(write(project, ""))
    monkeypatch.chdir(project / "deep" / "er")
    assert options.settings_file() == path
    (project / "deep" / "pyproject.toml").write_text('[project]\ndependencies = ["evalfixes"]\n')
    assert options.settings_file() == path, "a file without the table is passed by"
    (project / "deep" / "pyproject.toml").write_text("[tool]\nevalfixes.strict = true\n")
    assert options.settings_file() == str(project / "deep" / "pyproject.toml")
    monkeypatch.setenv("EVALFIXES_CONFIG", "")
    assert options.settings_file() == ""


@pytest.mark.parametrize(
    "text, found",
    [
        (b"[tool.evalfixes]\n", True),
        (b'\r\n  [ tool . "evalfixes" ] # ours\r\n', True),
        (b"[[tool.evalfixes.skip]]\n", True),
        (b"[tool]\nevalfixes = { strict = true }\n", True),
        (b"tool.evalfixes.strict = true\n", True),
        (b"tool = { evalfixes = { strict = true } }\n", True),
        (b'[project]\nname = "evalfixes"\n[project.scripts]\nevalfixes = "evalfixes.cli:main"\n', False),
        (b"[tool.evalfixes2]\n", False),
        (b"[tool.pytest.ini_options]\nevalfixes = true\n", False),
        (b"# [tool.evalfixes]\n", False),
    ],
)
def test_has_table(text: bytes, found: bool) -> None:
    assert options.has_table(text) is found


def test_nothing_is_imported_where_there_are_no_settings(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "evalfixes"\n')
    code = (
        "import sys; old = set(sys.modules); import evalfixes; evalfixes.apply(); "
        "print(len([m for m in sys.modules if m not in old]), 'tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, toml = done.stdout.split()
    assert int(count) <= 8
    assert toml == "False"
