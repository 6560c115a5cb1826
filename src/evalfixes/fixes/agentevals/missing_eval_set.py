"""A metric that compares with a golden, run without any eval set, lets the run exit with 0."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness
from evalfixes.fixes.agentevals._like import Arguments, like
from evalfixes.fixes.agentevals._results import NO_EVAL_SET, explain, reason_of
from evalfixes.runtime.allow import allowed

_MODULE = "agentevals.builtin_metrics"


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def evaluate_builtin_metric(arguments: Arguments) -> Any:
        result, metric_name = await original(**arguments), arguments["metric_name"]
        if result.error or result.eval_status != "NOT_EVALUATED" or reason_of(result) != NO_EVAL_SET:
            return result
        if allowed(metric_name):
            return result
        reason = f"{NO_EVAL_SET}: metric '{metric_name}' compares with a golden, give one with --eval-set"
        return explain(result, reason, "MissingEvalSet")

    return like(original, evaluate_builtin_metric)


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run`` without or with a golden conversation; see `_harness.run`."""
    return _harness.run(case)


_CALL = {"name": "lookup", "args": {"q": "it"}, "id": "c1", "output": {"code": "A-11"}}
_TURNS = [{"user": "Where is it?", "final": "It is over there.", "rounds": [[_CALL]]}]
_OTHER = [{**_TURNS[0], "rounds": [[{**_CALL, "name": "guess"}]]}]


def _scenario(name: str, metric: str, wrong: Outcome | None, right: Outcome, **case: Any) -> Scenario:
    return Scenario(name, {"turns": _TURNS, "metrics": [metric], **case}, right, wrong)


_GREEN: Outcome = {"score": None, "status": "PASSED", "exit": 0}
_RED: Outcome = {"score": None, "status": "NOT_EVALUATED", "metric_status": "NOT_EVALUATED", "exit": 1, "reason": True}

FIX = Fix(
    id="agentevals-missing-eval-set",
    dist="agentevals-cli",
    title="a metric that needs an eval set passes the run when there is none",
    before="Without an eval set, metrics that compare with one, the default metric among them, are NOT_EVALUATED and "
    "the exit code is 0; up to 0.9.12 this was an error.",
    after="It is an error again, which says what is missing.",
    replacements=(Replacement(f"{_MODULE}:evaluate_builtin_metric", _build),),
    evaluate=evaluate,
    loads=_harness.LOADS,
    scenarios=(
        _scenario("trajectory", "tool_trajectory_avg_score", _GREEN, _RED),
        _scenario("response match", "response_match_score", _GREEN, _RED),
        _scenario("judged match", "final_response_match_v2", _GREEN, _RED),
        _scenario(
            "with an eval set", "tool_trajectory_avg_score", None, {"score": 1.0, "status": "PASSED"}, golden=_TURNS
        ),
        _scenario(
            "other calls than expected",
            "tool_trajectory_avg_score",
            None,
            {"score": 0.0, "status": "FAILED"},
            golden=_OTHER,
        ),
        _scenario("none needed", "hallucinations_v1", None, {"score": 1.0, "status": "PASSED"}),
    ),
)
