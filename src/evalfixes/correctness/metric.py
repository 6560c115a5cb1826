"""The metric: everything between an answer with its reference and a result."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from evalfixes.correctness import hint as hints
from evalfixes.correctness import prompt as prompts
from evalfixes.correctness import reply as replies
from evalfixes.correctness import scoring
from evalfixes.correctness.hint import NO_HINT, Hint
from evalfixes.correctness.reference import Reference, is_blank, parse
from evalfixes.correctness.result import Result, Sample, Status
from evalfixes.errors import OptionError

Judge = Callable[[str], "str | Mapping[str, Any] | Awaitable[str | Mapping[str, Any]]"]
"""Takes a prompt and returns a model's reply: its text without thoughts, or its JSON object; sync or async."""

_NUMERIC = ("hint", "decide", "off")


@dataclass(frozen=True)
class Correctness:
    """Judges answers against references.

    Attributes:
        judge: The judge. A call that raises is a failed sample.
        num_samples: How often it is asked about one answer.
        min_samples: How many judgements need a score; 0 for more than half of them.
        empty_answer: ``unscored``, or ``wrong`` to score empty answers and refusals as 0.
        unverified: What verdicts with quotes that are not in the texts do: ``unscored`` (no score if
            they would change it) or ``ignore`` (they are left out and counted).
        numeric: ``hint`` tells the judge what the numbers say and notes where it disagrees;
            ``decide`` lets them decide alone where the reference is one bare value; ``off``.
        prompt: The prompt's template (see `evalfixes.correctness.prompt.check`).
        prompt_version: Its name, reported with each result.
        parallel: How many samples of an async judge are asked for at once.
    """

    judge: Judge
    num_samples: int = 1
    min_samples: int = 0
    empty_answer: str = "unscored"
    unverified: str = "unscored"
    numeric: str = "hint"
    prompt: str = prompts.TEMPLATE
    prompt_version: str = ""
    parallel: int = 4

    def __post_init__(self) -> None:
        for name, value, low in (
            ("num_samples", self.num_samples, 1),
            ("min_samples", self.min_samples, 0),
            ("parallel", self.parallel, 1),
        ):
            if type(value) is not int or value < low:
                raise OptionError(f"correctness: {name}={value!r} is not a whole number from {low} up")
        if self.min_samples > self.num_samples:
            raise OptionError(f"correctness: min_samples={self.min_samples} is more than {self.num_samples} samples")
        for name, word, words in (
            ("empty_answer", self.empty_answer, ("unscored", "wrong")),
            ("unverified", self.unverified, ("unscored", "ignore")),
            ("numeric", self.numeric, _NUMERIC),
        ):
            if word not in words:
                raise OptionError(f"correctness: {name}={word!r} is not one of {', '.join(words)}")
        try:
            prompts.check(self.prompt)
        except ValueError as error:
            raise OptionError(f"correctness: {error}") from None

    def evaluate(
        self,
        answer: str | None,
        reference: Reference | str | Mapping[str, Any] | Iterable[str] | None,
        question: str = "",
        error: str | BaseException | None = None,
    ) -> Result:
        """Judges one answer.

        Args:
            answer: What was answered, thoughts left out.
            reference: What is right (see `evalfixes.correctness.reference.parse`).
            question: What was asked; tells the judge which claims are central.
            error: What went wrong in the run, if it did; its answer is then not judged.

        Returns:
            The result; this works inside a running event loop too.
        """
        made = self._begin(answer, reference, question, error)
        if isinstance(made, Result):
            return made
        samples = []
        for _ in range(self.num_samples):
            try:
                reply = self.judge(made.render())
                if inspect.isawaitable(reply):
                    reply = _wait_for(reply)
            except Exception as failure:  # a failed sample costs itself only
                samples.append(_failed(failure))
            else:
                samples.append(made.read(reply))
        return self._finish(samples, made)

    async def aevaluate(
        self,
        answer: str | None,
        reference: Reference | str | Mapping[str, Any] | Iterable[str] | None,
        question: str = "",
        error: str | BaseException | None = None,
    ) -> Result:
        """Judges one answer; the same as `evaluate` for code that runs in an event loop."""
        made = self._begin(answer, reference, question, error)
        if isinstance(made, Result):
            return made
        turn = asyncio.Semaphore(self.parallel)

        async def one() -> Sample:
            async with turn:
                try:
                    reply = self.judge(made.render())
                    if inspect.isawaitable(reply):
                        reply = await reply
                except Exception as failure:  # as above
                    return _failed(failure)
                return made.read(reply)

        return self._finish(list(await asyncio.gather(*(one() for _ in range(self.num_samples)))), made)

    @property
    def version(self) -> str:
        """The version of the prompt in use."""
        return self.prompt_version or (prompts.VERSION if self.prompt == prompts.TEMPLATE else "custom")

    def _begin(self, answer: Any, reference: Any, question: str, error: Any) -> Result | _Case:
        """What can be said without the judge, or the case to put to it."""
        known = parse(reference)
        if answer is not None and not isinstance(answer, str):
            answer = str(answer)
        if error is not None and error != "":
            return self._unjudged(Status.RUN_ERROR, None, f"the run failed: {error}")
        if known.blank:
            return self._unjudged(Status.NO_REFERENCE, None, "there is no reference, or a blank one")
        if is_blank(answer):
            score = 0.0 if self.empty_answer == "wrong" else None
            return self._unjudged(Status.EMPTY_ANSWER, score, "the answer is empty")
        hint = NO_HINT if self.numeric == "off" else hints.compare(answer, known, question)
        if self.numeric == "decide" and hint.bare and hint.outcome != "abstains":
            score = 1.0 if hint.outcome == "agrees" else 0.0
            return Result(Status.SCORED, score, hint.detail, low=score, high=score, hint=hint, prompt="numeric")
        return _Case(self, answer, known, question, hint)

    def _unjudged(self, status: Status, score: float | None, reason: str) -> Result:
        return Result(status, score, reason, low=score, high=score, prompt=self.version)

    def _finish(self, samples: list[Sample], case: _Case) -> Result:
        minimum = self.min_samples or self.num_samples // 2 + 1
        return scoring.combine(samples, minimum, case.hint, self.version)


