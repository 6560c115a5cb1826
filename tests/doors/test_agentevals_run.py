"""`agentevals run`, as a build calls it: what it prints and what it exits with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalfixes import catalog
from evalfixes.fix import Outcome
from evalfixes.fixes.agentevals import _harness
from evalfixes.probing import scenarios
from evalfixes.runtime.decide import FAULTY, decide
from tests.doors.agentevals_door import ROOT, agentevals, process
from tests.forked import forked

pytest.importorskip("agentevals.cli", reason="agentevals-cli is not installed")

pytestmark = pytest.mark.door

EVIDENCE = "agentevals-hallucinations-tool-evidence"
GATE = "agentevals-gate-unscored"


def needs(fix_id: str) -> Any:
    found = decide(catalog.get(fix_id))
    if found.state != FAULTY:
        pytest.skip(f"{fix_id}: {found.state} in agentevals-cli {found.release}")
    return catalog.get(fix_id), found.release


def named(fix_id: str, name: str) -> Any:
    fix, release = needs(fix_id)
    for scenario in scenarios(fix, release):
        if scenario.name == name:
            return scenario
    pytest.skip(f"{fix_id}: no scenario {name!r} for {release}")


def through(tmp_path: Path, case: Any, fixes: list[str] | None, real: bool) -> Outcome:
    arguments = _harness.write_inputs(case, tmp_path)
    code, output = agentevals(tmp_path, arguments, fixes, dict(case.get("judge", {})), real)
    return _harness.outcome_of(_harness.read_report(output), code)


@pytest.mark.parametrize(
    ("fix_id", "name"),
    [
        (EVIDENCE, "order"),
        (EVIDENCE, "half of the claims"),
        (GATE, "judge fails on one of two turns"),
        ("agentevals-turn-count", "the agent goes on"),
        ("agentevals-missing-eval-set", "trajectory"),
        ("agentevals-tool-pairing", "ids start anew per round"),
    ],
)
def test_before_and_after(tmp_path: Path, fix_id: str, name: str) -> None:
    scenario = named(fix_id, name)
    real = name in ("order", "trajectory")  # one of them is faulty in each release
    before = through(tmp_path, scenario.case, None, real)
    after = through(tmp_path, scenario.case, [fix_id], real)
    keys = ("score", "exit")
    assert {k: before[k] for k in keys if k in scenario.wrong} == {
        k: scenario.wrong[k] for k in keys if k in scenario.wrong
    }
    assert {k: after[k] for k in keys if k in scenario.right} == {
        k: scenario.right[k] for k in keys if k in scenario.right
    }


def test_the_table_says_why(tmp_path: Path) -> None:
    scenario = named(GATE, "judge down")
    arguments = _harness.write_inputs(scenario.case, tmp_path)
    arguments[arguments.index("-o") + 1] = "table"
    code, output = agentevals(tmp_path, arguments, [], dict(scenario.case["judge"]))
    assert code == 1
    assert "NOT_EVALUATED" in output
    assert "401 UNAUTHENTICATED" in output


@pytest.mark.parametrize("fixes", [[GATE], []], ids=["alone", "with google-adk's"])
def test_the_closing_line(tmp_path: Path, fixes: list[str]) -> None:
    scenario = named(GATE, "judge fails on one of two turns")
    done = process(tmp_path, _harness.write_inputs(scenario.case, tmp_path), fixes, dict(scenario.case["judge"]))
    lines = [line for line in done.stderr.splitlines() if "judged parts" in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].endswith("1 of 2 judged parts unscored: 1 not judged")
    assert json.loads(done.stdout[done.stdout.index("{") :]), "the report is not disturbed"


def test_the_upstream_sample(tmp_path: Path) -> None:
    needs(EVIDENCE)
    sample = next((p / "probes/agentevals/traces/helm.json" for p in _shared() if p.is_dir()), None)
    if sample is None or not sample.exists():
        pytest.skip("the sample of the agentevals project, helm.json, is not on this machine")
    arguments = ["run", str(sample), "-f", "jaeger-json", "-o", "json", "-m", "hallucinations_v1", "-j", _harness.JUDGE]
    judge = {"claims": "lists"}
    bare, bare_output = agentevals(tmp_path, arguments, None, judge)
    code, output = agentevals(tmp_path, arguments, [EVIDENCE], judge)
    scores = [json.loads(text[text.index("{") :])["traces"][0]["metrics"][0]["score"] for text in (bare_output, output)]
    assert (bare, code) == (1, 0)
    assert scores == [pytest.approx(2 / 7), 1.0]


def _shared() -> list[Path]:
    return [parent / "shared" for parent in ROOT.parents] + [parent.parent / "shared" for parent in ROOT.parents]


def _posted(fixes: list[str] | None, case: Any, folder: Path) -> tuple[float, str]:
    import evalfixes

    if fixes is not None:
        evalfixes.apply(*fixes, strict=True)
    from agentevals.api.app import app
    from fastapi.testclient import TestClient

    _harness.register_judge()
    _harness.set_script({})
    _harness.write_inputs(case, folder)
    from agentevals.config import EvalRunConfig

    config: dict[str, Any] = {"traceFormat": "jaeger-json"}
    if "metrics" in EvalRunConfig.model_fields:  # up to 0.8
        config |= {"metrics": ["hallucinations_v1"], "judgeModel": _harness.JUDGE}
    else:
        config["evaluators"] = [{"name": "hallucinations_v1", "type": "builtin", "judgeModel": _harness.JUDGE}]
    trace = (folder / "trace-0.json").read_bytes()
    answer = TestClient(app).post(
        "/api/evaluate",
        data={"config": json.dumps(config)},
        files=[("trace_files", ("trace.json", trace, "application/json"))],
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    result = body.get("data", body)["traceResults"][0]["metricResults"][0]
    return result["score"], result["evalStatus"]


def test_through_the_http_api(tmp_path: Path) -> None:
    pytest.importorskip("fastapi.testclient", reason="the HTTP API's test client is not installed")
    scenario = named(EVIDENCE, "order")
    assert forked(_posted, None, scenario.case, tmp_path) == (0.0, "FAILED")
    assert forked(_posted, [EVIDENCE], scenario.case, tmp_path) == (1.0, "PASSED")
