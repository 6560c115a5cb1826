"""The judges of an audit: one that answers by the prompt's shape, one from recordings, one that records."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalfixes.errors import EvalfixesError
from evalfixes.testing.reply import Reply

Ask = Callable[[str], str]
"""A judge as a metric sees it: a prompt in, the text of the answer out. It may raise."""


class RecordingError(EvalfixesError, ValueError):
    """A file of recordings that cannot be read.

    Attributes:
        path: The file.
    """

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        self.path = os.fspath(path)
        super().__init__(f"{self.path}: {reason}")


class JudgeFailedError(RuntimeError):
    """What a call of the audit's judge raises where the operator is that it fails."""


@dataclass(frozen=True)
class Exchange:
    """One call of a judge.

    Attributes:
        prompt: What the metric asked.
        reply: What came back.
    """

    prompt: str
    reply: Reply


class Tap:
    """Stands between a judge and a metric: keeps what is said, and puts mutants in the place of replies.

    Args:
        change: Replies to put in place, by the number of the call, from 0 on.
        known: The exchanges of the unmutated run: a prompt that was asked there gets the replies that it got
            there, in their order and then the last one, so that a metric that asks again, or asks less,
            hears the same judge.

    Attributes:
        exchanges: The calls so far, with the replies as the metric got them.
    """

    def __init__(self, change: Mapping[int, Reply] | None = None, known: Iterable[Exchange] = ()) -> None:
        self.exchanges: list[Exchange] = []
        self._change = dict(change or {})
        self._known: dict[str, list[Reply]] = {}
        for exchange in known:
            self._known.setdefault(exchange.prompt, []).append(exchange.reply)

    def __call__(self, prompt: str, reply: Reply | str) -> Reply:
        """The reply that the metric gets."""
        honest = Reply(reply) if isinstance(reply, str) else reply
        replies = self._known.get(prompt)
        if replies:
            honest = replies.pop(0) if len(replies) > 1 else replies[0]
        given = self._change.get(len(self.exchanges), honest)
        self.exchanges.append(Exchange(prompt, given))
        return given

    def judge(self, answer: Callable[..., str]) -> Callable[..., str]:
        """A judge as a function of a prompt.

        Args:
            answer: The honest judge.

        Returns:
            A function that answers like it, but for the mutants. A call that fails or brings nothing
            back raises `JudgeFailedError`; a thought stands in a ``<think>`` block before the answer.
        """

        def ask(prompt: str, *args: Any, **kwargs: Any) -> str:
            given = self(str(prompt), answer(prompt, *args, **kwargs))
            if given.error or given.lost:
                raise JudgeFailedError(given.error or "no response")
            return f"<think>\n{given.thought}</think>\n{given.text}" if given.thought else given.text

        return ask


def recordings(path: str | os.PathLike[str]) -> list[Exchange]:
    """Reads recordings: one JSON object a line, with ``prompt`` and ``reply``.

    Args:
        path: The file; blank lines are passed over.

    Raises:
        RecordingError: It cannot be read, holds no recording, or a line is not one.
    """
    try:
        rows = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(path, f"cannot be read: {error}") from error
    found = []
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            table = json.loads(row)
        except ValueError as error:
            raise RecordingError(path, f"line {number} is no JSON: {error}") from error
        if not isinstance(table, dict) or not all(isinstance(table.get(key), str) for key in ("prompt", "reply")):
            raise RecordingError(path, f'line {number} needs "prompt" and "reply", both strings')
        found.append(Exchange(table["prompt"], Reply(table["reply"])))
    if not found:
        raise RecordingError(path, "holds no recording")
    return found


def recorder(ask: Ask, path: str | os.PathLike[str]) -> Ask:
    """A judge that answers like `ask` and appends each call to a file, for `recordings`.

    Args:
        ask: A real judge. What it raises passes through and is not recorded.
        path: A file of JSON lines; made if it is not there, and written after each call.
    """

    def recording(prompt: str) -> str:
        reply = ask(prompt)
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"prompt": prompt, "reply": reply}, ensure_ascii=False) + "\n")
        return reply

    return recording


class Replay:
    """Answers from recordings.

    A prompt that was recorded gets its replies in their order, the last one again and again. Any other
    gets those of the recorded prompt that it shares most of its beginning and end with: what a metric
    asks second may hold what it was answered first.
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._replies: dict[str, list[str]] = {}
        for exchange in exchanges:
            self._replies.setdefault(exchange.prompt, []).append(exchange.reply.text)
        self._used: dict[str, int] = {}

    def __call__(self, prompt: str, *_ignored: Any, **__ignored: Any) -> str:
        """The next reply to a prompt."""
        known = prompt if prompt in self._replies else max(self._replies, key=lambda other: _shared(prompt, other))
        count = self._used.get(known, 0)
        self._used[known] = count + 1
        replies = self._replies[known]
        return replies[min(count, len(replies) - 1)]


def _shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginnings and ends."""
    front = _front(one, other)
    rest = min(len(one), len(other)) - front
    return front + min(_front(one[::-1], other[::-1]), rest)


def _front(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
