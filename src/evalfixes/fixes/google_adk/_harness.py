"""A scripted judge for google-adk's metrics, and cases as JSON for every release that has them.

A *case* of `evaluate` is::

    {
        "metric": "hallucinations_v1",      # a key of EVALUATORS
        "threshold": 0.8,
        "criterion": {...},                 # further fields of the criterion: rubrics, flags
        "samples": 1,                       # num_samples
        "turns": [turn, ...],
        "judge": {pattern: [reply, ...]},   # or a plain list of replies, in the order of the calls
        "evaluator": class,                 # only in this process: in the place of the metric's own
        "tap": function,                    # only in this process: takes prompt and reply, and returns what the
                                            # metric gets, an evalfixes.testing.Reply
    }

A *turn* has ``answer`` and, as needed, ``user``, ``expected`` (an answer; with none in any turn there
are no expected invocations), ``events`` (``{"author": ..., "content": ...}``), ``rubrics``, ``id`` and
``agents`` (``{name: {"instructions": ..., "tools": [table of google.genai.types.Tool, ...]}}``).
A *content* (answers, user texts, events) is None, a string, or a list of parts: strings,
``{"thought": "text"}``, or any table of ``google.genai.types.Part``. In a table, values that JSON has
no form for are written ``{"$datetime": "2026-01-01T00:00:00"}``, ``{"$bytes": "base64"}``,
``{"$set": [...]}``, ``{"$decimal": "1.5"}`` and ``{"$object": "its text"}``.

A *pattern* is ``kind``, ``kind:text`` or ``:text``: the kind of the prompt (see `KINDS`) and text
that it holds; the first that fits is used. Its replies are given one by one, the last again and again. A
*reply* is a content, ``{"raise": "message"}`` for a call that fails, or ``{"empty": true}`` for one
that yields no response at all. A segmenter prompt that fits no pattern is answered honestly: one
sentence per line and full stop.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import inspect
import itertools
import os
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from importlib import import_module
from typing import Any

from evalfixes.fix import Case, Outcome

PACKAGE = "google.adk.evaluation."

EVALUATORS = {
    "hallucinations_v1": "hallucinations_v1:HallucinationsV1Evaluator",
    "final_response_match_v2": "final_response_match_v2:FinalResponseMatchV2Evaluator",
    "response_match_score": "final_response_match_v1:RougeEvaluator",
    "tool_trajectory_avg_score": "trajectory_evaluator:TrajectoryEvaluator",
    "rubric_based_final_response_quality_v1": (
        "rubric_based_final_response_quality_v1:RubricBasedFinalResponseQualityV1Evaluator"
    ),
    "rubric_based_tool_use_quality_v1": "rubric_based_tool_use_quality_v1:RubricBasedToolUseV1Evaluator",
    "rubric_based_multi_turn_trajectory_quality_v1": (
        "rubric_based_multi_turn_trajectory_evaluator:RubricBasedMultiTurnTrajectoryEvaluator"
    ),
}
"""Evaluator classes by metric name."""

CRITERIA = {"hallucinations_v1": "HallucinationsCriterion", "final_response_match_v2": "LlmAsAJudgeCriterion"}
"""Criterion classes by metric name; the rubric metrics share one."""

KINDS = {
    "segment": "segment the response into sentences",
    "validate": "**Sentences Begin**",
    "match": "is_the_agent_response_valid",
    "rubric": "<properties>",
}
"""Kinds of prompts, by a text that stands in each."""

Reply = Any
Script = Mapping[str, Sequence[Reply]] | Sequence[Reply]

_MODEL = "evalfixes-scripted-judge"
_UNLOCK = "ADK_ALLOW_WIP_FEATURES"
"""Up to 1.7 the judged metrics and LocalEvalService are locked as work in progress without it."""
_JUDGES: dict[str, ScriptedJudge] = {}
_NUMBERS = itertools.count()
_CLASSES: list[Any] = []


class ScriptedJudge:
    """What a judge model answers in one evaluation, and what it was asked.

    Attributes:
        prompts: The prompts so far.
    """

    def __init__(self, script: Script, tap: Callable[[str, str], Any] | None = None) -> None:
        self.prompts: list[str] = []
        self._tap = tap
        self._script: Mapping[str, Sequence[Reply]] = script if isinstance(script, Mapping) else {":": script}
        self._used: dict[str, int] = {}

    def reply(self, prompt: str) -> Reply:
        """The next reply to a prompt.

        Raises:
            LookupError: The script has none; a mistake in the case.
        """
        self.prompts.append(prompt)
        reply = self._scripted(prompt)
        if self._tap is None:
            return reply
        given = self._tap(prompt, reply)
        if given.error:
            return {"raise": given.error}
        if given.lost:
            return {"empty": True}
        return [{"thought": given.thought}, given.text] if given.thought else given.text

    def _scripted(self, prompt: str) -> Reply:
        for pattern, replies in self._script.items():
            kind, _, text = pattern.partition(":")
            if (not kind or KINDS[kind] in prompt) and text in prompt:
                count = self._used.get(pattern, 0)
                self._used[pattern] = count + 1
                return replies[min(count, len(replies) - 1)]
        if KINDS["segment"] in prompt:
            return segments(*split(response_of(prompt)))
        raise LookupError(f"the script has no reply to: {prompt[-300:]}")


def split(text: str) -> list[str]:
    """Splits a response like a careful segmenter of short test texts would."""
    return [piece for line in text.splitlines() for piece in re.split(r"(?<=[.!?])\s+", line.strip()) if piece]


def response_of(prompt: str) -> str:
    """The response inside a segmenter prompt."""
    return prompt.rpartition("**Response Begin**")[2].partition("**Response End**")[0].strip()


def segments(*sentences: str) -> str:
    """A segmenter's reply."""
    return "\n".join(f"<sentence>{sentence}</sentence>" for sentence in sentences)


