"""Judge-backed metrics of libraries that evalfixes does not repair, each run with a scripted judge.

Every target is a function that takes a tap of `evalfixes.testing` and a mood, and gives a score and whether it passes.
A score without a threshold of its own passes from 0.5 on.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from evalfixes.testing import MOODS, Answers, Scripted, Tap
from evalfixes.testing.targets import Target

PASSES = 0.5
QUESTION = "What is known of Paris?"
ANSWER = "Paris is the capital of France. Paris lies on the Seine."
REFERENCE = "Paris is the capital of France. It is on the Seine."
CONTEXTS = ["Paris is the capital of France.", "Paris lies on the river Seine."]

Metric = Callable[[Tap, str], Any]


def target(name: str, dist: str, run: Metric) -> Target:
    """One metric in all moods."""
    return Target(name, tuple(Answers(mood, partial(_call, run, mood)) for mood in MOODS), dist)


def _call(run: Metric, mood: str, tap: Tap) -> Any:
    score = run(tap, mood)
    return (None, False) if score is None else (float(score), float(score) >= PASSES)


class Client:
    """OpenAI's client, whose endpoint for chat is answered here, without a socket."""

    def __init__(self, judge: Callable[..., str]) -> None:
        import httpx
        import openai

        def handle(request: Any) -> Any:
            asked = json.loads(request.content)
            prompt = "\n".join(_text(message.get("content")) for message in asked["messages"])
            schema = _schema_of(asked)
            text = judge(prompt, schema)
            message: dict[str, Any] = {"role": "assistant", "content": text}
            if asked.get("tools"):
                name = asked["tools"][0]["function"]["name"]
                call = {"id": "c", "type": "function", "function": {"name": name, "arguments": text}}
                message = {"role": "assistant", "content": None, "tool_calls": [call]}
            body = {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted"}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            return httpx.Response(200, json={**body, "choices": [choice], "usage": usage})

        transport = httpx.MockTransport(handle)
        self.sync = openai.OpenAI(api_key="none", max_retries=0, http_client=httpx.Client(transport=transport))


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def _schema_of(asked: dict[str, Any]) -> Any:
    if asked.get("tools"):
        return asked["tools"][0]["function"]["parameters"]
    shape = asked.get("response_format") or {}
    return shape.get("json_schema", {}).get("schema")


def openevals() -> Iterator[Target]:
    """openevals: one judge with a boolean, a number or a choice of numbers, and the judge of trajectories."""
    from openevals.llm import create_llm_as_judge
    from openevals.prompts import CONCISENESS_PROMPT, CORRECTNESS_PROMPT

    def run(tap: Tap, mood: str, options: dict[str, Any]) -> Any:
        judge = create_llm_as_judge(judge=Client(tap.judge(Scripted(mood))).sync, model="gpt-4o", **options)
        given: dict[str, Any] = {"inputs": QUESTION, "outputs": ANSWER}
        if "reference_outputs" in options["prompt"]:
            given["reference_outputs"] = REFERENCE
        found = judge(**given)
        score = found["score"] if isinstance(found, dict) else found[0]["score"]
        return None if isinstance(score, str) else score  # a word is no score, whatever is made of it later

    for name, options in {
        "correctness": {"prompt": CORRECTNESS_PROMPT},
        "conciseness": {"prompt": CONCISENESS_PROMPT},
        "correctness, continuous": {"prompt": CORRECTNESS_PROMPT, "continuous": True},
        "correctness, choices": {"prompt": CORRECTNESS_PROMPT, "choices": [0.0, 0.5, 1.0]},
    }.items():
        yield target(name, "openevals", partial(run, options=options))


def autoevals() -> Iterator[Target]:
    """autoevals: classifiers with a choice, and its versions of the metrics of ragas."""
    import autoevals.llm as classifiers
    import autoevals.ragas as lists

    given = {"input": QUESTION, "output": ANSWER, "expected": REFERENCE}
    extra = {"ClosedQA": {"criteria": "Is it true?"}, "Battle": {"instructions": QUESTION}}

    def run(tap: Tap, mood: str, cls: Any, more: dict[str, Any]) -> Any:
        metric = cls(client=Client(tap.judge(Scripted(mood))).sync, model="gpt-4o")
        found = metric.eval(**given, **more)
        if getattr(found, "error", None):
            raise ValueError(str(found.error))
        return found.score

    for name in ("Battle", "ClosedQA", "Factuality", "Humor", "Possible", "Security", "Sql", "Summary", "Translation"):
        more: dict[str, Any] = extra.get(name, {})
        if name == "Translation":
            more = {"language": "French"}
        yield target(name, "autoevals", partial(run, cls=getattr(classifiers, name), more=more))
    for name in ("ContextPrecision", "ContextRecall", "ContextRelevancy", "Faithfulness"):
        more = {"context": "\n".join(CONTEXTS)}
        yield target(name, "autoevals", partial(run, cls=getattr(lists, name), more=more))


def ragas() -> Iterator[Target]:
    """ragas: the metrics that need a judge alone (no embeddings, no images)."""
    # It imports a module that langchain-community has dropped.
    gone = "langchain_community.chat_models.vertexai"
    if gone not in sys.modules:
        sys.modules[gone] = types.ModuleType(gone)
        sys.modules[gone].ChatVertexAI = type("ChatVertexAI", (), {})  # type: ignore[attr-defined]
    import ragas.metrics as metrics
    from ragas.dataset_schema import SingleTurnSample

    made: dict[str, Callable[[], Any]] = {
        "AnswerAccuracy": metrics.AnswerAccuracy,
        "AspectCritic": lambda: metrics.AspectCritic(name="true", definition="Is it true?"),
        "ContextEntityRecall": metrics.ContextEntityRecall,
        "ContextRelevance": metrics.ContextRelevance,
        "FactualCorrectness": metrics.FactualCorrectness,
        "Faithfulness": metrics.Faithfulness,
        "LLMContextPrecisionWithReference": metrics.LLMContextPrecisionWithReference,
        "LLMContextRecall": metrics.LLMContextRecall,
        "ResponseGroundedness": metrics.ResponseGroundedness,
        "SimpleCriteriaScore": lambda: metrics.SimpleCriteriaScore(name="true", definition="Score 0 to 5: true?"),
    }

    def run(tap: Tap, mood: str, make: Callable[[], Any], name: str) -> Any:
        metric = make()
        numbers = {"AnswerAccuracy": "40", "ContextRelevance": "20", "ResponseGroundedness": "20"}
        honest = Numbers(numbers[name], mood) if name in numbers else Scripted(mood)
        metric.llm = _ragas_judge(tap.judge(honest))
        sample = SingleTurnSample(
            user_input=QUESTION,
            response=ANSWER,
            reference=REFERENCE,
            retrieved_contexts=CONTEXTS,
            reference_contexts=CONTEXTS,
        )
        return asyncio.run(metric.single_turn_ascore(sample))

    for name, make in made.items():
        yield target(name, "ragas", partial(run, make=make, name=name))


class Numbers:
    """Answers with a single digit: the top of a scale, its bottom, or one and the other by the prompt's turn."""

    def __init__(self, ends: str, mood: str) -> None:
        self._said = {"good": ends[0], "bad": ends[1], "mixed": ends[::-1], "mixed-late": ends}[mood]
        self._count = 0

    def __call__(self, prompt: str, schema: Any = None) -> str:
        """The next answer."""
        self._count += 1
        return self._said[(self._count - 1) % len(self._said)]


_SCHEMA = re.compile(r"JSON Schema:\n(\{.*?\})\s*\n?Do not use", re.DOTALL)


def _ragas_judge(judge: Callable[..., str]) -> Any:
    from langchain_core.outputs import Generation, LLMResult
    from ragas.llms.base import BaseRagasLLM

    class Judge(BaseRagasLLM):
        def generate_text(self, prompt: Any, *args: Any, **kwargs: Any) -> Any:
            text = prompt.to_string()
            found = _SCHEMA.search(text)
            return LLMResult(generations=[[Generation(text=judge(text, json.loads(found[1]) if found else None))]])

        async def agenerate_text(self, prompt: Any, *args: Any, **kwargs: Any) -> Any:
            return self.generate_text(prompt)

        def is_finished(self, response: Any) -> bool:
            return True

    return Judge()


class _Letters:
    name = "letters"

    def encode(self, text: str, **_ignored: Any) -> list[int]:
        return [ord(letter) for letter in text]

    encode_ordinary = encode


def inspect_ai() -> Iterator[Target]:
    """inspect_ai: the two model-graded scorers, with one grader and with three that vote."""
    import inspect_ai.scorer as scorers
    import tiktoken
    from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
    from inspect_ai.solver import TaskState

    # It counts tokens, with tables that it would download.
    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_args: _Letters()  # type: ignore[assignment]

    def run(tap: Tap, mood: str, make: Any, graders: int) -> Any:
        letters = {"good": "C", "bad": "I", "mixed": "IIC", "mixed-late": "CII"}[mood]
        count = iter(range(10**6))
        judge = tap.judge(lambda prompt: f"Because of that.\n\nGRADE: {letters[next(count) % len(letters)]}")

        def answer(messages: Any, *_args: Any) -> Any:
            return ModelOutput.from_content("mockllm/model", judge("\n".join(m.text for m in messages)))

        models = [get_model("mockllm/model", custom_outputs=answer, memoize=False) for _ in range(graders)]
        scorer = make(model=models if graders > 1 else models[0])
        state = TaskState(
            model="mockllm/model",
            sample_id=1,
            epoch=1,
            input=QUESTION,
            messages=[ChatMessageUser(content=QUESTION)],
            output=ModelOutput.from_content("mockllm/model", ANSWER),
        )
        score = asyncio.run(scorer(state, scorers.Target(REFERENCE)))
        return None if score is None else {"C": 1.0, "I": 0.0}.get(str(score.value))

    for name in ("model_graded_fact", "model_graded_qa"):
        yield target(name, "inspect-ai", partial(run, make=getattr(scorers, name), graders=1))
    yield target("model_graded_qa, three graders", "inspect-ai", partial(run, make=scorers.model_graded_qa, graders=3))


LIBRARIES = {"openevals": openevals, "autoevals": autoevals, "ragas": ragas, "inspect-ai": inspect_ai}
