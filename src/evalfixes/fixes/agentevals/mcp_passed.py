"""The MCP tool `evaluate_traces` says ``passed: true`` for what was not judged at all."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness, _traces
from evalfixes.fixes.agentevals._like import Arguments, like
from evalfixes.runtime.allow import allowed

_MODULE = "agentevals.mcp_server"
_TOOL = "evaluate_traces"


def all_passed(metrics: Iterable[tuple[str, str, str | None]], errors: Any) -> bool:
    """Whether every metric passed and nothing went wrong; nothing evaluated is not passed.

    Args:
        metrics: Name, status and error of each. INFORMATIONAL ones and those that may be unscored
            do not decide.
        errors: Errors of the run itself.
    """
    deciding = [
        (status, error)
        for name, status, error in metrics
        if error or not (status == "INFORMATIONAL" or (status == "NOT_EVALUATED" and allowed(name)))
    ]
    return bool(deciding) and not errors and all(status == "PASSED" and not error for status, error in deciding)


def _build_summary(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def summarize_run_result(result: Any) -> Any:
        response = original(result)
        metrics = [(m.metric, m.status, m.error) for trace in response.traces for m in trace.metrics]
        response.passed = response.passed and all_passed(metrics, response.errors)
        return response

    return summarize_run_result


def _build_server(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # Up to 0.6.3 the summary is made by a function inside `create_server`, out of reach: the tool's
    # own answer, a plain table, is corrected instead.
    def create_server(arguments: Arguments) -> Any:
        server = original(**arguments)
        if hasattr(module, "summarize_run_result"):
            return server
        tool = server._tool_manager.get_tool(_TOOL)
        answer = tool.fn

        async def evaluate_traces(**arguments: Any) -> Any:
            response = await answer(**arguments)
            metrics = [(m["metric"], m["status"], m.get("error")) for t in response["traces"] for m in t["metrics"]]
            passed = response["passed"] and all_passed(metrics, response.get("errors"))
            return {**response, "passed": passed}

        tool.fn = evaluate_traces
        return server

    return like(original, create_server)


def evaluate(case: Case) -> Outcome:
    """Calls the MCP tool on a case's traces, in this process.

    Args:
        case: As for `_harness.run`; ``missing`` names a trace file that does not exist, ``empty`` is
            a trace without spans.
    """
    from evalfixes.fixes.agentevals._mcp import server

    _harness.register_judge()
    _harness.set_script(case.get("judge", {}))
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = [str(folder / "none.json")] if case.get("missing") else []
            if case.get("empty"):
                (folder / "empty.json").write_text(json.dumps({"data": []}), encoding="utf-8")
                files.append(str(folder / "empty.json"))
            if "turns" in case:
                path = folder / "trace.json"
                path.write_text(json.dumps(_traces.document(case["turns"])), encoding="utf-8")
                files.append(str(path))
            arguments: dict[str, Any] = {
                "trace_files": files,
                "metrics": case.get("metrics"),
                "trace_format": "jaeger-json",
                "judge_model": _harness.JUDGE,
            }
            if case.get("golden") is not None:
                (folder / "golden.json").write_text(json.dumps(_traces.golden(case["golden"])), encoding="utf-8")
                arguments["eval_set_file"] = str(folder / "golden.json")
            response = _table(asyncio.run(server.create_server().call_tool(_TOOL, arguments)))
    finally:
        logging.disable(before)
    scores = [m.get("score") for trace in response["traces"] for m in trace["metrics"]]
    return {
        "passed": response["passed"],
        "status": "PASSED" if response["passed"] else "FAILED",
        "score": scores[0] if scores else None,
        "errors": bool(response.get("errors")),
    }


def _table(answer: Any) -> Mapping[str, Any]:
    """The tool's answer as a table; the library gives the content, or the content and the table."""
    if isinstance(answer, tuple):
        answer = answer[1] if isinstance(answer[1], dict) else answer[0]
    if isinstance(answer, dict):
        return answer.get("result", answer) if set(answer) == {"result"} else answer
    table: dict[str, Any] = json.loads(answer[0].text)
    return table


_CALL = {"name": "lookup", "args": {"q": "it"}, "id": "c1", "output": {"code": "A-11"}}
_TURNS = [{"user": "Where is it?", "final": "I cannot say.", "rounds": [[_CALL]]}]
_OTHER = [{**_TURNS[0], "rounds": [[{**_CALL, "name": "guess"}]]}]
_HALLUCINATIONS, _TRAJECTORY = ["hallucinations_v1"], ["tool_trajectory_avg_score"]
_GREEN: Outcome = {"passed": True, "status": "PASSED"}
_RED: Outcome = {"passed": False, "status": "FAILED"}


def _scenario(name: str, wrong: Outcome | None, right: Outcome, **case: Any) -> Scenario:
    return Scenario(name, case, right, wrong)


FIX = Fix(
    id="agentevals-mcp-passed",
    dist="agentevals-cli",
    title="MCP evaluate_traces says passed for what was not evaluated",
    before="`passed` is true unless a metric has the status FAILED: with a judge that is down, a metric that raised, "
    "no eval set, a trace file that does not exist and a trace without spans.",
    after="`passed` is true only if at least one metric was evaluated, all passed and there are no errors.",
    replacements=(
        Replacement(f"{_MODULE}:summarize_run_result", _build_summary, optional=True),
        Replacement(f"{_MODULE}:create_server", _build_server),
    ),
    evaluate=evaluate,
    loads=("evalfixes.fixes.agentevals._mcp", "agentevals.builtin_metrics"),
    scenarios=(
        _scenario("judge down", _GREEN, _RED, turns=_TURNS, metrics=_HALLUCINATIONS, judge={"fails_on": [""]}),
        _scenario("unknown metric", _GREEN, _RED, turns=_TURNS, metrics=["hallucinations_v2"]),
        _scenario("no eval set", _GREEN, _RED, turns=_TURNS, metrics=_TRAJECTORY),
        _scenario("missing trace file", _GREEN, _RED, missing=True, metrics=_HALLUCINATIONS),
        _scenario("one file of two missing", _GREEN, _RED, missing=True, turns=_TURNS, metrics=_HALLUCINATIONS),
        _scenario("trace without spans", _GREEN, _RED, empty=True, metrics=_HALLUCINATIONS),
        _scenario("all passed", None, _GREEN, turns=_TURNS, metrics=_HALLUCINATIONS),
        _scenario("all passed against a golden", None, _GREEN, turns=_TURNS, golden=_TURNS, metrics=_TRAJECTORY),
        _scenario("a metric failed", None, _RED, turns=_TURNS, golden=_OTHER, metrics=_TRAJECTORY),
    ),
    risks="The tool's own description calls passed whatever did not fail; callers that rely on it see false now.",
)
