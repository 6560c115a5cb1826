"""From a scripted agent through Runner to the summary and the exit code of `adk eval`, before and after."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import evalfixes
from evalfixes.fixes.google_adk._harness import blocks, rubric_verdicts, segments, verdict
from evalfixes.releases import in_range
from tests.forked import forked

pytest.importorskip("google.adk.evaluation.local_eval_service", reason="google-adk[eval] is not installed")
pytest.importorskip("google.adk.evaluation.hallucinations_v1", reason="this google-adk has no hallucinations_v1")
click_tools = pytest.importorskip("google.adk.cli.cli_tools_click")

pytestmark = pytest.mark.door

AGENTS = Path(__file__).parents[1] / "agents"
TRAJECTORY: dict[str, Any] = {"tool_trajectory_avg_score": 0.0}


def release() -> str:
    from importlib.metadata import version

    return version("google-adk")


def judged(metric: str, samples: int = 1, **fields: Any) -> dict[str, Any]:
    options = {"judge_model": "scripted-replies", "num_samples": samples, "judge_model_config": {}}
    return {metric: {"threshold": 0.8, "judge_model_options": options, **fields}}


def rubric(name: str, text: str, kind: str = "FINAL_RESPONSE_QUALITY") -> dict[str, Any]:
    return {"rubric_id": name, "rubric_content": {"text_property": text}, "type": kind}


MATCH = judged("final_response_match_v2")
HALLUCINATIONS = judged("hallucinations_v1")
A, B = ("a", "The answer is short."), ("b", "The answer is correct.")
QUALITY = judged("rubric_based_final_response_quality_v1", rubrics=[rubric(*A), rubric(*B)])
VALID, INVALID = verdict("valid"), verdict("invalid")
FALSE, TRUE = "The moon is cheese.", "It is noon."

# name: fixes, turns (asked, said, expected, rubrics), criteria, the judge's script, first release, before, after
ROWS: dict[str, Any] = {
    "3 rubrics per turn": (
        ["adk-rubric-turns"],
        [("q1", "x", "x", [rubric("r1", "One.")]), ("q2", "y", "y", [rubric("r2", "Two.")])],
        judged("rubric_based_final_response_quality_v1", rubrics=[]),
        {
            "rubric:[id: r1]": [rubric_verdicts(("r1", "One.", "no"))],
            "rubric:[id: r2]": [rubric_verdicts(("r2", "Two.", "yes"))],
        },
        "2.8.0..",
    ),
    "4 a rubric is left out": (
        ["adk-rubric-answers"],
        [("q1", "x", "x")],
        QUALITY,
        {"rubric": [rubric_verdicts((*A, "yes"))]},
        "1.16.0..",
    ),
    "5 the right thought before a wrong answer": (
        ["adk-agent-thoughts"],
        [("q1", [{"thought": "It must be Paris."}, "London"], "Paris")],
        MATCH,
        {"match:must be Paris": [VALID], "match": [INVALID]},
        "1.16.0..",
    ),
    "6 the judge's draft": (
        ["adk-judge-thoughts"],
        [("q1", "London", "Paris")],
        MATCH,
        {"match": [[{"thought": f"Draft: {VALID}\nNo, wait.\n"}, INVALID]]},
        "1.16.0..",
    ),
    "7 one call of five fails": (
        ["adk-judge-samples"],
        [("q1", "Oslo", "Oslo"), ("q2", "London", "Paris")],
        judged("final_response_match_v2", samples=5),
        {"match:Oslo": [VALID], "match": [{"raise": "503"}, {"raise": "503"}, INVALID]},
        "2.8.0..",
    ),
    "8 an unknown word under the inverted key": (
        ["adk-response-match-v2-labels"],
        [("q1", "London", "Paris")],
        MATCH,
        {"match": [verdict("unknown", "is_the_agent_response_invalid")]},
        "1.18.0..",  # before, what an evaluator raises ends the whole run
    ),
    "18 a guardrail answers turn 2": (
        ["adk-rubric-author", "adk-gate-unscored"],
        [("q1", "x", "x"), ("guarded", "y", "y")],
        {**QUALITY, **TRAJECTORY},
        {"rubric": [rubric_verdicts((*A, "yes"), (*B, "no"))]},
        "2.13.0..",  # before, the final answer of a turn was not kept among its events, where the author stands
    ),
    "19 a tool returns a datetime": (
        ["adk-hallucinations-json", "adk-gate-unscored"],
        [("q1", FALSE, "x"), ("time?", TRUE, TRUE)],
        {**HALLUCINATIONS, **TRAJECTORY},
        {
            "segment:moon": [segments(FALSE)],
            "segment": [segments(TRUE)],
            "validate:T12:00:00": [blocks((TRUE, "supported"))],
            "validate": [blocks((FALSE, "contradictory"))],
        },
        "1.18.0..",  # before, what an evaluator raises ends the whole run
    ),
}


def _adk_eval(folder: str, row: Any, fixes: list[str]) -> tuple[bool, int, str]:
    """Runs `adk eval` in this process; whether the case passed, the exit code and what was printed."""
    _, turns, criteria, script, _ = row
    os.environ["SCRIPTED_AGENT"] = json.dumps({turn[0]: turn[1] for turn in turns})
    os.environ["SCRIPTED_REPLIES"] = json.dumps(script)
    home = Path(folder)
    shutil.copytree(AGENTS / "replies", home / "replies", dirs_exist_ok=True)
    conversation = []
    for number, (asked, _, expected, *own) in enumerate(turns):
        turn = {
            "invocation_id": f"turn-{number}",
            "user_content": {"role": "user", "parts": [{"text": asked}]},
            "final_response": {"role": "model", "parts": [{"text": expected}]},
            "intermediate_data": {"tool_uses": [], "intermediate_responses": []},
        }
        conversation.append({**turn, "rubrics": own[0]} if own else turn)
    case = {"eval_id": "case-1", "conversation": conversation, "session_input": None}
    eval_set, config = home / "cases.test.json", home / "test_config.json"
    eval_set.write_text(json.dumps({"eval_set_id": "set-1", "name": "set-1", "eval_cases": [case]}))
    config.write_text(json.dumps({"criteria": criteria}))
    if fixes:
        evalfixes.apply(*fixes, strict=True)
    code = 0
    printed = io.StringIO()
    sys.argv = ["adk", "eval", str(home / "replies"), str(eval_set), "--config_file_path", str(config)]
    with contextlib.redirect_stdout(printed):
        try:
            click_tools.main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    text = printed.getvalue()
    assert ("Tests passed: 1" in text) != ("Tests failed: 1" in text), text
    return "Tests passed: 1" in text, code, text


@pytest.mark.parametrize("name", ROWS)
def test_adk_eval(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    if not in_range(release(), row[4]):
        pytest.skip(f"not in {release()}")
    before = forked(_adk_eval, str(tmp_path), row, [])
    after = forked(_adk_eval, str(tmp_path), row, row[0])
    assert (before[0], after[0]) == (True, False), (before, after)
    if in_range(release(), "2.13.0.."):  # the first release whose exit code carries the verdict
        assert (before[1], after[1]) == (0, 1)


BUILT_IN = (
    ["adk-multi-turn-builtin-tools"],
    [("q1", "x", "x")],
    judged("rubric_based_multi_turn_trajectory_quality_v1", rubrics=[rubric(*A)]),
    {"rubric": [rubric_verdicts((*A, "yes"))]},
    "2.2.0..",
)


def test_a_good_agent_with_a_built_in_tool_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not in_range(release(), BUILT_IN[4]):
        pytest.skip("this google-adk has no multi-turn rubric metric")
    monkeypatch.setenv("SCRIPTED_SEARCH", "1")
    before = forked(_adk_eval, str(tmp_path), BUILT_IN, [])
    after = forked(_adk_eval, str(tmp_path), BUILT_IN, BUILT_IN[0])
    assert (before[0], after[0]) == (False, True), (before, after)


def test_a_well_judged_case_keeps_its_result(tmp_path: Path) -> None:
    for reply, passed in ((VALID, True), (INVALID, False)):
        row = (["adk-judge-thoughts", "adk-agent-thoughts"], [("q1", "x", "x")], MATCH, {"match": [reply]}, "")
        everything = [fix.id for fix in evalfixes.fixes("google-adk")]
        assert forked(_adk_eval, str(tmp_path), row, [])[:2] == forked(_adk_eval, str(tmp_path), row, everything)[:2]
        assert forked(_adk_eval, str(tmp_path), row, [])[0] is passed
