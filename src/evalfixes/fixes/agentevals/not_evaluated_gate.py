"""Opt-in: whatever was NOT_EVALUATED with a reason keeps the run from passing, too."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness
from evalfixes.fixes.agentevals._like import Arguments, like
from evalfixes.fixes.agentevals._results import explain, reason_of
from evalfixes.runtime.allow import allowed

_MODULE = "agentevals.custom_evaluators"


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def evaluate_custom_evaluator(arguments: Arguments) -> Any:
        result = await original(**arguments)
        if result.error or result.eval_status != "NOT_EVALUATED" or allowed(result.metric_name):
            return result
        return explain(result, reason_of(result) or "the evaluator reports NOT_EVALUATED", "NotEvaluated")

    return like(original, evaluate_custom_evaluator)


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run`` with a golden conversation or an evaluator of one's own; see `_harness.run`."""
    return _harness.run(case)


_CALL = {"name": "lookup", "args": {"q": "it"}, "id": "c1", "output": {"code": "A-11"}}
_TURN = {"user": "Where is it?", "final": "It is at A-11.", "rounds": [[_CALL]]}
_OTHER = {**_TURN, "user": "Who are you?"}
_CONFIG = "evaluators:\n  - name: own\n    type: code\n    path: '{folder}/own.py'\n    threshold: 0.5\n"
_OWN = "import json, sys\njson.load(sys.stdin)\nprint(json.dumps(%s))\n"
_GREEN: Outcome = {"status": "PASSED", "exit": 0}
_RED: Outcome = {"status": "NOT_EVALUATED", "exit": 1, "reason": True}


def _own(reply: str) -> dict[str, Any]:
    return {"turns": [_TURN], "metrics": [], "config": _CONFIG, "files": {"own.py": _OWN % reply}}


FIX = Fix(
    id="agentevals-not-evaluated-gate",
    dist="agentevals-cli",
    title="NOT_EVALUATED with a reason, as documented, lets the run exit with 0",
    before="A trace that matches no eval case, or an evaluator of one's own that reports NOT_EVALUATED, leaves the "
    "exit code at 0. Upstream documents the status for both.",
    after="The reason is an error and the exit code is not 0.",
    replacements=(Replacement(f"{_MODULE}:evaluate_custom_evaluator", _build),),
    evaluate=evaluate,
    loads=(*_harness.LOADS, _MODULE),
    default=False,
    scenarios=(
        Scenario(
            "no case matches",
            {"traces": [[_TURN], [_OTHER]], "golden": [_TURN], "metrics": ["tool_trajectory_avg_score"]},
            _RED,
            _GREEN,
            releases="0.10.0..0.11.0",
        ),
        Scenario("own evaluator abstains", _own("{'score': 0.0, 'status': 'NOT_EVALUATED'}"), _RED, _GREEN),
        Scenario("own evaluator passes", _own("{'score': 1.0}"), {"score": 1.0, **_GREEN}),
        Scenario("own evaluator fails", _own("{'score': 0.0}"), {"score": 0.0, "status": "FAILED", "exit": 1}),
    ),
    risks="Runs over many traces of which only some have a golden no longer exit with 0.",
)
