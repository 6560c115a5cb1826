"""The patch files do what the runtime fixes do, on the release that is installed here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evalfixes.fix import Fix, matches
from evalfixes.patching.plan import REVERSED, closure, make
from evalfixes.patching.series import series
from evalfixes.probing import scenarios
from evalfixes.runtime.decide import Decision
from tests.contract.test_contract import run_all, strategies
from tests.forked import forked
from tests.generated import generate
from tests.patched import comparable, outcomes, patched_copy

Decisions = dict[str, Decision]


@pytest.fixture
def patchable(faulty: Fix, decisions: Decisions) -> Fix:
    if not any(p.covers(decisions[faulty.id].release) for p in series(faulty.dist).patches.get(faulty.id, ())):
        pytest.skip(f"no patch is promised for {decisions[faulty.id].release}")
    return faulty


def _cases(fix: Fix, decisions: Decisions) -> list[Any]:
    module = strategies(fix)
    found = [s.case for s in scenarios(fix, decisions[fix.id].release)]
    found += generate(module.well_formed) + generate(module.any_reply)
    return found + [case for pair in generate(module.damage) for case in pair]


def test_the_patched_tree_agrees_with_runtime(patchable: Fix, decisions: Decisions, tmp_path: Path) -> None:
    plan = patched_copy(patchable, tmp_path)
    assert not plan.refused, plan.copies
    cases = _cases(patchable, decisions)
    runtime = forked(run_all, patchable, cases, True)
    named = len(scenarios(patchable, decisions[patchable.id].release))
    patched, both = outcomes(patchable, cases, tmp_path, named + 20)
    assert patched["states"][patchable.id] == ["patched", "source"]
    assert (len(patched["outcomes"]), len(both["outcomes"])) == (len(cases), min(len(cases), named + 20))
    assert both["states"] == patched["states"], "something was replaced in a patched tree"
    for scenario, seen in zip(scenarios(patchable, decisions[patchable.id].release), patched["outcomes"], strict=False):
        assert matches(scenario.right, seen), (scenario.name, seen)
    different = [
        (case, old, new)
        for other in (patched["outcomes"], both["outcomes"])
        for case, old, new in zip(cases, runtime, other, strict=False)
        if comparable(old) != comparable(new)
    ]
    assert different[:1] == []


def test_reversing_gives_the_installed_files_back(patchable: Fix, tmp_path: Path) -> None:
    plan = patched_copy(patchable, tmp_path)
    changed = plan.changes
    undo = make(tmp_path, [patchable.id], reverse=True)
    assert {row.state for _, rows in undo.copies for row in rows if row.fix_id == patchable.id} == {REVERSED}
    undo.write()
    assert undo.changes.keys() <= changed.keys()
    for path, change in undo.changes.items():
        assert (path.read_bytes() if path.is_file() else None) == change.after
    required = make(tmp_path, sorted(closure([patchable.id]) - {patchable.id}) or [patchable.id], True)
    required.write()
    assert {path: path.read_bytes() if path.is_file() else None for path in changed} == {
        path: change.before for path, change in changed.items()
    }
