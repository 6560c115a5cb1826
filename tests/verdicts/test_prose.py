"""Verdicts in prose: by example, and 8,452 replies of real judges."""

import csv
from collections import Counter

import pytest

from evalfixes.verdicts.prose import Reading, read
from tests.shared import data

CUE = "Answer based on explanation:"
ASKED = "Is the candidate correct?"


@pytest.mark.parametrize(
    ("reply", "verdict", "conflict"),
    [
        ("Yes, the candidate is correct.", "yes", False),
        ("No, the candidate is not correct. It was 1969.", "no", False),
        (f"{ASKED}\nExplanation: it fits. {CUE} Yes.", "yes", False),
        (f"{ASKED}\nExplanation: no. {CUE} no.\n\nQuestion: what else?\n{ASKED} {CUE} yes.", "no", False),
        (f"A draft: {CUE} yes.\nBetter: {CUE} no.", None, True),
        (f"Explanation: the candidate is incorrect. {CUE} yes.", "yes", True),
        (f"cut off {CUE}", None, False),
        ("The candidate is partially correct.", None, False),
        ("No doubt the candidate is correct.", None, False),
        ("", None, False),
    ],
)
def test_replies(reply, verdict, conflict):
    assert read(reply, CUE, ASKED) == Reading(verdict, conflict)


# Where this reading differs from that of the data's authors, looked at by eye: they took the verdict
# of a question that the judge invented (8), or missed one inside quotes (2).
DIFFERENT = 10


def test_vicuna():
    seen = Counter()
    for path in sorted(data("judge_replies").glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                found = read(row["Response"] or "", CUE, ASKED)
                seen["replies"] += 1
                seen["conflicts"] += found.conflict
                if found.verdict is None:
                    seen["not plain"] += 1
                    # No plain verdict is never a "yes" to the authors either.
                    assert row["vicuna"] == "0"
                elif (found.verdict == "yes") != (row["vicuna"] == "1"):
                    seen["different"] += 1
    assert seen == {"replies": 5472, "conflicts": 7, "not plain": 178, "different": DIFFERENT}


@pytest.mark.parametrize(("name", "not_plain"), [("gpt-4", 10), ("text-davinci-003", 0)])
def test_openai(name, not_plain):
    with data("nq301", f"NQ301_{name}.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))[1:]
    readings = [(read(row[-1], CUE, ASKED).verdict, row[-1]) for row in rows]
    assert len(readings) == 1490
    assert sum(verdict is None for verdict, _ in readings) == not_plain
    for verdict, text in readings:
        plain = text.strip().lower()
        assert verdict is None or plain.startswith(verdict), text
