"""`adk eval`, AgentEvaluator under pytest and LocalEvalService, before and after."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import evalfixes
from evalfixes.fixes.google_adk import _doors as doors
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.fixes.google_adk.gate_unscored import HALLUCINATIONS, MATCH, TRAJECTORY, case_of
from evalfixes.fixes.google_adk.hallucinations_sentence_labels import case_of as sentences_case
from evalfixes.releases import in_range
from tests.forked import forked, forked_python

pytest.importorskip("google.adk.evaluation.local_eval_service", reason="google-adk[eval] is not installed")
pytest.importorskip("google.adk.evaluation.hallucinations_v1", reason="this google-adk has no hallucinations_v1")
pytest.importorskip("google.adk.cli.cli_tools_click")  # here, once: what a fork need not import

pytestmark = pytest.mark.door

AGENTS = Path(__file__).parents[1] / "agents"
A, B = "Paris is big.", "It is 50 meters tall."
GOOD, BAD = harness.block(A, "supported"), harness.block(B, "contradictory")


def release() -> str:
    """The installed google-adk."""
    from importlib.metadata import version

    return version("google-adk")


EXIT_CODE = in_range(release(), "2.13.0..")
IDS = ["adk-hallucinations-sentence-labels"]


def eval_files(folder: Path, turns: list[str], criteria: dict[str, Any]) -> tuple[Path, Path]:
    """An eval set of one case and its config."""
    conversation = [
        {
            "invocation_id": f"turn-{number}",
            "user_content": {"role": "user", "parts": [{"text": text}]},
            "final_response": {"role": "model", "parts": [{"text": text}]},
            "intermediate_data": {"tool_uses": [], "intermediate_responses": []},
        }
        for number, text in enumerate(turns)
    ]
    eval_set = folder / "cases.test.json"
    case = {"eval_id": "case-1", "conversation": conversation, "session_input": None}
    eval_set.write_text(json.dumps({"eval_set_id": "set-1", "name": "set-1", "eval_cases": [case]}))
    config = folder / "test_config.json"
    config.write_text(json.dumps({"criteria": criteria}))
    return eval_set, config


def hallucinations(threshold: float = 0.8) -> dict[str, Any]:
    """The criterion in a config file."""
    options = {"judge_model": "scripted-door-judge", "num_samples": 1, "judge_model_config": {}}
    return {"hallucinations_v1": {"threshold": threshold, "judge_model_options": options}}


def run(
    folder: Path, code: str, judge: list[Any], *arguments: str, real: bool = False
) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a copy of the agents, in a process of its own or in a fork of this one."""
    env = {**os.environ, "SCRIPTED_JUDGE": json.dumps(judge), "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS": "1"}
    if not real:
        return forked_python(code, *arguments, cwd=folder, env=env)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


BARE = "from google.adk.cli import main; main()"
FIXED = f"import evalfixes; evalfixes.apply(*{IDS!r}); {BARE}"


def adk_eval(
    folder: Path, turns: list[str], criteria: dict[str, Any], judge: list[Any], code: str, real: bool = False
) -> subprocess.CompletedProcess[str]:
    """`adk eval` on the scripted agent."""
    shutil.copytree(AGENTS / "scripted", folder / "scripted")
    eval_set, config = eval_files(folder, turns, criteria)
    command = ["eval", "scripted", str(eval_set), "--config_file_path", str(config)]
    return run(folder, code, judge, *command, real=real)


