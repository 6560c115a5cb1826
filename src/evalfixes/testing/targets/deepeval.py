"""Metrics of deepeval: its own by class name, and classes made on its base."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from evalfixes.testing.harness import Answers, Run
from evalfixes.testing.judges import Exchange, Replay, Tap
from evalfixes.testing.shapes import MOODS, Scripted
from evalfixes.testing.targets import Target, TargetError

DIST = "deepeval"

NUMERIC = {
    "ConversationalGEval": 10.0,
    "GEval": 10.0,
    "GoalAccuracyMetric": 1.0,
    "PlanAdherenceMetric": 1.0,
    "PlanQualityMetric": 1.0,
    "StepEfficiencyMetric": 1.0,
    "TaskCompletionMetric": 1.0,
    "ToolUseMetric": 1.0,
}
"""Metrics whose judge gives a number, with the top of its scale."""

_PER_ITEM = ("contextual_relevancy", "turn_contextual_relevancy")
BY_SCHEMA = ("RoleAdherenceMetric", "ToolCorrectnessMetric", "TopicAdherenceMetric")
"""Further metrics, whose judge is answered by its schema. One fix, of scores off the scale, is about one of them."""

_NEEDS_FILE = ("TranscriptionAccuracyMetric",)


def names() -> list[str]:
    """The judge-backed metrics that can be named, in alphabetical order."""
    from evalfixes.fixes.deepeval._families import LISTS, SINGLES

    listed = [family.cls for family in (*LISTS, *SINGLES) if family.cls not in _NEEDS_FILE]
    return sorted([*listed, *NUMERIC, *BY_SCHEMA])


def named(name: str, cls: str, exchanges: Sequence[Exchange] = ()) -> Target:
    """One of deepeval's own metrics.

    Raises:
        TargetError: deepeval is not installed or has no such metric, or its judge is none that is known.
    """
    try:
        import deepeval.metrics as present
    except ImportError as error:
        raise TargetError(name, f"deepeval is not installed ({error})") from error
    if cls not in names() or cls in BY_SCHEMA:
        found = getattr(present, cls, None)
        if isinstance(found, type):
            return classed(name, found, exchanges)
        raise TargetError(name, f"no metric of that name; there are {', '.join(names())}")
    if not hasattr(present, cls):
        raise TargetError(name, "this release of deepeval has no such metric")
    if exchanges:
        case = {"metric": cls, "replies": [{}]}
        return Target(name, (Answers("recorded", _replayed(case, exchanges)),), DIST)
    answers = (Answers(mood, _run(case), str(case.get("kwargs"))) for mood, case in cases(cls))
    return Target(name, tuple(answers), DIST)


def cases(cls: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Cases of a metric with well-formed replies, by mood."""
    from evalfixes.fixes.deepeval._families import LISTS, SINGLES

    if cls in NUMERIC:
        top = NUMERIC[cls]
        key = "verdict" if cls == "TaskCompletionMetric" else "score"
        for mood, number in (("good", top), ("bad", top / 5), ("worst", 0)):
            yield mood, {"metric": cls, "items": 1, "replies": [{key: number, "reason": "r"}]}
        return
    family = next(one for one in (*LISTS, *SINGLES) if one.cls == cls)
    good, bad = family.good, family.bad
    for mood, words in (
        ("good", (good, good)),
        ("bad", (bad, bad)),
        ("mixed", (bad, bad, good)),
        ("mixed-late", (good, bad, bad)),
        ("bad-strict", (bad, bad)),
    ):
        more = {"statement": "s"} if family.name in _PER_ITEM else {}
        entries = [{"verdict": word, "reason": "r", **more} for word in words]
        if family in SINGLES:
            replies: list[Any] = entries
        elif family.name in _PER_ITEM:
            replies = [{"verdicts": [entry, entry]} for entry in entries]
        else:
            replies = [{"verdicts": entries}]
        answers = {"Answers": [{"answers": ["yes", "yes"]}, {"answers": ["no", "yes"]}]}
        strict: dict[str, Any] = {"strict_mode": True} if mood.endswith("strict") else {"threshold": 0.8}
        case = {"metric": cls, "items": len(words), "replies": replies, "kwargs": strict}
        yield mood, case
        if mood == "good" and cls == "SummarizationMetric":
            yield "half-covered", {**case, "extracted": answers}


def _run(case: dict[str, Any]) -> Run:
    from evalfixes.fixes.deepeval import _harness as harness

    def run(tap: Tap) -> tuple[Any, bool]:
        outcome = harness.evaluate({**case, "tap": tap})
        return outcome["score"], outcome["status"] == "PASSED"

    return run


