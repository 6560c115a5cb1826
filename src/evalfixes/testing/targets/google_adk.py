"""Judged metrics of google-adk: its own by name, and evaluator classes made on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evalfixes.testing.harness import Answers, Run
from evalfixes.testing.judges import Exchange, Replay, Tap
from evalfixes.testing.targets import Target, TargetError

DIST = "google-adk"

_RUBRIC_METRICS = (
    "rubric_based_final_response_quality_v1",
    "rubric_based_tool_use_quality_v1",
    "rubric_based_multi_turn_trajectory_quality_v1",
)
_TEXTS = ("The answer is short.", "The answer is correct.", "It names a city.")


def names() -> list[str]:
    """The judged metrics that can be named."""
    return sorted(["hallucinations_v1", "final_response_match_v2", *_RUBRIC_METRICS])


def named(name: str, metric: str, exchanges: Sequence[Exchange] = ()) -> Target:
    """One of google-adk's own metrics.

    Raises:
        TargetError: google-adk is not installed, or has no such metric that a judge backs.
    """
    from evalfixes.fixes.google_adk import _harness as harness

    if metric not in names():
        raise TargetError(name, f"no judged metric of that name; there are {', '.join(names())}")
    try:
        harness.evaluator_class(metric)
    except ModuleNotFoundError as error:
        raise TargetError(name, f"google-adk is not installed or this release lacks the metric ({error})") from error
    return _target(name, metric, None, exchanges)


def classed(name: str, cls: type, exchanges: Sequence[Exchange] = ()) -> Target:
    """An evaluator class made on one of google-adk's own, with its prompts' form of answer.

    Raises:
        TargetError: It is made on none of them.
    """
    from evalfixes.fixes.google_adk import _harness as harness

    for metric in names():
        try:
            own = harness.evaluator_class(metric)
        except ModuleNotFoundError:
            continue
        if issubclass(cls, own):
            return _target(name, metric, cls, exchanges)
    raise TargetError(
        name,
        "is made on none of google-adk's judged evaluators, so the form of its judge's answers is not known; "
        "write a function run(judge) that evaluates one case with it, and name that",
    )


def _target(name: str, metric: str, cls: type | None, exchanges: Sequence[Exchange]) -> Target:
    answers = [Answers(mood, _run({**case, "evaluator": cls}, exchanges)) for mood, case in cases(metric)]
    if exchanges:
        answers = [Answers("recorded", answers[0].run)]
    return Target(name, tuple(answers), DIST, parts=True)


def _run(case: dict[str, Any], exchanges: Sequence[Exchange]) -> Run:
    from evalfixes.fixes.google_adk import _harness as harness

    def run(tap: Tap) -> tuple[Any, bool]:
        replay = Replay(exchanges) if exchanges else None
        through = tap if replay is None else lambda prompt, _: tap(prompt, replay(prompt))
        outcome = harness.evaluate({**case, "tap": through})
        if outcome["status"] == "ERROR":
            raise ValueError(outcome["error"])
        return outcome["score"], outcome["status"] == "PASSED"

    return run


def cases(metric: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Cases of a metric with well-formed replies, by mood: single, of several turns, and of several samples."""
    if metric == "hallucinations_v1":
        yield from _hallucinations()
    elif metric == "final_response_match_v2":
        yield from _match()
    else:
        yield from _rubrics(metric)


def _hallucinations() -> Iterator[tuple[str, dict[str, Any]]]:
    from evalfixes.fixes.google_adk import _harness as harness

    def case(turns: Sequence[Sequence[bool]], steps: bool = False) -> dict[str, Any]:
        judge: dict[str, list[Any]] = {}
        made: list[dict[str, Any]] = []
        for number, labels in enumerate(turns):
            texts = [f"T{number} says point {place}." for place in range(len(labels))]
            rows = [(text, "supported" if good else "contradictory") for text, good in zip(texts, labels, strict=True)]
            if steps:
                for row in rows:
                    judge[f"validate:<sentence>{row[0]}"] = [harness.blocks(row)]
                made.append({"events": [{"author": "a", "content": t} for t in texts[:-1]], "answer": texts[-1]})
            else:
                judge[f"validate:<sentence>T{number}"] = [harness.blocks(*rows)]
                made.append({"answer": " ".join(texts)})
        criterion = {"evaluate_intermediate_nl_responses": True} if steps else {}
        return {"metric": "hallucinations_v1", "threshold": 0.8, "turns": made, "judge": judge, "criterion": criterion}

    yield "good", case([[True, True]])
    yield "bad", case([[False, False]])
    yield "mixed", case([[False, True, False]])
    yield "turns", case([[True], [False]])
    yield "steps", case([[True, False]], steps=True)


def _match() -> Iterator[tuple[str, dict[str, Any]]]:
    from evalfixes.fixes.google_adk import _harness as harness

    def case(turns: Sequence[Sequence[bool]], samples: int) -> dict[str, Any]:
        judge = {
            f"match:A{number}": [harness.verdict("valid" if good else "invalid") for good in votes]
            for number, votes in enumerate(turns)
        }
        made = [{"user": "q", "answer": f"A{n}", "expected": f"B{n}"} for n in range(len(turns))]
        return {
            "metric": "final_response_match_v2",
            "threshold": 0.8,
            "samples": samples,
            "turns": made,
            "judge": judge,
        }

    yield "good", case([[True]], 1)
    yield "bad", case([[False]], 1)
    yield "samples", case([[False, True, False]], 3)
    yield "turns", case([[True], [False]], 1)


def _rubrics(metric: str) -> Iterator[tuple[str, dict[str, Any]]]:
    from evalfixes.fixes.google_adk import _harness as harness

    many = metric != "rubric_based_multi_turn_trajectory_quality_v1"

    def case(replies: Sequence[Sequence[bool]], turns: int = 1, samples: int = 1) -> dict[str, Any]:
        texts = _TEXTS[: len(replies[0])]
        said = [
            harness.rubric_verdicts(
                *(
                    (f"r{n}", text, "yes" if good else "no")
                    for n, (text, good) in enumerate(zip(texts, row, strict=True))
                )
            )
            for row in replies
        ]
        event = {"author": "agent", "content": [{"function_call": {"name": "t", "args": {}}}]}
        return {
            "metric": metric,
            "threshold": 0.8,
            "samples": samples,
            "criterion": {"rubrics": [{"id": f"r{n}", "text": text} for n, text in enumerate(texts)]},
            "turns": [{"user": f"q{n}", "answer": "x", "events": [event]} for n in range(turns)],
            "judge": {"rubric": said},
        }

    yield "good", case([[True, True]])
    yield "bad", case([[False, False]])
    yield "mixed", case([[False, True, False]])
    yield "samples", case([[False, True], [False, True], [True, True]], samples=3)
    if many:
        yield "turns", case([[True, True], [False, False]], turns=2)
