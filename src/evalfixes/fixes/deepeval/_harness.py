"""Runs deepeval's metrics with a scripted judge: offline, on every release from 3.2.5 on.

A case is a table:

- ``metric``: the class; ``kwargs``: further constructor arguments (``strict_mode``, ``threshold``).
- ``items``: how many items the judge is asked about (default 3).
- ``replies``: the judge's replies to the verdict step. A metric that asks once takes the first; one
  that asks per context, turn or window takes one after the other; the last one repeats. A reply is
  a JSON value, or ``{"text": "..."}`` for raw text, or ``{"rounds": [...]}`` to answer differently
  when it is asked again.
- ``before``: replies for an earlier case that the same metric object measures first.
- ``path``: ``json`` (the judge refuses ``schema=``), ``schema``, or ``loaded`` (the judge makes the schema's
  object of its text, by the function that deepeval's own classes for models use); ``mode``: ``sync`` or ``async``.
- ``extracted``: replies to the other steps, by the name of their schema; a list is given one by one.
- ``include_reason``: default False. ``called``: the tools that were called, where ``x`` was expected.
- ``tap``: only in this process: takes each prompt and the judge's text, and returns what the metric gets
  (an `evalfixes.testing.Reply`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evalfixes.fix import Case, Outcome

AGAIN = "\n\nYour last answer to this"

_EXTRACTED = {
    "AnswerRelevancyMetric": ("Statements", "statements"),
    "BiasMetric": ("Opinions", "opinions"),
    "FaithfulnessMetric": ("Claims", "claims"),
    "MisuseMetric": ("Misuses", "misuses"),
    "NonAdviceMetric": ("Advices", "advices"),
    "PIILeakageMetric": ("ExtractedPII", "extracted_pii"),
    "RoleViolationMetric": ("RoleViolations", "role_violations"),
    "SummarizationMetric": ("Claims", "claims"),
    "ToxicityMetric": ("Opinions", "opinions"),
    "TurnFaithfulnessMetric": ("Claims", "claims"),
    "ConversationCompletenessMetric": ("UserIntentions", "intentions"),
}
_VERDICTS = {
    "Verdicts",
    "ContextualRelevancyVerdicts",
    "ConversationCompletenessVerdict",
    "KnowledgeRetentionVerdict",
    "TurnRelevancyVerdict",
    "ReasonScore",
    "TaskCompletionVerdict",
    "EfficiencyVerdict",
    "PlanAdherenceScore",
    "PlanQualityScore",
    "GoalScore",
    "PlanScore",
    "ToolSelectionScore",
    "ArgumentCorrectnessScore",
    "MCPPrimitivesScore",
    "MCPArgsScore",
    "ToolScore",
    "ArgsScore",
    "TaskScore",
}
_MCP = ("MCPUseMetric", "MultiTurnMCPUseMetric", "MCPTaskCompletionMetric")


def item(index: int) -> str:
    """The text of one item."""
    return f"The {('first', 'second', 'third', 'fourth', 'fifth')[index % 5]} point of row {index // 5}."


def evaluate(case: Case) -> Outcome:
    """Measures one case through ``metric.measure``.

    Returns:
        ``score``, ``status`` and ``calls``, how often the judge was asked for verdicts.
    """
    judge = _judge(case)
    metric = _metric(case, judge)
    test_case = _test_case(case)
    if "before" in case:
        judge.script(case["before"])
        _measure(metric, test_case)
        judge.script(case["replies"])
    outcome = _measure(metric, test_case)
    return {**outcome, "calls": judge.asked}


def _measure(metric: Any, test_case: Any) -> dict[str, Any]:
    try:
        metric.measure(test_case, _show_indicator=False)
    except Exception:
        return {"score": None, "status": "ERROR"}
    success = metric.is_successful()
    if metric.error is not None or metric.score is None:
        return {"score": None, "status": "ERROR"}
    score = float(metric.score)
    # A metric without a threshold gates nothing: its tests go green.
    return {"score": score, "status": "FAILED" if success is False else "PASSED"}


def _judge(case: Case) -> Any:
    from deepeval.models import DeepEvalBaseLLM

    count = case.get("items", 3)
    fixed: dict[str, Any] = {
        "Truths": {"truths": ["a truth"]},
        "Answers": {"answers": ["yes", "yes"]},
        "Questions": {"questions": ["one?", "two?"]},
        "Knowledge": {"data": {"Name": "Al"}},
        "TaskAndOutcome": {"task": "t", "outcome": "o"},
        "Task": {"task": "t"},
        "AgentPlan": {"plan": ["p"]},
        "GoalSteps": {"user_goal": "g", "steps_taken": ["s"]},
        "Steps": {"steps": ["s"]},
    }
    if case["metric"] in _EXTRACTED:
        schema, key = _EXTRACTED[case["metric"]]
        fixed[schema] = {key: [item(i) for i in range(count)]}
    own = case.get("extracted")
    if own is not None:
        fixed.update(own)

    class Judge(DeepEvalBaseLLM):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            self.asked = 0
            self._refused: str | None = None
            self.script(case["replies"])
            super().__init__("scripted")

        def script(self, replies: Any) -> None:
            self._replies = list(replies)
            self._places: dict[str, int] = {}
            self._rounds: dict[str, int] = {}
            self._turns: dict[str, int] = {}

        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def get_model_name(self, *args: Any, **kwargs: Any) -> str:
            return "scripted"

        def generate(self, prompt: Any, schema: Any = None, **kwargs: Any) -> Any:
            if schema is not None and case.get("path", "json") == "json":
                self._refused = schema.__name__
                raise TypeError("no schema here")
            name = self._refused if schema is None else schema.__name__
            self._refused = None
            reply = self._reply(str(prompt), name or "")
            if "tap" in case:
                return self._tapped(str(prompt), reply, schema)
            raw = isinstance(reply, Mapping) and set(reply) == {"text"}
            if schema is not None and case.get("path") == "loaded":
                return _loaded(reply["text"] if raw else json.dumps(reply), schema)
            if raw:
                return reply["text"]
            return json.dumps(reply) if schema is None else schema(**reply)

        def _tapped(self, prompt: str, reply: Any, schema: Any) -> Any:
            given = case["tap"](prompt, json.dumps(reply))
            if given.error:
                raise RuntimeError(given.error)
            if given.lost:
                return None
            return given.text if schema is None else schema.model_validate_json(given.text)

        async def a_generate(self, prompt: Any, schema: Any = None, **kwargs: Any) -> Any:
            return self.generate(prompt, schema, **kwargs)

        def _reply(self, prompt: str, name: str) -> Any:
            if name in fixed:
                given = fixed[name]
                if isinstance(given, list):
                    self._turns[name] = nth = self._turns.get(name, -1) + 1
                    given = given[min(nth, len(given) - 1)]
                return given
            if name not in _VERDICTS:
                return {"reason": "scripted"}
            self.asked += 1
            base = name + prompt.partition(AGAIN)[0]
            place = self._places.setdefault(base, len(self._places))
            nth = self._rounds[base] = self._rounds.get(base, -1) + 1
            reply = self._replies[min(place, len(self._replies) - 1)]
            if isinstance(reply, Mapping) and set(reply) == {"rounds"}:
                reply = reply["rounds"][min(nth, len(reply["rounds"]) - 1)]
            return reply

    return Judge()


def _loaded(text: str, schema: Any) -> Any:
    from deepeval.models.llms import utils

    return schema.model_validate(utils.trim_and_load_json(text))


def metric_class(name: str) -> Any:
    """The class of a metric."""
    from importlib import import_module

    return getattr(import_module("deepeval.metrics"), name)


def _metric(case: Case, judge: Any) -> Any:
    cls = metric_class(case["metric"])
    count = case.get("items", 3)
    kwargs: dict[str, Any] = {"model": judge, "async_mode": case.get("mode", "sync") == "async"}
    if case["metric"] not in (
        "GEval",
        "ConversationalGEval",
        "TaskCompletionMetric",
        "StepEfficiencyMetric",
        "PlanAdherenceMetric",
        "PlanQualityMetric",
    ):
        kwargs["include_reason"] = case.get("include_reason", False)
    own: dict[str, dict[str, Any]] = {
        "MisuseMetric": {"domain": "banking"},
        "NonAdviceMetric": {"advice_types": ["medical"]},
        "RoleViolationMetric": {"role": "travel assistant"},
        "PromptAlignmentMetric": {"prompt_instructions": [item(i) for i in range(count)]},
        "SummarizationMetric": {"assessment_questions": ["one?", "two?"]},
    }
    kwargs.update(own.get(case["metric"], {}))
    if case["metric"] == "GEval":
        kwargs.update(
            name="g",
            criteria="c",
            evaluation_steps=["s"],
            evaluation_params=[_params("SingleTurnParams", "LLMTestCaseParams").ACTUAL_OUTPUT],
        )
    if case["metric"] == "ConversationalGEval":
        kwargs.update(
            name="g",
            criteria="c",
            evaluation_steps=["s"],
            evaluation_params=[_params("MultiTurnParams", "TurnParams").CONTENT],
        )
    if case["metric"] in ("ToolUseMetric", "ToolCorrectnessMetric"):
        from deepeval.test_case import ToolCall

        kwargs["available_tools"] = [ToolCall(name="x")]
    if "rubric" in case:
        from deepeval.metrics.g_eval import Rubric

        kwargs["rubric"] = [Rubric(score_range=tuple(span), expected_outcome=str(span)) for span in case["rubric"]]
    kwargs.update(case.get("kwargs", {}))
    return cls(**kwargs)


def _params(*names: str) -> Any:
    import deepeval.test_case as module

    return next(getattr(module, name) for name in names if hasattr(module, name))


def _test_case(case: Case) -> Any:
    from deepeval.test_case import ConversationalTestCase, LLMTestCase, ToolCall, Turn

    count = case.get("items", 3)
    texts = [item(i) for i in range(count)]
    name = case["metric"]
    if (
        name
        in (
            "ConversationCompletenessMetric",
            "KnowledgeRetentionMetric",
            "TurnRelevancyMetric",
            "ConversationalGEval",
            "GoalAccuracyMetric",
            "ToolUseMetric",
            "TranscriptionAccuracyMetric",
            *_MCP[1:],
        )
        or name.startswith("TurnContextual")
        or name == "TurnFaithfulnessMetric"
    ):
        turns = []
        each = ("KnowledgeRetentionMetric", "TurnRelevancyMetric", "TranscriptionAccuracyMetric")
        pairs = count if name in each else case.get("pairs", 1)
        for i in range(pairs):
            turns.append(Turn(role="user", content=f"Question {i}? {item(i)}"))
            extra: dict[str, Any] = {}
            if name.startswith("Turn") and name != "TurnRelevancyMetric":
                extra["retrieval_context"] = texts
            if name == "TranscriptionAccuracyMetric":
                extra["provider_transcript"] = texts[i]
            if name in ("GoalAccuracyMetric", "ToolUseMetric", *_MCP):
                extra["tools_called"] = [ToolCall(name="x")]
            turns.append(Turn(role="assistant", content=f"Answer {i}. {item(i)}", **extra))
            if name in _MCP:  # it is a task from three turns on
                turns.append(Turn(role="assistant", content=f"Done {i}."))
        extra = {}
        if name in ("TurnContextualRecallMetric", "TurnContextualPrecisionMetric", "TurnContextualRelevancyMetric"):
            extra["expected_outcome"] = " ".join(texts)
        return _with_server(ConversationalTestCase(turns=turns, **extra), name)
    fields: dict[str, Any] = {"input": "A question?", "actual_output": "An answer."}
    if name in (
        "FaithfulnessMetric",
        "ContextualPrecisionMetric",
        "ContextualRelevancyMetric",
        "ContextualRecallMetric",
    ):
        fields["retrieval_context"] = texts
    if name in ("ContextualPrecisionMetric", "ContextualRecallMetric"):
        fields["expected_output"] = " ".join(texts)
    if name == "HallucinationMetric":
        fields["context"] = texts
    if name == "ArgumentCorrectnessMetric":
        fields["tools_called"] = [ToolCall(name=f"tool{i}", input_parameters={"at": i}) for i in range(count)]
    if name == "ToolCorrectnessMetric":
        fields["expected_tools"] = [ToolCall(name="x")]
        fields["tools_called"] = [ToolCall(name=called) for called in case.get("called", ["x"])]
    made = _with_server(LLMTestCase(**fields), name)
    if name in ("TaskCompletionMetric", "StepEfficiencyMetric", "PlanAdherenceMetric", "PlanQualityMetric"):
        made._trace_dict = {"name": "agent"}
    return made


def _with_server(made: Any, name: str) -> Any:
    if name in _MCP:
        from deepeval.test_case import MCPServer

        made.mcp_servers = [MCPServer(server_name="s")]  # set here it needs no package `mcp`
    return made