def _replayed(case: dict[str, Any], exchanges: Sequence[Exchange]) -> Run:
    from evalfixes.fixes.deepeval import _harness as harness

    def run(tap: Tap) -> tuple[Any, bool]:
        replay = Replay(exchanges)
        outcome = harness.evaluate({**case, "tap": lambda prompt, _: tap(prompt, replay(prompt))})
        return outcome["score"], outcome["status"] == "PASSED"

    return run


def classed(name: str, cls: type, exchanges: Sequence[Exchange] = ()) -> Target:
    """A metric class made on deepeval's base.

    Its judge first refuses ``schema=`` as models do that give a text; where the metric has no score so, it
    takes the schema.
    """
    judges: list[tuple[str, Callable[[], Any]]] = [(mood, partial(Scripted, mood)) for mood in MOODS]
    if exchanges:
        judges = [("recorded", lambda: Replay(exchanges))]
    answers = []
    for text in (True, False):
        for mood, make in judges:
            answers.append(Answers(mood if text else f"{mood}-schema", _measure(name, cls, make, text), str(text)))
    return Target(name, tuple(answers), DIST)


def _measure(name: str, cls: type, make: Callable[[], Any], text: bool) -> Run:
    def run(tap: Tap) -> tuple[Any, bool]:
        metric = _made(name, cls, _model(tap, make(), text))
        metric.measure(_test_case(metric), **_quiet(metric))
        if getattr(metric, "error", None):
            raise ValueError(metric.error)
        return metric.score, metric.is_successful() is not False

    return run


def _made(name: str, cls: type, model: Any) -> Any:
    known: dict[str, Any] = {"model": model, "threshold": 0.8, "async_mode": False, "include_reason": False}
    if cls.__name__ == "TopicAdherenceMetric":
        known["relevant_topics"] = ["the points"]
    if cls.__name__ == "ToolCorrectnessMetric":  # its judge is only asked where it knows the tools there are
        from deepeval.test_case import ToolCall

        known["available_tools"] = [ToolCall(name="tool")]
    parameters = inspect.signature(cls).parameters
    given = {key: value for key, value in known.items() if key in parameters}
    missing = [
        p.name
        for p in parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in given
    ]
    if missing:
        raise TargetError(
            name,
            f"its constructor needs {', '.join(missing)}; write a function run(judge) that makes it and "
            "measures one case, and name that",
        )
    made = cls(**given)
    if "model" not in given:
        made.model = model
    return made


def _quiet(metric: Any) -> dict[str, Any]:
    parameters = inspect.signature(metric.measure).parameters
    quiet = any(p.kind is p.VAR_KEYWORD for p in parameters.values()) or "_show_indicator" in parameters
    return {"_show_indicator": False} if quiet else {}


def _test_case(metric: Any) -> Any:
    from deepeval.metrics import BaseConversationalMetric
    from deepeval.test_case import ConversationalTestCase, LLMTestCase, ToolCall, Turn

    texts = ["The first point.", "The second point.", "The third point."]
    if isinstance(metric, BaseConversationalMetric):
        turns = [Turn(role="user", content="A question?"), Turn(role="assistant", content=" ".join(texts))]
        return ConversationalTestCase(turns=turns, chatbot_role="assistant", expected_outcome=" ".join(texts))
    return LLMTestCase(
        input="A question?",
        actual_output=" ".join(texts),
        expected_output=" ".join(texts),
        context=texts,
        retrieval_context=texts,
        tools_called=[ToolCall(name="tool")],
        expected_tools=[ToolCall(name="tool")],
    )


def _model(tap: Tap, answer: Any, text: bool) -> Any:
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.models.llms import utils

    schemas: list[Any] = []

    class Judge(DeepEvalBaseLLM):  # type: ignore[misc, unused-ignore]
        """Answers through the tap; for a schema it reads its text as deepeval's own classes for models do."""

        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def get_model_name(self, *args: Any, **kwargs: Any) -> str:
            return "scripted"

        def generate(self, prompt: Any, schema: Any = None, **kwargs: Any) -> Any:
            if schema is not None and text:
                schemas.append(schema)
                raise TypeError("no schema here")
            wanted = schema or (schemas.pop() if schemas else None)
            given = tap(str(prompt), answer(str(prompt), wanted))
            if given.error:
                raise RuntimeError(given.error)
            if given.lost:
                return None
            return given.text if schema is None else schema.model_validate(utils.trim_and_load_json(given.text))

        async def a_generate(self, prompt: Any, schema: Any = None, **kwargs: Any) -> Any:
            return self.generate(prompt, schema, **kwargs)

    return Judge("scripted")
