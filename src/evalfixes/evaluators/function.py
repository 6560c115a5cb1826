"""correctness_v1 as a plain function ``(inputs, outputs, reference_outputs)``."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from evalfixes.correctness import Correctness, Judge, Result

Feedback = dict[str, Any]
"""``key``, ``score`` (None if unscored), ``comment`` and ``metadata``."""

_ANSWERS = ("answer", "output", "outputs", "response", "result", "text", "content", "final_response", "completion")
_QUESTIONS = ("question", "input", "inputs", "query", "prompt", "text", "content")
_REFERENCES = ("reference", "expected", "expected_output", "ground_truth", "reference_output", *_ANSWERS)
_BLOCKS = {"acceptable_variants", "acceptable_answers", "variants", "contradictions"}


def correctness(judge: Judge, *, key: str = "correctness_v1", **options: Any) -> Callable[..., Feedback]:
    """Makes an evaluator.

    Args:
        judge: Takes a prompt and returns the model's text.
        key: The name under which the score is reported.
        **options: Further fields of `evalfixes.correctness.Correctness`.

    Returns:
        A function of ``inputs``, ``outputs`` and ``reference_outputs``. Each may be text, a mapping
        with one text or a well-known key (``answer``, ``output``, ``question`` ...), or messages, of
        which the last one counts. ``outputs={"error": ...}`` is a run that errored.
    """
    metric = Correctness(judge, **options)

    def evaluator(inputs: Any = None, outputs: Any = None, reference_outputs: Any = None, **_ignored: Any) -> Feedback:
        return _feedback(key, metric.evaluate(**_arguments(inputs, outputs, reference_outputs)))

    evaluator.__name__ = key
    return evaluator


def acorrectness(judge: Judge, *, key: str = "correctness_v1", **options: Any) -> Callable[..., Awaitable[Feedback]]:
    """Makes an async evaluator; see `correctness`."""
    metric = Correctness(judge, **options)

    async def evaluator(
        inputs: Any = None, outputs: Any = None, reference_outputs: Any = None, **_ignored: Any
    ) -> Feedback:
        return _feedback(key, await metric.aevaluate(**_arguments(inputs, outputs, reference_outputs)))

    evaluator.__name__ = key
    return evaluator


def _arguments(inputs: Any, outputs: Any, reference_outputs: Any) -> dict[str, Any]:
    error = outputs.get("error") if isinstance(outputs, Mapping) else None
    return {
        "answer": text_of(outputs, _ANSWERS),
        "reference": _reference(reference_outputs),
        "question": text_of(inputs, _QUESTIONS) or "",
        "error": error or None,
    }


def _reference(value: Any) -> Any:
    """A reference as `evalfixes.correctness.reference.parse` takes it."""
    if isinstance(value, Mapping):
        names = {str(name).strip().lower().replace(" ", "_") for name in value}
        if "answer" in names and names <= {"answer", *_BLOCKS}:
            return value
        inner = next((value[name] for name in _REFERENCES if name in value), None)
        if isinstance(inner, Mapping) and "answer" in inner:
            return inner
        if isinstance(inner, (list, tuple)) and all(isinstance(item, str) for item in inner):
            return inner
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return value
    return text_of(value, _REFERENCES)


def text_of(value: Any, names: tuple[str, ...]) -> str | None:
    """The text inside what a harness passes around; None if there is none."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for name in names:
            if name in value:
                return text_of(value[name], names)
        if "messages" in value:
            return text_of(value["messages"], names)
        if len(value) == 1:
            return text_of(next(iter(value.values())), names)
        return json.dumps(value, ensure_ascii=False, default=str) if value else None
    if isinstance(value, (list, tuple)):
        return text_of(value[-1], names) if value else None
    content = getattr(value, "content", None)
    return content if isinstance(content, str) else str(value)


def _feedback(key: str, result: Result) -> Feedback:
    return {
        "key": key,
        "score": result.score,
        "comment": f"{result.status}: {result.reason}",
        "metadata": result.as_dict(),
    }
