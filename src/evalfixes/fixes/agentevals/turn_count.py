"""Trace and golden differ in their number of turns, and the surplus is cut off before it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness
from evalfixes.fixes.agentevals._like import Arguments, like
from evalfixes.fixes.agentevals._results import NOT_A_SHARE, explain, withhold

_METRICS = "agentevals.builtin_metrics"
_CUSTOM = "agentevals.custom_evaluators"
_KIND = "TurnCountMismatch"


def _build_metric(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # Up to 0.9.12 both lists come here as they are. Older google-adk zips them, newer ones refuse.
    async def evaluate_builtin_metric(arguments: Arguments) -> Any:
        actual_invocations, expected_invocations = arguments["actual_invocations"], arguments["expected_invocations"]
        actual, golden = len(actual_invocations), len(expected_invocations or actual_invocations)
        if actual == golden:
            return await original(**arguments)
        if arguments["metric_name"] not in vars(module)["METRICS_NEEDING_EXPECTED"]:
            arguments["expected_invocations"] = _as_long_as(actual_invocations, expected_invocations)
            return await original(**arguments)
        both = min(actual, golden)
        arguments["actual_invocations"] = actual_invocations[:both]
        arguments["expected_invocations"] = expected_invocations[:both]
        return _refuse(await original(**arguments), actual, golden)

    return like(original, evaluate_builtin_metric)


def _as_long_as(actual: Any, golden: Any) -> list[Any]:
    """A golden with a turn for each actual one: its own turns carry rubrics, the added ones expect nothing."""
    added = [turn.model_copy(update={"final_response": None, "rubrics": None}) for turn in actual[len(golden) :]]
    return [*golden[: len(actual)], *added]


def _build_evaluator(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    if "actual" not in signature(original).parameters:  # before 0.10.0; `_build_metric` sees to it there

        async def as_before(arguments: Arguments) -> Any:
            return await original(**arguments)

        return like(original, as_before)

    async def evaluate_custom_evaluator(
        evaluator_def: Any,
        actual: Any,
        expected: Any,
        performance_metrics: dict[str, Any] | None = None,
        expected_reason: str | None = None,
    ) -> Any:
        from agentevals.builtin_metrics import METRICS_NEEDING_EXPECTED
        from agentevals.config import BuiltinMetricDef

        async def judge(golden: Any) -> Any:
            return await original(evaluator_def, actual, golden, performance_metrics, expected_reason)

        ours = isinstance(evaluator_def, BuiltinMetricDef) and expected is not None
        turns, wanted = len(actual.turns), _conversation_length(expected) if ours else 0
        if not ours or not wanted or turns == wanted:
            return await judge(expected)
        if evaluator_def.name in METRICS_NEEDING_EXPECTED:
            return _refuse(await judge(expected), turns, wanted)
        result = await judge(_aligned(actual, expected))
        counts = {"missing_turns": max(0, wanted - turns), "unexpected_turns": max(0, turns - wanted)}
        result.details = {**(result.details or {}), **counts}
        return result

    return evaluate_custom_evaluator


def _conversation_length(expected: Any) -> int:
    return len(getattr(expected.raw, "conversation", None) or ())


def _aligned(actual: Any, expected: Any) -> Any:
    from agentevals.adk_bridge import to_adk_invocations

    conversation = _as_long_as(to_adk_invocations(actual.turns), list(expected.raw.conversation))
    raw = expected.raw.model_copy(update={"conversation": conversation})
    blank = [type(turn)(user_text=turn.user_text) for turn in expected.turns[:1]] * len(conversation)
    turns = [*expected.turns[: len(conversation)], *blank[len(expected.turns) :]]
    return replace(expected, raw=raw, turns=turns)


def _refuse(result: Any, turns: int, wanted: int) -> Any:
    if result.error:
        return result
    gap = f"{wanted - turns} missing" if wanted > turns else f"{turns - wanted} unexpected"
    reason = f"the trace has {_count(turns)} and the golden {_count(wanted)} ({gap}): not comparable"
    if result.eval_status == "FAILED":
        # A turn that only one side has may as well be the worst: leaving one out must not raise the score.
        shares = 0 <= (result.score or 0) <= 1 and result.metric_name not in NOT_A_SHARE
        result.score = (result.score or 0) * min(turns, wanted) / max(turns, wanted) if shares else None
        return explain(result, reason, _KIND)
    return withhold(result, reason, _KIND)


def _count(turns: int) -> str:
    return f"{turns} turn" if turns == 1 else f"{turns} turns"


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run`` with the golden ``golden``; ``every_turn`` says whether the judge saw all turns."""
    outcome = _harness.run(case)
    return {**outcome, "every_turn": outcome["seen"] == len(case["turns"])}