def block(sentence: str, label: str, supporting: str = "null", contradicting: str = "null") -> str:
    """One block of a well-formed reply of the sentence validator."""
    return (
        f"sentence: {sentence}\nlabel: {label}\nrationale: because\n"
        f"supporting_excerpt: {supporting}\ncontradicting_excerpt: {contradicting}"
    )


def blocks(*pairs: tuple[str, str]) -> str:
    """A well-formed reply of the sentence validator."""
    return "\n\n".join(block(sentence, label) for sentence, label in pairs)


def verdict(label: str, key: str = "is_the_agent_response_valid") -> str:
    """A well-formed reply of final_response_match_v2's judge."""
    return f'{{"reasoning": "because", "{key}": "{label}"}}'


def rubric_verdicts(*rows: tuple[str, str, str]) -> str:
    """A well-formed reply of a rubric metric's judge: rows of id, property text and verdict."""
    return "\n".join(f"ID: {i}\nProperty: {p}\nRationale: because\nVerdict: {v}\n" for i, p, v in rows)


@contextlib.contextmanager
def scripted(script: Script, tap: Callable[[str, str], Any] | None = None) -> Iterator[tuple[str, ScriptedJudge]]:
    """A scripted judge, and the model name under which google-adk finds it as long as it is open."""
    from google.adk.models.registry import LLMRegistry

    if not _CLASSES:
        _CLASSES.append(_judge_class())
    LLMRegistry.register(_CLASSES[0])
    name = f"{_MODEL}-{next(_NUMBERS)}"
    _JUDGES[name] = ScriptedJudge(script, tap)
    locked = os.environ.get(_UNLOCK)
    os.environ[_UNLOCK] = "true"
    try:
        yield name, _JUDGES[name]
    finally:
        del _JUDGES[name]
        if locked is None:
            del os.environ[_UNLOCK]
        else:
            os.environ[_UNLOCK] = locked


def _judge_class() -> Any:
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse

    class Judge(BaseLlm):  # type: ignore[misc, unused-ignore]
        """Answers from the script that its model name stands for."""

        @classmethod
        def supported_models(cls) -> list[str]:
            return [rf"{_MODEL}-\d+"]

        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            reply = _JUDGES[self.model].reply(llm_request.contents[-1].parts[0].text)
            await asyncio.sleep(0)
            if isinstance(reply, Mapping) and "raise" in reply:
                raise RuntimeError(reply["raise"])
            if isinstance(reply, Mapping) and reply.get("empty"):
                return
            yield LlmResponse(content=content(reply))

    return Judge


def content(value: Any, role: str = "model") -> Any:
    """A ``Content`` from its form in a case."""
    from google.genai import types

    if value is None:
        return None
    parts = [value] if isinstance(value, str) else value
    tables: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            tables.append({"text": part})
        elif isinstance(part.get("thought"), str):
            tables.append({"text": part["thought"], "thought": True})
        else:
            tables.append(odd(part))
    return types.Content(role=role, parts=[types.Part.model_validate(table) for table in tables])


