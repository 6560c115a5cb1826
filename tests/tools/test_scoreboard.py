"""The scoreboard's page and picture, from a table as it is measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evalfixes.testing import audit_callable
from evalfixes.testing.report import document
from tests.testing.toys import lenient, strict

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from scoreboard import page


def row(metric: str, run: Any, dist: str = "toyeval") -> dict[str, Any]:
    return {**document(audit_callable(run)), "dist": dist, "metric": metric, "release": "1.0"}


@pytest.fixture(scope="module")
def table() -> dict[str, list[dict[str, Any]]]:
    bare = [row("Toy", lenient), row("Strict", strict), row("A <b>", lenient, "other")]
    return {"bare": bare, "applied": [row("Toy", strict), row("Strict", strict)]}


def test_the_page_counts_what_was_found(table: dict[str, list[dict[str, Any]]]) -> None:
    text = page.markdown(table)
    line = next(line for line in text.splitlines() if line.startswith("| `Toy` | "))
    counts = table["bare"][0]["counts"]
    assert f"| {sum(counts.values())} | {counts['greener']} (" in line
    assert line.split(" | ")[4] == "0"
    assert "## toyeval 1.0" in text
    assert "Nothing: no mutant is greener." in text
    assert "## Found in the other libraries" in text


def test_every_row_of_a_table_has_its_cells(table: dict[str, list[dict[str, Any]]]) -> None:
    wide = 0
    for line in page.markdown(table).splitlines():
        count = line.count("|") - line.count("\\|")
        if line.startswith("| ---"):
            wide = count
        elif line.startswith("|") and wide:
            assert count == wide, line
        elif not line.startswith("|"):
            wide = 0


def test_the_picture_is_xml(table: dict[str, list[dict[str, Any]]]) -> None:
    root = ET.fromstring(page.picture(table))
    texts = [element.text for element in root.iter() if element.tag.endswith("}text")]
    assert {"Toy", "Strict", "A <b>", "toyeval 1.0"} <= set(texts)


def test_what_the_catalogue_covers() -> None:
    def one(metric: str, operator: str, reply: str) -> dict[str, int]:
        example = {"kind": "greener", "operator": operator, "reply": reply}
        rows = [{"operator": operator, "greener": 2}]
        return page.covered_greener(
            {"dist": "deepeval", "metric": metric, "operators": rows, "counterexamples": [example]}
        )

    verdicts = '{"verdicts": [{"verdict": "no"}]}'
    assert one("FaithfulnessMetric", "drop-item", verdicts) == {"drop-item": 2}
    assert one("FaithfulnessMetric", "wrong-type", '{"claims": ["a"]}') == {"wrong-type": 2}
    assert one("FaithfulnessMetric", "empty-asked", '{"claims": ["a"]}') == {}
    assert one("KnowledgeRetentionMetric", "wrong-type", '{"data": {"Name": "Al"}}') == {}
    assert one("ContextualRecallMetric", "drop-item", verdicts) == {}
    assert one("ContextualRecallMetric", "bold", verdicts) == {"bold": 2}
    assert one("ToolCorrectnessMetric", "out-of-range", '{"score": 0}') == {"out-of-range": 2}
    assert one("RoleAdherenceMetric", "out-of-range", '{"score": 0}') == {}
    assert one("RoleAdherenceMetric", "contradict-key", '{"score": 0}') == {"contradict-key": 2}
