"""Scripted judges and replies for the tests of correctness_v1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def claim(
    verdict: str = "supported",
    answer_quote: str = "Paris",
    reference_quote: str = "Paris",
    central: Any = True,
    text: str = "",
) -> dict[str, Any]:
    """One claim of a well-formed reply."""
    return {
        "claim": text or f"{verdict}: {answer_quote} / {reference_quote}",
        "verdict": verdict,
        "central": central,
        "answer_quote": answer_quote,
        "reference_quote": reference_quote,
    }


def reply(*claims: dict[str, Any]) -> str:
    """A well-formed reply."""
    return json.dumps({"claims": list(claims)})


class Script:
    """A judge that gives its replies one by one, the last again and again; exceptions are raised."""

    def __init__(self, *replies: Any) -> None:
        self.replies = replies
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> Any:
        self.prompts.append(prompt)
        given = self.replies[min(len(self.prompts), len(self.replies)) - 1]
        if isinstance(given, Exception):
            raise given
        return given


def async_of(script: Script) -> Any:
    """The same judge as a coroutine function."""

    async def judge(prompt: str) -> Any:
        return script(prompt)

    return judge


SUPPORTED = claim()
MINOR = claim("contradicted", "1998", "1989", central=False)
WRONG = claim("contradicted", "Lyon", "Paris")
EXTRA = claim("not_in_reference", "nice", "", central=False)
TRUE_DETAIL = claim("supported", "France", "France", central=False)
GHOST = claim("contradicted", "Marseille", "Paris")

ANSWER = "It is Paris, or Lyon, in France, opened 1998, and nice."
REFERENCE = "Paris in France, opened 1989"


def texts(claims: Sequence[dict[str, Any]]) -> str:
    """A reply of these claims."""
    return reply(*claims)
