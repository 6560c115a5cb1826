"""What is recorded of an evaluation: its replies with their shapes, and what they made of the case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from evalfixes.fixes.google_adk._harness import split
from tests.realjudge import shapes
from tests.realjudge.cases import CASES, RUBRICS, Case
from tests.realjudge.judge import RECORDINGS, rows

BY_ID: Mapping[str, Case] = {case.id: case for case in CASES}
STEPS = {
    "segment": "segments",
    "validate": "labels",
    "match": "verdict",
    "rubric": "verdicts",
    "claims of correctness": "claims",
    "violations": "violations",
    "verdicts": "verdicts",
    "truths": "truths",
    "claims": "claims",
    "score": "score",
}
"""What a metric asks its judge for, by the kind of the prompt."""


@dataclass(frozen=True)
class Reply:
    """A recorded reply.

    Attributes:
        step: What was asked for, a value of `STEPS`.
        text: The reply.
        shape: One of `shapes.SHAPES`.
        merged: Whether it gives one label to several sentences together.
    """

    step: str
    text: str
    shape: str
    merged: bool = False


@dataclass(frozen=True)
class Evaluation:
    """A metric on a case, before and after.

    Attributes:
        model: The judge.
        metric: The metric.
        case: The case.
        outcomes: Score, status and prompts by side.
    """

    model: str
    metric: str
    case: Case
    outcomes: Mapping[str, Mapping[str, Any]]

    def passed(self, side: str) -> bool:
        """Whether it passed on a side."""
        return bool(self.outcomes[side]["status"] == "PASSED")

    def unscored(self, side: str) -> bool:
        """Whether it has no score on a side."""
        return self.outcomes[side]["score"] is None

    def calls(self, side: str) -> int:
        """How often the judge was asked."""
        return len(self.outcomes[side]["asked"])

    def replies(self, side: str = "upstream") -> list[Reply]:
        """The replies of a side, in order."""
        recorded = _recorded(self.model)
        found: list[Reply] = []
        asked: Sequence[str] = split(self.case.answer)
        items = 2
        for name in self.outcomes[side]["asked"]:
            row = recorded.get((self.metric.replace(" ", "_"), self.case.id, name))
            if row is None:
                continue  # the segments that were given
            text, kind = row["reply"], row["kind"]
            merged = kind == "validate" and shapes.merged(text, asked)
            found.append(Reply(STEPS.get(kind, kind), text, _shape(kind, text, self.case, asked, items), merged))
            if kind == "segment":
                asked = shapes.segmented(text)
            if kind in ("violations", "claims"):
                table = shapes.table_of(text)
                listed = table.get({"violations": "role_violations"}.get(kind, kind)) if table else None
                items = len(listed) if isinstance(listed, list) else 0
        return found

    @property
    def evidence(self) -> bool:
        """Whether the judge gave all that was asked for, in a form that can be read."""
        replies = self.replies()
        return bool(replies) and all(reply.shape in shapes.USABLE for reply in replies)


def _shape(kind: str, text: str, case: Case, asked: Sequence[str], items: int) -> str:
    if kind == "segment":
        return shapes.segments(text, case.answer)
    if kind == "validate":
        return shapes.labels(text, asked)
    if kind == "match":
        return shapes.match(text)
    if kind == "rubric":
        return shapes.rubric(text, RUBRICS)
    if kind == "claims of correctness":
        return shapes.correctness(text, case.answer, case.note, case.question)
    if kind == "verdicts":
        return shapes.verdicts(text, items)
    if kind == "score":
        return shapes.score(text)
    return shapes.texts(text, {"violations": "role_violations"}.get(kind, kind))


@cache
def _recorded(model: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {
        (row["metric"], row["case"], f"{row['prompt']}/{row['n']}"): row for row in rows(RECORDINGS / f"{model}.jsonl")
    }


def evaluations(model: str) -> list[Evaluation]:
    """All that is recorded of a model."""
    found = []
    for row in rows(RECORDINGS / f"{model}-outcomes.jsonl"):
        sides = {name: value for name, value in row.items() if isinstance(value, dict)}
        found.append(Evaluation(model, row["metric"], BY_ID[row["case"]], sides))
    return found


def facts(model: str) -> dict[str, Any]:
    """When and with which releases a model was last asked."""
    path = RECORDINGS / f"{model}-run.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