@dataclass(frozen=True)
class _Case:
    """One answer that is put to the judge."""

    metric: Correctness
    answer: str
    reference: Reference
    question: str
    hint: Hint

    def render(self) -> str:
        """A prompt, with fences of its own each time."""
        texts = {"question": self.question, "reference": self.reference.text, "answer": self.answer}
        return prompts.render(self.metric.prompt, texts, self.hint.remark)

    def read(self, reply: Any) -> Sample:
        """What a reply says."""
        text = reply if isinstance(reply, str) else repr(reply)
        try:
            claims = replies.read(reply, self.answer, self.reference, [self.question])
        except replies.UnreadableError as error:
            return Sample(Status.UNREADABLE, None, (), str(error), text)
        return scoring.sample(
            claims,
            text,
            cast(scoring.EmptyAnswer, self.metric.empty_answer),
            cast(scoring.Unverified, self.metric.unverified),
        )


def _failed(failure: Exception) -> Sample:
    return Sample(Status.UNREADABLE, None, (), f"the judge failed: {type(failure).__name__}: {failure}")


def _wait_for(reply: Awaitable[Any]) -> Any:
    """Runs an awaitable to its end, also where an event loop is running in this thread."""

    async def ended() -> Any:
        return await reply

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(ended())
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((True, asyncio.run(ended())))
        except BaseException as error:
            outcome.append((False, error))

    thread = threading.Thread(target=run, name="evalfixes-judge")
    thread.start()
    thread.join()
    worked, value = outcome[0]
    if not worked:
        raise value
    return value
