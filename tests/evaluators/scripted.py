"""A judge that is named by its path: says of an answer whether the reference stands in it."""

from __future__ import annotations

import re

from tests.correctness.judges import claim, reply


def ask(prompt: str) -> str:
    answer, reference = (
        re.search(rf"<<<BEGIN {name} \w+>>>\n(.*?)\n<<<END", prompt, re.DOTALL).group(1)  # type: ignore[union-attr]
        for name in ("ANSWER", "REFERENCE")
    )
    print("judges may print")
    return reply(claim("supported" if reference in answer else "contradicted", answer, reference))
