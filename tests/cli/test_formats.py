"""What doctor and list write for machines and for job summaries, held to the formats' schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalfixes import catalog
from evalfixes.cli import doctor, main, reports
from evalfixes.cli.osv import record
from evalfixes.releases import in_range
from evalfixes.runtime import settings
from tests.runtime.toy import Toy, make_fix, toy

jsonschema = pytest.importorskip("jsonschema")

__all__ = ["toy"]

SCHEMAS = Path(__file__).parents[1] / "schemas"
FAULTY: dict[str, Any] = {
    "id": "toy-score",
    "dist": "toyeval",
    "release": "1.0.0",
    "bare": "faulty",
    "applied": "patched",
    "scenario": "wrong answer",
    "wrong": {"score": 1.0, "status": "PASSED"},
    "right": {"score": 0.0, "status": "FAILED"},
    "evidence": "toyeval 1.0.0 reads as 1.0.0..1.0.0",
    "failures": [],
    "next": "call evalfixes.apply() before the evaluation",
}
LATE = 'reason = "vendor ticket 7", until = 2999-01-01'


@pytest.fixture
def rows(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Doctor's findings, without the probe's process; an empty project is the current folder."""
    found = [dict(FAULTY)]
    monkeypatch.setattr(doctor, "examine", lambda dist, ids, quiet=False: [dict(row) for row in found])
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    for name in (*settings.VARIABLES, "EVALFIXES_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return found


def valid(document: Any, schema: str) -> None:
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{schema}.json").read_text())).validate(document)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["doctor", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_sarif(rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text('[project]\ndependencies = [\n  # toyeval\n  "toyeval-extra", "toyeval>=1",\n]\n')
    code, out, _ = said(capsys, "--format", "sarif")
    document = json.loads(out)
    valid(document, "sarif")
    run = document["runs"][0]
    result = run["results"][0]
    assert (code, run["invocations"][0]["exitCode"]) == (1, 1)
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "toy-score"
    assert "1 PASSED; 0 FAILED is right" in result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("pyproject.toml", 4)
    assert result["level"] == "warning", "apply() repairs it"


def test_sarif_of_nothing_faulty(rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "--format", "sarif", "--applied")
    valid(json.loads(out), "sarif")
    assert (code, json.loads(out)["runs"][0]["results"]) == (0, [])


def test_sarif_where_no_file_names_the_distribution(
    rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    rows[0] |= {"bare": "unknown", "applied": "unknown", "wrong": None, "right": None, "release": ""}
    code, out, _ = said(capsys, "--format", "sarif")
    valid(json.loads(out), "sarif")
    location = json.loads(out)["runs"][0]["results"][0]["locations"][0]
    assert (code, "physicalLocation" in location) == (2, False)


def test_the_schemas_can_fail(rows: list[dict[str, Any]], toy: Toy) -> None:
    good = reports.sarif(rows, False, 1)
    for damage in (
        lambda d: d.update(extra=1),
        lambda d: d["runs"][0]["results"][0].update(level="bad"),
        lambda d: d["runs"][0]["results"][0].pop("message"),
        lambda d: d["runs"][0]["tool"]["driver"]["rules"][0].update(helpUri="nowhere"),
    ):
        document = json.loads(json.dumps(good))
        damage(document)
        with pytest.raises(jsonschema.ValidationError):
            valid(document, "sarif")


def test_a_skip_with_a_reason_is_accepted(rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text(f'[tool.evalfixes]\nskip = [{{ id = "toy-score", {LATE} }}]\n')
    code, out, _ = said(capsys, "--applied")
    assert code == 0
    assert "1 skipped" in out
    assert "until 2999-01-01: vendor ticket 7" in out
    document = json.loads(said(capsys, "--applied", "--format", "sarif")[1])
    valid(document, "sarif")
    suppression = document["runs"][0]["results"][0]["suppressions"][0]
    assert "vendor ticket 7" in suppression["justification"]
    assert said(capsys)[0] == 1, "bare, it is faulty as ever"


def test_a_skip_without_one_is_not(
    rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALFIXES_SKIP", "toy-score")
    code, out, _ = said(capsys, "--applied")
    assert code == 1
    assert "skipped by EVALFIXES_SKIP" in out
    assert "say why in pyproject.toml" in out


@pytest.mark.parametrize(
    "table, told",
    [
        ('skip = ["toy-score"]', "the entry for 'toy-score' does not count: it has no reason"),
        ('skip = [{ id = "toy-score", reason = "r", until = 2020-01-01 }]', "it ended on 2020-01-01"),
        ("rejuge = 1", "unknown key 'rejuge'; did you mean rejudge?"),
    ],
)
def test_settings_that_are_wrong_end_it_with_3(
    rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], table: str, told: str
) -> None:
    Path("pyproject.toml").write_text(f"[tool.evalfixes]\n{table}\n")
    code, out, err = said(capsys, "--applied")
    assert (code, out) == (3, "")
    assert told in err
    assert "pyproject.toml" in err


def test_markdown(rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    rows[0]["failures"] = ["'a | b': <1>"]
    code, out, _ = said(capsys, "--format", "markdown")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith("### evalfixes")
    assert lines[4] == "| `toy-score` | toyeval 1.0.0 | faulty | patched | 1 PASSED -> 0 FAILED |"
    assert "- toy-score: 'a \\| b': &lt;1>" in lines


def test_distributions_that_are_not_installed_are_one_row(
    rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    absent = {"bare": "not-installed", "applied": "not-installed", "wrong": None, "right": None, "next": ""}
    rows[:] = [{**FAULTY, **absent, "id": f"toy-{n}", "release": ""} for n in range(4)]
    out = said(capsys)[1]
    assert "(4 fixes)" in out
    assert "toy-1" not in out
    assert said(capsys, "--format", "json")[1].count('"id": "toy-') == 4


@pytest.mark.parametrize("release, silent", [("2.12.0", True), ("1.39.1", True), ("2.13.0", False), ("odd", False)])
def test_exit_codes_of_adk_eval(release: str, silent: bool) -> None:
    row = {**FAULTY, "dist": "google-adk", "release": release}
    assert bool(reports.exit_codes([row, row])) is silent
    assert reports.exit_codes([FAULTY]) == []


def test_osv_of_the_real_catalogue() -> None:
    for fix in catalog.fixes():
        found = record(fix)
        valid(found, "osv")
        affected = found["affected"][0]
        events = affected["ranges"][0]["events"]
        low, high = events[0]["introduced"], next(iter(events[1].values()))
        assert all(in_range(version, f"{low}..{high}") for version in affected["versions"])
        if "fixed" in events[1]:
            assert high not in affected["versions"]
        else:
            assert high == affected["versions"][-1]


def test_osv_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--format", "osv", "--dist", "deepeval"]) == 0
    feed = json.loads(capsys.readouterr().out)
    assert {entry["affected"][0]["package"]["name"] for entry in feed} == {"deepeval"}
    assert len({entry["id"] for entry in feed}) == len(catalog.fixes("deepeval"))


def test_a_format_that_does_not_exist(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.add(make_fix("toy-other"))
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--format", "xml"])
    assert ended.value.code == 3
    assert "invalid choice: 'xml' (choose from" in capsys.readouterr().err
