"""A metric that the judge did not answer, or only for some turns, lets `agentevals run` exit with 0."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from contextvars import ContextVar
from math import inf
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.agentevals import _harness
from evalfixes.fixes.agentevals._like import Arguments, like
from evalfixes.fixes.agentevals._results import (
    DEFAULT_THRESHOLD,
    NOT_A_SHARE,
    explain,
    numbers,
    only_last_turn_scored,
    reason_of,
    withhold,
)
from evalfixes.runtime import ledger
from evalfixes.runtime.allow import allowed
from evalfixes.verdicts.aggregate import combine, decide, of

_MODULE = "agentevals.builtin_metrics"
_KIND = "Unscored"

_heard: ContextVar[list[str] | None] = ContextVar("evalfixes_agentevals_heard", default=None)


class _Witness:
    """A judge model that notes what went wrong, for the reason that ADK throws away."""

    def __init__(self, model: Any, notes: list[str]) -> None:
        self._model = model
        self._notes = notes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def generate_content_async(self, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        try:
            async with aclosing(self._model.generate_content_async(*args, **kwargs)) as responses:
                async for response in responses:
                    parts = getattr(getattr(response, "content", None), "parts", None) or []
                    said = "".join(part.text for part in parts if part.text)
                    self._notes.append(f"the judge's last reply was {said[:200]!r}")
                    yield response
        except Exception as error:
            self._notes.append(f"the judge failed: {type(error).__name__}: {error}"[:300])
            raise


def _build_get_evaluator(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def get_evaluator(eval_metric: Any) -> Any:
        evaluator = original(eval_metric)
        notes = _heard.get()
        model = getattr(evaluator, "_judge_model", None)
        if notes is not None and model is not None:
            evaluator._judge_model = _Witness(model, notes)
        return evaluator

    return get_evaluator


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def evaluate_builtin_metric(arguments: Arguments) -> Any:
        notes: list[str] = []
        token = _heard.set(notes)
        try:
            with ledger.counted() as inside:
                result = await original(**arguments)
        finally:
            _heard.reset(token)
        turns = arguments["actual_invocations"]
        return judge(arguments["metric_name"], turns, arguments["threshold"], result, notes, inside)

    return like(original, evaluate_builtin_metric)


def judge(
    metric_name: str, turns: Any, threshold: float | None, result: Any, notes: list[str], inside: ledger.Run
) -> Any:
    """Leaves a complete result as it is, and says of an incomplete one what is missing.

    Args:
        metric_name: The metric.
        turns: The turns that it was asked about.
        threshold: The one given, if any.
        result: What it made of them.
        notes: What its judge said, if it has one.
        inside: What google-adk's own fixes have counted of it.
    """
    if result.error or result.eval_status == "INFORMATIONAL":
        return result
    if allowed(metric_name):
        if result.eval_status == "NOT_EVALUATED":
            ledger.tell("%s was not evaluated; allowed to be for now", metric_name)
        return result
    missing = [turn for turn, score in enumerate(result.per_invocation_scores) if score is None]
    if result.eval_status == "NOT_EVALUATED":
        if reason_of(result):  # upstream says itself why there is nothing to compare with
            return result
        reason = _why(missing or range(len(turns)), turns, notes)
        _count(metric_name, len(turns), len(missing or turns), reason, inside)
        return explain(result, reason, _KIND)
    if not missing or only_last_turn_scored(metric_name):
        if notes and not inside.judged:
            ledger.record(metric_name, len(turns))
        return result
    reason = _why(missing, turns, notes)
    _count(metric_name, len(turns), len(missing), reason, inside)
    return _decide(metric_name, reason, threshold, result)


def _count(metric_name: str, turns: int, missing: int, reason: str, inside: ledger.Run) -> None:
    """Counts turns, unless what a turn is judged by was counted already: then only what that does not tell."""
    if inside.unscored:
        ledger.tell("%s: %s", metric_name, reason)
    else:
        ledger.record(metric_name, missing if inside.judged else turns, ["not judged"] * missing, why=reason)


def _decide(metric_name: str, reason: str, threshold: float | None, result: Any) -> Any:
    from evalfixes.runtime import options

    limit = DEFAULT_THRESHOLD if threshold is None else threshold
    scores = result.per_invocation_scores
    shares = metric_name not in NOT_A_SHARE and all(0 <= score <= 1 for score in scores if score is not None)
    bad, good = (0.0, 1.0) if shares else (-inf, inf)
    policy = options.current.incomplete
    part = combine([of(score, bad, good) for score in scores])
    decision = decide(part, lambda score: score >= limit, policy)
    if decision.unscored or (policy == "decide" and decision.passed and part.bad <= limit):
        # A worst case that only just reaches the threshold would let one judged turn of two stand
        # for both at the usual threshold of 0.5: that is no decided pass.
        return withhold(result, reason, _KIND)
    result.score, result.eval_status = decision.score, "PASSED" if decision.passed else "FAILED"
    result.details = {**(result.details or {}), "reason": reason}
    return result


def _why(missing: Any, turns: Any, notes: list[str]) -> str:
    silent = [turn for turn in missing if turn < len(turns) and not _says_something(turns[turn])]
    unjudged = [turn for turn in missing if turn not in silent]
    parts = []
    if unjudged or not silent:
        which = numbers(unjudged) if unjudged else "nothing"
        cause = next((note for note in reversed(notes) if "failed" in note), notes[-1] if notes else "no usable answer")
        parts.append(f"{which} of {len(turns)} could not be judged ({cause})" if unjudged else f"no verdict ({cause})")
    if silent:
        parts.append(f"{numbers(silent)} of {len(turns)} has no final response")
    return "not evaluated: " + "; ".join(parts)


def _says_something(turn: Any) -> bool:
    parts = getattr(turn.final_response, "parts", None) or []
    return any(part.text for part in parts)


def evaluate(case: Case) -> Outcome:
    """Runs ``agentevals run``; the judge fails as ``judge`` says (see `_harness.set_script`)."""
    return _harness.run(case)


def _turn(user: str, final: str | None, code: str) -> dict[str, Any]:
    call = {"name": "lookup", "args": {"q": user}, "id": f"call-{code}", "output": {"code": code}}
    return {"user": user, "final": final, "rounds": [[call]]}


_ONE = [_turn("First?", "It is over there.", "A-11")]
_TWO = [*_ONE, _turn("Second?", "It lies yonder.", "B-22")]
_THREE = [*_ONE, *_TWO]
_YONDER = {"fails_on": ["yonder"]}
_GREEN: Outcome = {"status": "PASSED", "exit": 0}
_FULL: Outcome = {**_GREEN, "score": 1.0}
_RED: Outcome = {"score": None, "status": "NOT_EVALUATED", "exit": 1, "metric_status": "NOT_EVALUATED", "reason": True}


def _scenario(name: str, wrong: Outcome | None, right: Outcome, **case: Any) -> Scenario:
    return Scenario(name, case, right, wrong)


FIX = Fix(
    id="agentevals-gate-unscored",
    dist="agentevals-cli",
    title="a metric that could not be judged lets the run exit with 0",
    before="A judge that is down or answers free text gives NOT_EVALUATED without a word and exit code 0; a judge that "
    "fails on one of two turns gives the other turn's score and PASSED.",
    after="The report says which turn was not judged and why, and the exit code is not 0. Where some turns have "
    "verdicts, the result stands only if the missing ones could not change it, with the worst score they could give.",
    replacements=(
        Replacement(f"{_MODULE}:get_evaluator", _build_get_evaluator),
        Replacement(f"{_MODULE}:evaluate_builtin_metric", _build),
    ),
    evaluate=evaluate,
    loads=_harness.LOADS,
    scenarios=(
        _scenario("judge down", _GREEN, _RED, turns=_ONE, judge={"fails_on": [""]}),
        _scenario("judge answers free text", _GREEN, _RED, turns=_ONE, judge={"fails_on": [""], "how": "mute"}),
        _scenario("judge fails on one of two turns", _FULL, _RED, turns=_TWO, judge=_YONDER, threshold=0.8),
        _scenario("one of two at the usual threshold", _FULL, _RED, turns=_TWO, judge=_YONDER),
        _scenario("a turn without an answer", _GREEN, _RED, turns=[_turn("First?", None, "A-11")]),
        _scenario("a later turn without an answer", _FULL, _RED, turns=[*_ONE, _turn("Second?", None, "B-22")]),
        _scenario("decided all the same", _FULL, {**_GREEN, "score": 2 / 3}, turns=_THREE, judge=_YONDER),
        _scenario("all judged", None, _FULL, turns=_TWO),
        _scenario("greeting only", None, _FULL, turns=[{"user": "Hi", "final": "Good day.", "rounds": []}]),
        _scenario(
            "claim without evidence",
            None,
            {"score": 0.0, "status": "FAILED", "exit": 1},
            turns=[{"user": "Hi", "final": "You owe 17 dollars.", "rounds": []}],
        ),
    ),
    risks="Builds whose judge was down without anybody noticing turn red; allow_unscored lists what may stay unscored.",
)