def _turn(user: str, final: str, tool: str, code: str) -> dict[str, Any]:
    call = {"name": tool, "args": {"q": user}, "id": f"call-{code}", "output": {"code": code}}
    return {"user": user, "final": final, "rounds": [[call]]}


_LOOK = _turn("Where is it?", "It is over there.", "lookup", "A-11")
_WIPE = _turn("Delete it.", "I deleted 4411 orders.", "delete_all", "ok")
_COMPARE = ["tool_trajectory_avg_score"]
_RED: Outcome = {"score": None, "status": "NOT_EVALUATED", "exit": 1, "reason": True}
_CUT: Outcome = {"score": 1.0, "status": "PASSED", "exit": 0}
_ZIPPED = "0.5.2..0.9.8"  # with a google-adk that zips both lists, as all up to 2.5.0 do; later ones refuse
_ALIGNED = "0.10.0..0.11.0"


def _scenario(name: str, wrong: Outcome | None, right: Outcome, releases: str = "", **case: Any) -> Scenario:
    return Scenario(name, case, right, wrong, releases=releases)


def _on(releases: str, suffix: str) -> tuple[Scenario, Scenario]:
    more, less = {"turns": [_LOOK, _WIPE], "golden": [_LOOK]}, {"turns": [_LOOK], "golden": [_LOOK, _WIPE]}
    return (
        _scenario(f"the agent goes on{suffix}", _CUT, _RED, releases, **more, metrics=_COMPARE),
        _scenario(f"the agent stops early{suffix}", _CUT, _RED, releases, **less, metrics=_COMPARE),
    )


FIX = Fix(
    id="agentevals-turn-count",
    dist="agentevals-cli",
    title="turns that only the trace or only the golden has are cut off and the rest passes",
    before="When trace and golden differ in their number of turns, both are cut to the shorter one: an agent that went "
    "on to delete everything, or stopped early, passes. Metrics that need no golden lose turns because one is given.",
    after="Metrics that compare with a golden are not passed and name both numbers of turns; metrics that do not, see "
    "every turn.",
    replacements=(
        Replacement(f"{_METRICS}:evaluate_builtin_metric", _build_metric),
        Replacement(f"{_CUSTOM}:evaluate_custom_evaluator", _build_evaluator),
    ),
    evaluate=evaluate,
    loads=(*_harness.LOADS, _CUSTOM),
    scenarios=(
        *_on(_ALIGNED, ""),
        *_on(_ZIPPED, ", before 0.10.0"),
        _scenario(
            "no golden needed, one given",
            {"every_turn": False},
            {"score": 0.5, "status": "PASSED", "exit": 0, "seen": 2, "every_turn": True},
            turns=[_LOOK, _WIPE],
            golden=[_LOOK],
        ),
        _scenario(
            "equal turns", None, {**_CUT, "seen": 0}, turns=[_LOOK, _WIPE], golden=[_LOOK, _WIPE], metrics=_COMPARE
        ),
        _scenario("no golden", None, {"score": 0.5, "exit": 0, "seen": 2}, turns=[_LOOK, _WIPE]),
        _scenario(
            "other calls than expected",
            None,
            {"score": 0.5, "exit": 0},
            turns=[_LOOK, _LOOK],
            golden=[_LOOK, _WIPE],
            metrics=_COMPARE,
        ),
    ),
    risks="Goldens that cover only the beginning of a conversation no longer pass.",
)
