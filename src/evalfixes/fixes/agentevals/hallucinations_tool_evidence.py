"""`hallucinations_v1` on replayed traces: the judge never sees what the tools returned."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness
from evalfixes.fixes.agentevals._converter import build_trajectory
from evalfixes.fixes.agentevals._genai_converter import build_tool_calls
from evalfixes.fixes.agentevals._pairing import to_events, with_tools_named

_MODULE = "agentevals.builtin_metrics"
_METRIC = "hallucinations_v1"


def _build_get_evaluator(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # The evaluator's own method is the one seam that reads the same in all releases, with and
    # without an adapter, however `evaluate_builtin_metric` was imported.
    def get_evaluator(eval_metric: Any) -> Any:
        evaluator = original(eval_metric)
        if eval_metric.metric_name != _METRIC:
            return evaluator
        judge = evaluator.evaluate_invocations

        async def evaluate_invocations(actual_invocations: Any, expected_invocations: Any = None) -> Any:
            shown = with_tools_named([to_events(invocation) for invocation in actual_invocations])
            return await judge(actual_invocations=shown, expected_invocations=expected_invocations)

        evaluator.evaluate_invocations = evaluate_invocations
        return evaluator

    return get_evaluator


def _build_adapter(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _to_invocation_events(inv: Any) -> Any:
        return to_events(inv)

    return _to_invocation_events


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run -m hallucinations_v1`` on a trace; see `_harness.run` and `_traces.document`."""
    return _harness.run(case)


def _order(final: str, **call: Any) -> dict[str, Any]:
    lookup = {
        "name": "lookup_order",
        "args": {"q": "mine"},
        "id": "call_1",
        "output": {"status": "ok", "order": "A-9913", "eta": "2026-03-14"},
    }
    return {"user": "Where is my order?", "final": final, "rounds": [[{**lookup, **call}]]}


def _weather(city: str, id_: str | None, reading: str | None, **more: Any) -> dict[str, Any]:
    call: dict[str, Any] = {"name": "weather", "args": {"city": city}, "id": id_, **more}
    if reading is not None:
        call["output"] = {"city": city, "temp": reading}
    return call


_BOTH = "Your order is A-9913. It arrives on 2026-03-14."
_PAIR = "Oslo reads T-101. Rome reads T-202."


def _two(first: str | None, second: str | None, **more: Any) -> dict[str, Any]:
    calls = [_weather("Oslo", first, "T-101", **more), _weather("Rome", second, "T-202", **more)]
    return {"user": "Weather in Oslo and Rome?", "final": _PAIR, "rounds": [calls]}


def _scenario(
    name: str, turns: list[Any], right: float, wrong: float | None, releases: str = "", **case: Any
) -> Scenario:
    def outcome(score: float) -> Outcome:
        passed = score >= 0.5
        return {"score": score, "status": "PASSED" if passed else "FAILED", "exit": 0 if passed else 1}

    return Scenario(
        name, {"turns": turns, **case}, outcome(right), None if wrong is None else outcome(wrong), releases=releases
    )


_IN_MESSAGES = "0.5.2..0.9.11,0.10.0.."
"""Where outputs that stand in messages only are this fix's; in 0.9.12 they are those of agentevals-tool-pairing."""

_FOREIGN = {**_order(_BOTH), "rounds": [[{**_order(_BOTH)["rounds"][0][0], "span_id": "exec-uuid-7"}]]}

FIX = Fix(
    id="agentevals-hallucinations-tool-evidence",
    dist="agentevals-cli",
    title="hallucinations_v1 judges replayed traces without the tools' outputs",
    before="A trace's tool calls and outputs are handed over in a form that ADK's metric does not read: the judge "
    "sees neither, so every claim that a tool output grounds counts as a hallucination.",
    after="Each call and its outputs stand in the judge's context; outputs that answer no recorded call are kept and "
    "marked as unpaired.",
    replacements=(
        Replacement(f"{_MODULE}:get_evaluator", _build_get_evaluator),
        Replacement("agentevals.converter:_extract_tool_trajectory", build_trajectory, optional=True),
        Replacement("agentevals.genai_converter:_extract_tool_calls", build_tool_calls, optional=True),
        Replacement(f"{_MODULE}:_to_invocation_events", _build_adapter, calls_original=False, optional=True),
    ),
    watches=(f"{_MODULE}:evaluate_builtin_metric", f"{_MODULE}:_METRICS_NEEDING_INVOCATION_EVENTS"),
    evaluate=evaluate,
    loads=_harness.LOADS,
    scenarios=(
        _scenario("order", [_order(_BOTH)], 1.0, 0.0),
        _scenario("order as OTLP", [_order(_BOTH)], 1.0, 0.0, form="otlp"),
        _scenario("order by the conventions", [_order(_BOTH)], 1.0, 0.0, dialect="genai"),
        _scenario("half of the claims", [_order("Your order is A-9913. It costs 777.25 dollars.")], 0.5, 0.0),
        _scenario("tool span with a foreign id", [_FOREIGN], 1.0, 0.0),
        _scenario("two calls of one tool", [_two("c1", "c2")], 1.0, 0.0),
        _scenario("two calls under one id", [_two("c1", "c1", record="span")], 1.0, 0.0),
        _scenario("two calls without ids", [_two(None, None, record="span")], 1.0, 0.0),
        _scenario("output without a model's call", [_order(_BOTH, record="span")], 1.0, 0.0),
        _scenario("calls and outputs in messages only", [_two("c1", "c2", record="parts")], 1.0, 0.0, _IN_MESSAGES),
        _scenario(
            "in messages only, as genai",
            [_two("c1", "c2", record="parts")],
            1.0,
            0.0,
            _IN_MESSAGES,
            dialect="genai",
        ),
        _scenario("two turns", [_order(_BOTH), _two("c1", "c2")], 1.0, 0.0),
        _scenario("nothing claimed", [{"user": "Hello", "final": "Good morning to you.", "rounds": []}], 1.0, None),
        _scenario("claim without evidence", [{"user": "Hi", "final": "You owe 17 dollars.", "rounds": []}], 0.0, None),
    ),
    risks="The judge's prompt grows by the tools' calls and outputs.",
)