def passed(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether the summary, and the exit code where it carries a verdict, say that the case passed."""
    green = "Tests passed: 1" in done.stdout
    red = "Tests failed: 1" in done.stdout
    assert green != red, done.stdout + done.stderr
    if EXIT_CODE:
        assert done.returncode == (0 if green else 1), done.stdout + done.stderr
    return green


CASES = {
    "complete": ([f"{A}\n{B}"], [[A, f"{GOOD}\n\n{BAD}"]], False, False),
    "label in backticks": ([f"{A}\n{B}"], [[A, f"{GOOD}\n{BAD.replace('contra', '`contra', 1)}"]], True, False),
    "left out": ([f"{A}\n{B}"], [[A, GOOD]], True, False),
    "good": ([A], [[A, GOOD]], True, True),
    "second turn not judged": ([A, B], [[f"<sentence>{A}", GOOD], [B, "hm"]], True, False),
}


@pytest.mark.parametrize("name", ["left out", "second turn not judged", "good"])
def test_adk_eval(name: str, tmp_path: Path) -> None:
    turns, judge, before, after = CASES[name]
    for number, (code, expected) in enumerate([(BARE, before), (FIXED, after)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = adk_eval(folder, turns, hallucinations(), judge, code, real=name == "left out")
        assert passed(done) is expected, done.stdout + done.stderr


def test_adk_eval_says_why(tmp_path: Path) -> None:
    done = adk_eval(tmp_path, [f"{A}\n{B}"], hallucinations(), [[A, GOOD], [B, "It is " + "very " * 100]], FIXED)
    said = done.stdout + done.stderr
    assert "1 of 2 judged parts unscored: 1 left out" in said, said
    assert said.count("hallucinations_v1 (case case-1, invocation ") == 1, said
    assert "hallucinations_v1 (case case-1) was not evaluated; the case is not passed" in said


PYTEST = """
import sys, pytest
{apply}
test = '''
import asyncio
from google.adk.evaluation.agent_evaluator import AgentEvaluator
def test_agent():
    asyncio.run(
        AgentEvaluator.evaluate("scripted", "cases.test.json", num_runs={runs}, print_detailed_results=False)
    )
'''
open("test_agent.py", "w").write(test)
sys.path.insert(0, ".")
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "test_agent.py"]))
"""


@pytest.mark.parametrize("name", ["complete", "label in backticks", "second turn not judged"])
def test_agent_evaluator_under_pytest(name: str, tmp_path: Path) -> None:
    turns, judge, before, after = CASES[name]
    for number, (apply, expected) in enumerate([("", before), (f"import evalfixes; evalfixes.apply(*{IDS!r})", after)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copytree(AGENTS / "scripted", folder / "scripted")
        eval_files(folder, turns, hallucinations())
        done = run(folder, PYTEST.format(apply=apply, runs=2), judge, real=name == "complete")
        assert done.returncode == (0 if expected else 1), done.stdout + done.stderr


def _applied(cases: list[Any], **options: Any) -> list[Any]:
    evalfixes.apply(*IDS, strict=True, **options)
    return [(doors if "door" in case else harness).evaluate(case) for case in cases]


def test_a_missing_sentence_is_asked_again_alone() -> None:
    first = harness.block("Paris is the capital of France.", "supported")
    second = harness.block("The Eiffel Tower is 50 meters tall.", "contradictory")
    case = sentences_case([first, second])
    assert forked(_applied, [case])[0] | {"turns": []} == {"score": 0.5, "status": "FAILED", "turns": [], "calls": 3}
    assert forked(partial(_applied, [case], rejudge=0))[0]["calls"] == 2
    assert forked(partial(_applied, [case], rejudge=0))[0]["status"] == "NOT_EVALUATED"
    stubborn = sentences_case([first, "hm", "hm", second])
    assert forked(partial(_applied, [stubborn], rejudge=3))[0]["score"] == 0.5
    assert forked(_applied, [sentences_case(f"{first}\n{second}")])[0]["calls"] == 2


def test_policies() -> None:
    first = harness.block("Paris is the capital of France.", "supported")
    undecided, decided = sentences_case(first), sentences_case(first, 0.5)
    statuses = {
        policy: [
            outcome["status"]
            for outcome in forked(partial(_applied, [undecided, decided], incomplete=policy, rejudge=0))
        ]
        for policy in ("decide", "unscored", "worst")
    }
    assert statuses == {
        "decide": ["NOT_EVALUATED", "PASSED"],
        "unscored": ["NOT_EVALUATED", "NOT_EVALUATED"],
        "worst": ["FAILED", "PASSED"],
    }


@pytest.mark.filterwarnings("ignore:.*does not count:evalfixes.EvalfixesWarning")
def test_an_allowance_lets_a_metric_be() -> None:
    case = case_of("service", [HALLUCINATIONS, TRAJECTORY], ["I cannot do that."])
    alone = case_of("agent", [HALLUCINATIONS, TRAJECTORY], ["I cannot do that."])

    def statuses(until: str) -> list[str]:
        entry = {"metric": "hallucinations_v1", "reason": "no judge here", "until": until}
        return [outcome["status"] for outcome in forked(partial(_applied, [case, alone], allow_unscored=[entry]))]

    assert statuses("2999-01-01") == ["PASSED", "PASSED"]
    assert statuses("2020-01-01") == ["NOT_EVALUATED", "FAILED"]


def test_readings_travel_to_the_runs() -> None:
    """Two runs of 0..0.5 and 1 are decided at 0.8 and 0.5, and not at 0.7."""
    turn = {"answer": f"{A}\n{B}"}
    replies = [harness.block(A, "disputed"), harness.blocks((A, "supported"), (B, "supported"))]

    def failures(threshold: float) -> list[str]:
        case = {
            "door": "agent",
            "metrics": [{"metric": "hallucinations_v1", "threshold": threshold}],
            "turns": [turn],
            "judge": {"validate": replies},
            "runs": 2,
        }
        found: list[str] = forked(partial(_applied, [case], rejudge=0))[0]["failures"]
        return found

    assert "but got 0.5" in failures(0.8)[0]
    assert "was not evaluated" in failures(0.7)[0]
    assert failures(0.5) == []


def _together() -> list[Any]:
    evalfixes.apply(*IDS, strict=True, rejudge=1)
    cases = []
    for number in range(12):
        texts = [f"Fact {number} {place}." for place in range(4)]
        given = [harness.block(text, "supported") for text in texts[: 1 + number % 4]]
        later = [harness.block(text, "disputed") for text in texts]
        cases.append(sentences_case(["\n".join(given), "\n".join(later)], 0.8, texts))

    async def all_of_them() -> list[Any]:
        return list(await asyncio.gather(*(harness.evaluate_async(case) for case in cases)))

    return asyncio.run(all_of_them())


def test_concurrent_evaluations_do_not_mix() -> None:
    assert [outcome["score"] for outcome in forked(_together)] == [0.25, 0.5, 0.75, 1.0] * 3


def test_last_turn_metrics_stay_as_they_are() -> None:
    multi = pytest.importorskip("google.adk.evaluation.rubric_based_multi_turn_trajectory_evaluator")
    assert multi is not None
    metric = "rubric_based_multi_turn_trajectory_quality_v1"
    case = {
        "metric": metric,
        "threshold": 0.8,
        "criterion": {"rubrics": [{"id": "r", "text": "Is right."}]},
        "turns": [{"answer": "a"}, {"answer": "b"}, {"answer": "c"}],
        "judge": [harness.rubric_verdicts(("r", "Is right.", "yes"))],
    }
    through = {
        "door": "agent",
        "metrics": [{key: case[key] for key in ("metric", "threshold", "criterion")}],
        "turns": case["turns"],
        "judge": case["judge"],
        "runs": 2,
    }
    bare = [harness.evaluate(case), forked(doors.evaluate, through)]
    assert forked(_applied, [case, through]) == bare
    assert [outcome["status"] for outcome in bare] == ["PASSED", "PASSED"]


def test_informational_metrics_never_gate() -> None:
    informational = pytest.importorskip("google.adk.evaluation._efficiency_evaluators")
    assert informational is not None
    case = case_of("service", [MATCH], [harness.verdict("valid")])
    case = {**case, "metrics": [*case["metrics"], {"metric": "token_usage_v1"}]}
    assert forked(_applied, [case])[0]["status"] == "PASSED"
