"""The generated pages and the atlas."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from evalfixes import catalog, generate, pages
from evalfixes.facts import upstream

FIXES = {fix.id: fix for fix in catalog.fixes()}


def test_every_fix_has_a_row_that_covers_every_release_once() -> None:
    root = ET.fromstring(pages.atlas(FIXES))
    shown = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for fix in FIXES.values():
        assert fix.id in shown
        releases = list(upstream(fix.dist)["releases"])
        covered = [n for start, count, _ in pages.runs(fix, releases) for n in range(start, start + count)]
        assert covered == list(range(len(releases)))


def test_a_page_says_what_the_fix_says() -> None:
    fix = FIXES["deepeval-role-violation-strict"]
    text = pages.page(fix, Path(generate.PACKAGE.parents[1], "patches"))
    assert fix.before in text
    assert fix.after in text
    assert "patches/deepeval/deepeval-role-violation-strict/" in text
    for scenario in fix.scenarios:
        assert pages.cell(scenario.name) in text


def test_lines_of_a_table_differ_or_say_how() -> None:
    assert pages.value({"score": 1.0, "status": "NOT_EVALUATED"}) == "1, not evaluated"
    assert pages.value({"score": None}) == "no score"
    assert pages.value({"score": 1.0, "shown": 1}, {"score": 1.0, "shown": 2}) == "1, shown: 1"
    for fix in FIXES.values():
        for line in pages._scenarios(fix):
            cells = [cell.strip() for cell in line.replace("\\|", "").strip("|").split("|")]
            if len(cells) == 3 and not cells[0].startswith("---"):
                assert cells[1] != cells[2], f"{fix.id}: {line}"


def test_pages_of_fixes_that_are_gone_are_found(tmp_path: Path) -> None:
    home = tmp_path / "docs" / "fixes"
    home.mkdir(parents=True)
    (home / "old.md").touch()
    (home / "new.md").touch()
    assert generate.leftovers(tmp_path, {home / "new.md": ""}) == [home / "old.md"]


def test_what_each_metric_let_pass_stands_in_one_row() -> None:
    lines = pages.by_metric(FIXES, "deepeval").splitlines()[2:]
    metrics = [name for line in lines for name in line.strip("| ").partition(" |")[0].split(", ")]
    assert len(metrics) == len(set(metrics))
    passed = {
        scenario.case["metric"]
        for fix in FIXES.values()
        for scenario in fix.scenarios
        if fix.dist == "deepeval" and (scenario.wrong or {}).get("status") == "PASSED" != scenario.right.get("status")
    }
    assert set(metrics) == passed
    assert not any("sync" in line for line in lines)