class Opaque:
    """A value that nothing knows how to serialise."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


_ODD: dict[str, Callable[[Any], Any]] = {
    "$datetime": datetime.fromisoformat,
    "$bytes": base64.b64decode,
    "$set": set,
    "$decimal": Decimal,
    "$object": Opaque,
}


def odd(value: Any) -> Any:
    """A value of a case with those in it that JSON has no form for."""
    if isinstance(value, Mapping):
        if len(value) == 1 and (name := next(iter(value))) in _ODD:
            return _ODD[name](value[name])
        return {key: odd(inner) for key, inner in value.items()}
    return [odd(inner) for inner in value] if isinstance(value, list) else value


def app_details(agents: Mapping[str, Any]) -> Any:
    """An ``AppDetails`` from the ``agents`` of a turn."""
    from google.adk.evaluation.app_details import AgentDetails, AppDetails
    from google.genai import types

    details = {}
    for name, agent in agents.items():
        tools = [types.Tool.model_validate(table) for table in agent.get("tools", ())]
        details[name] = AgentDetails(name=name, instructions=agent.get("instructions", ""), tool_declarations=tools)
    return AppDetails(agent_details=details)


def rubric(table: Mapping[str, Any]) -> Any:
    """A ``Rubric`` from ``id``, ``text`` and, as needed, ``type``."""
    from google.adk.evaluation.eval_rubrics import Rubric, RubricContent

    extra = {"type": table["type"]} if table.get("type") else {}
    return Rubric(rubric_id=table["id"], rubric_content=RubricContent(text_property=table["text"]), **extra)


def invocation(turn: Mapping[str, Any], answer: str = "answer") -> Any:
    """An ``Invocation`` from a turn; ``answer`` names the key of its final response."""
    from google.adk.evaluation import eval_case

    fields: dict[str, Any] = {
        "invocation_id": turn.get("id", ""),
        "user_content": content(turn.get("user", "q"), "user"),
        "final_response": content(turn.get(answer)),
    }
    if turn.get("events") and answer == "answer":
        event = eval_case.InvocationEvent
        fields["intermediate_data"] = eval_case.InvocationEvents(
            invocation_events=[event(author=e.get("author"), content=content(e.get("content"))) for e in turn["events"]]
        )
    if "agents" in turn and answer == "answer":
        fields["app_details"] = app_details(turn["agents"])
    if turn.get("rubrics") and answer == "answer":
        fields["rubrics"] = [rubric(table) for table in turn["rubrics"]]
    return eval_case.Invocation(**fields)


def invocations(turns: Sequence[Mapping[str, Any]]) -> tuple[list[Any], list[Any] | None]:
    """The actual invocations of a case, and the expected ones if any turn has an expected answer."""
    expected = [invocation(turn, "expected") for turn in turns] if any("expected" in turn for turn in turns) else None
    return [invocation(turn) for turn in turns], expected


def metric(case: Case, model: str = "") -> Any:
    """The ``EvalMetric`` of a case, in the form that the installed release wants.

    Up to 2.6 the threshold is read from the metric and later from the criterion; up to 1.20 the
    default of ``judge_model_config`` cannot be dumped; before 1.15 there are no criteria.
    """
    from google.adk.evaluation import eval_metrics
    from google.genai import types

    name, threshold = case["metric"], case.get("threshold")
    if threshold is None:  # informational
        return eval_metrics.EvalMetric(metric_name=name)
    options: dict[str, Any] = {}
    if model:
        options["judge_model_options"] = eval_metrics.JudgeModelOptions(
            judge_model=model, num_samples=case.get("samples", 1), judge_model_config=types.GenerateContentConfig()
        )
    if "criterion" not in eval_metrics.EvalMetric.model_fields:
        return eval_metrics.EvalMetric(metric_name=name, threshold=threshold, **options)
    fields = dict(case.get("criterion", {}))
    if "rubrics" in fields:
        fields["rubrics"] = [rubric(table) for table in fields["rubrics"]]
    kind = CRITERIA.get(name, "RubricsBasedCriterion" if name.startswith("rubric_") else "BaseCriterion")
    criterion = getattr(eval_metrics, kind)(threshold=threshold, **options, **fields)
    return eval_metrics.EvalMetric(metric_name=name, threshold=threshold, criterion=criterion)


def evaluator_class(name: str) -> Any:
    """The evaluator class of a metric."""
    module, _, qualname = EVALUATORS[name].partition(":")
    return getattr(import_module(PACKAGE + module), qualname)


async def evaluate_async(case: Case) -> Outcome:
    """Runs a case through the evaluator of its metric; an exception is the status ``ERROR``."""
    with scripted(case.get("judge", {}), case.get("tap")) as (model, judge):
        kind = case.get("evaluator") or evaluator_class(case["metric"])
        evaluator = kind(eval_metric=metric(case, model))
        actual, expected = invocations(case["turns"])
        try:
            result = await call(evaluator, actual, expected)
        except Exception as error:
            return {"score": None, "status": "ERROR", "error": f"{type(error).__name__}: {error}", "turns": []}
        return {**outcome(result), "calls": len(judge.prompts)}


def evaluate(case: Case) -> Outcome:
    """Runs a case through the evaluator of its metric, from code that runs in no event loop."""
    return asyncio.run(evaluate_async(case))


async def call(evaluator: Any, actual: list[Any], expected: list[Any] | None) -> Any:
    """Calls ``evaluate_invocations``, which takes None for no expected invocations only since 1.18."""
    parameter = inspect.signature(evaluator.evaluate_invocations).parameters["expected_invocations"]
    if expected is None and "Optional" not in str(parameter.annotation) and "None" not in str(parameter.annotation):
        expected = list(actual)
    result = evaluator.evaluate_invocations(actual, expected)
    return await result if inspect.isawaitable(result) else result


def outcome(result: Any) -> dict[str, Any]:
    """The outcome that an ``EvaluationResult`` amounts to."""
    return {
        "score": result.overall_score,
        "status": result.overall_eval_status.name,
        "turns": [[turn.score, turn.eval_status.name] for turn in result.per_invocation_results],
    }
