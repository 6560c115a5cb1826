"""Measures the numeric hint against people's labels: `python -m tests.correctness.human_labels`."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evalfixes.correctness.hint import compare, is_bare
from evalfixes.correctness.reference import Reference
from evalfixes.correctness.values import find

ANSWERERS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")


@dataclass(frozen=True)
class Figures:
    """How often the hint is right.

    Attributes:
        answers: Judged answers whose references are bare values.
        agrees: How many the hint agrees with.
        agrees_right: For what share of them people do.
        contradicts: How many it contradicts.
        contradicts_right: What share of them people call wrong.
        abstains: The share on which it says nothing.
    """

    answers: int
    agrees: int
    agrees_right: float
    contradicts: int
    contradicts_right: float
    abstains: float


def numeric(variants: list[str]) -> Reference | None:
    """The reference, if each of its variants is one bare value: the numeric subset."""
    texts = [text for text in variants if text.strip()]
    if not texts or not all(is_bare(text, find(text)) for text in texts):
        return None
    return Reference(texts[0], tuple(texts[1:]))


def evouna(folder: Path, half: str) -> Iterator[tuple[str, Reference, str, bool]]:
    """Question, reference, answer and label; ``tune`` are the questions with even index, ``test`` the others."""
    for name in ("NQ.json", "TQ.json"):
        rows = json.loads((folder / name).read_text(encoding="utf-8"))
        for index, row in enumerate(rows):
            if not row["golden_answer"] or row.get("improper") or (index % 2 == 0) != (half == "tune"):
                continue
            reference = numeric(row["golden_answer"].split("/"))
            if reference is None:
                continue
            for name in ANSWERERS:
                if row[f"judge_{name}"] is not None and row[f"answer_{name}"]:
                    yield row["question"], reference, row[f"answer_{name}"], row[f"judge_{name}"]


def nq301(folder: Path) -> Iterator[tuple[str, Reference, str, bool]]:
    """The same of NQ301, all of it: nothing was tuned on it."""
    with (folder / "NQ301_BEM.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            reference = numeric((row["Gold answers"] or "").split("|"))
            if reference is not None and row["Acceptable?"] in ("Yes", "No") and row["Model answer"]:
                yield row["Question"], reference, row["Model answer"], row["Acceptable?"] == "Yes"


def measure(rows: Iterator[tuple[str, Reference, str, bool]]) -> Figures:
    """Compares the hint with the labels."""
    seen: Counter[tuple[str, bool]] = Counter()
    for question, reference, answer, right in rows:
        seen[compare(answer, reference, question).outcome, right] += 1
    agrees = seen["agrees", True] + seen["agrees", False]
    contradicts = seen["contradicts", True] + seen["contradicts", False]
    total = sum(seen.values())
    return Figures(
        answers=total,
        agrees=agrees,
        agrees_right=seen["agrees", True] / max(agrees, 1),
        contradicts=contradicts,
        contradicts_right=seen["contradicts", False] / max(contradicts, 1),
        abstains=1 - (agrees + contradicts) / max(total, 1),
    )


if __name__ == "__main__":
    from tests.shared import data

    for half in ("tune", "test"):
        print("EVOUNA", half, measure(evouna(data("evouna"), half)))
    print("NQ301", measure(nq301(data("nq301"))))
