"""What must hold of every fix without any upstream installed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import util
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.version import Version

from evalfixes import catalog
from evalfixes._index import INDEX
from evalfixes.facts import fix_facts, upstream
from evalfixes.fix import Fix
from evalfixes.releases import in_range

FIXES = catalog.fixes()
EACH = pytest.mark.parametrize("fix", FIXES, ids=[fix.id for fix in FIXES])
UPSTREAM = ("google", "deepeval", "agentevals", "rouge_score")


@EACH
def test_its_facts_are_complete(fix: Fix) -> None:
    facts = fix_facts(fix.dist, fix.id)
    assert facts.links or "no public report" in facts.notes, "links, or a note that nobody has reported it"
    assert all(link.startswith("https://github.com/") for link in facts.links)
    faulty = [v for v in facts.variants if v.state == "faulty"]
    assert faulty
    assert {v.state for v in facts.variants} <= {"faulty", "fixed-upstream", "not-affected", "patched"}
    for variant in faulty:
        assert set(variant.symbols) == set(fix.symbols), variant.releases


@EACH
def test_every_release_of_its_range_has_a_variant(fix: Fix) -> None:
    facts = fix_facts(fix.dist, fix.id)
    releases = upstream(fix.dist).get("releases", {})
    spans = [v.releases for v in facts.variants if v.state == "faulty"]
    for release in releases:
        if in_range(release, facts.affected):
            assert any(in_range(release, span) for span in spans), f"{release} is affected, but no variant has it"
        else:
            assert not any(in_range(release, span) for span in spans), f"{release} is not in {facts.affected}"


@EACH
def test_it_says_what_it_is(fix: Fix) -> None:
    assert fix.id == fix.id.lower()
    assert not fix.title.endswith(".")
    assert fix.before.endswith(".")
    assert fix.after.endswith(".")
    assert any(not s.control for s in fix.scenarios), "a scenario that fails on the faulty release"
    assert any(s.control for s in fix.scenarios), "a control"
    names = [s.name for s in fix.scenarios]
    assert len(names) == len(set(names))
    json.dumps([[s.case, s.right, s.wrong] for s in fix.scenarios])


@EACH
def test_it_brings_generators(fix: Fix) -> None:
    assert util.find_spec(f"tests.strategies.{fix.id.replace('-', '_')}") is not None


def test_requirements_come_first() -> None:
    ordered = catalog.closure(INDEX)
    place = {fix_id: index for index, fix_id in enumerate(ordered)}
    for fix_id, entry in INDEX.items():
        assert all(place[required] < place[fix_id] for required in entry.requires)


def test_fix_modules_import_no_upstream() -> None:
    code = (
        "import sys\nfrom evalfixes import catalog\ncatalog.fixes()\n"
        f"top = [m for m in sys.modules if m.partition('.')[0] in {UPSTREAM!r}]\n"
        "print([m for m in top if getattr(sys.modules[m], '__file__', None)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "path", sorted((Path(catalog.__file__).parent / "verdicts").glob("*.py")), ids=lambda p: p.name
)
def test_cores_stand_alone(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.partition(".")[0] not in UPSTREAM
            assert not name.startswith("evalfixes") or name.startswith("evalfixes.verdicts")


def test_variants_are_in_order() -> None:
    for fix in FIXES:
        firsts = [
            Version(v.releases.partition("..")[0]) for v in fix_facts(fix.dist, fix.id).variants if v.state != "patched"
        ]
        assert all(a <= b for a, b in pairwise(firsts)), fix.id


@pytest.mark.parametrize(
    ("release", "span", "inside"),
    [
        ("1.5.0", "1.5.0..2.13.0", True),
        ("2.13.0", "1.5.0..2.13.0", True),
        ("2.13.0+local", "1.5.0..2.13.0", True),
        ("1.4.9", "1.5.0..2.13.0", False),
        ("2.0.0a1", "1.39.1..2.0.0", True),
        ("2.13.1", "1.5.0..2.13.0", False),
        ("3.0", "2.13.0..", True),
        ("1.0", "1.0", True),
        ("1.1", "1.0", False),
        ("1.1", "", True),
        ("3.0", "1.0..1.5, 3.0..3.1", True),
        ("2.0", "1.0..1.5,3.0..3.1", False),
    ],
)
def test_ranges(release: str, span: str, inside: bool) -> None:
    assert in_range(release, span) is inside
