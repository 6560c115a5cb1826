"""What every fix is held to, against the real upstream that is installed here."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import subprocess
import sys
import types
from importlib import import_module, util
from typing import Any

import pytest

import evalfixes
from evalfixes import catalog
from evalfixes.fix import Fix, Outcome, Replacement, matches
from evalfixes.probing import load, scenarios
from evalfixes.releases import in_range
from evalfixes.runtime.decide import FAULTY, FIXED, UNKNOWN, Decision, decide
from evalfixes.runtime.engine import engine
from tests.forked import forked
from tests.generated import COUNT, generate

Decisions = dict[str, Decision]


def run_all(fix: Fix, cases: list[Any], apply: bool) -> list[Any]:
    """The outcome of each case, in this process; for use in a child."""
    if apply:
        evalfixes.apply(fix.id, rejudge=0, strict=True)
    return [_run(fix, case) for case in cases]


def _run(fix: Fix, case: Any) -> Any:
    try:
        return fix.evaluate(case)
    except Exception as error:
        return {"score": None, "status": "ERROR", "error": f"{type(error).__name__}: {error}"}


def strategies(fix: Fix) -> types.ModuleType:
    name = f"tests.strategies.{fix.id.replace('-', '_')}"
    if util.find_spec(name) is None:
        pytest.fail(f"{name} is missing: every fix brings generators of its cases")
    return import_module(name)


def test_the_pinned_release_is_installed(decisions: Decisions) -> None:
    dist, release = os.environ.get("EVALFIXES_PIN_DIST"), os.environ.get("EVALFIXES_PIN_RELEASE")
    if dist is None:
        pytest.skip("no pinned environment is named")
    assert decisions, f"{dist} is not installed"
    assert {found.release for found in decisions.values()} == {release}


def test_every_installed_release_is_known(decisions: Decisions) -> None:
    unknown = {fix_id: found.evidence for fix_id, found in decisions.items() if found.state == UNKNOWN}
    assert unknown == {}


def test_the_state_agrees_with_the_range_on_record(decisions: Decisions) -> None:
    for fix_id, found in decisions.items():
        fix = catalog.get(fix_id)
        affected = evalfixes.facts.fix_facts(fix.dist, fix_id).affected
        assert in_range(found.release, affected) == (found.state == FAULTY), (fix_id, found)


def test_scenarios_are_wrong_before(faulty: Fix, decisions: Decisions) -> None:
    release = decisions[faulty.id].release
    chosen = scenarios(faulty, release)
    seen = forked(run_all, faulty, [s.case for s in chosen], False)
    assert any(s.wrong is not None for s in chosen), "no scenario that can fail"
    for scenario, outcome in zip(chosen, seen, strict=True):
        expected: Outcome = scenario.right if scenario.wrong is None else scenario.wrong
        for span, other in scenario.wrong_in.items():
            expected = other if in_range(release, span) else expected
        assert matches(expected, outcome), (scenario.name, outcome, expected)
        if scenario.wrong is not None:
            assert not matches(scenario.right, outcome), (scenario.name, "cannot fail")


def test_scenarios_are_right_after(judged: Fix, decisions: Decisions) -> None:
    chosen = scenarios(judged, decisions[judged.id].release)
    cases = [s.case for s in chosen]
    before, after = forked(run_all, judged, cases, False), forked(run_all, judged, cases, True)
    for scenario, old, new in zip(chosen, before, after, strict=True):
        assert matches(scenario.right, new), (scenario.name, new, scenario.right)
        if scenario.control or decisions[judged.id].state == FIXED:
            assert new == old, scenario.name


def _present(replacement: Replacement) -> bool:
    """Whether this release has the module; only what is optional may lack it."""
    try:
        import_module(replacement.module)
    except ModuleNotFoundError:
        if not replacement.optional:
            raise
        return False
    return True


def _bound(fix: Fix) -> dict[str, Any]:
    found = {}
    for replacement in fix.replacements:
        if not _present(replacement):
            continue
        owner: Any = import_module(replacement.module)
        *path, name = replacement.qualname.split(".")
        with contextlib.suppress(AttributeError):
            for part in path:
                owner = getattr(owner, part)
            found[replacement.target] = vars(owner).get(name)
    return found


def _apply_revert(fix: Fix) -> dict[str, bool]:
    # What it requires may not be affected here yet, and its modules may be missing.
    chain = [one for i in catalog.closure([fix.id]) if decide(one := catalog.get(i)).state == FAULTY]
    for one in chain:
        load(one)
    before = {t: v for one in chain for t, v in _bound(one).items()}
    evalfixes.apply(fix.id, strict=True)
    once = {t: v for one in chain for t, v in _bound(one).items()}
    layers = {target: list(slot.layers) for target, slot in engine.slots.items()}
    evalfixes.apply(fix.id)
    twice = {t: v for one in chain for t, v in _bound(one).items()}
    same_layers = layers == {target: list(slot.layers) for target, slot in engine.slots.items()}
    signatures = all(_same_shape(slot) for slot in engine.slots.values())
    leftovers = _leftovers()
    left = evalfixes.revert()
    after = {t: v for one in chain for t, v in _bound(one).items()}
    return {
        "replaced": any(once[t] is not before[t] for t in before),
        "twice is once": all(twice[t] is once[t] for t in once) and same_layers,
        "restored": all(after[t] is before[t] for t in before) and not left and not engine.slots,
        "signatures": signatures,
        "no leftovers": leftovers == [],
    }


def _same_shape(slot: Any) -> bool:
    old, new = inspect.unwrap(slot.original), slot.installed
    mine, theirs = inspect.signature(new, follow_wrapped=False), inspect.signature(old)
    return (
        [(p.name, p.kind, p.default) for p in mine.parameters.values()]
        == [(p.name, p.kind, p.default) for p in theirs.parameters.values()]
        and asyncio.iscoroutinefunction(new) == asyncio.iscoroutinefunction(slot.original)
        and (new.__name__, new.__qualname__, new.__doc__, new.__module__)
        == (slot.original.__name__, slot.original.__qualname__, slot.original.__doc__, slot.original.__module__)
    )


def _leftovers() -> list[str]:
    """Names in imported modules and their classes that are still bound to a replaced original."""
    originals = {id(slot.original): target for target, slot in engine.slots.items()}
    found = []
    for name, module in list(sys.modules.items()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in originals and not name.startswith("evalfixes"):
                found.append(f"{name}.{key}")
            if isinstance(value, type) and getattr(value, "__module__", None) == name:
                found += [f"{name}.{key}.{k}" for k, v in list(vars(value).items()) if id(v) in originals]
    return found


def test_apply_and_revert(faulty: Fix) -> None:
    seen = forked(_apply_revert, faulty)
    assert [what for what, good in seen.items() if not good] == []


def _no_replacement(fix: Fix) -> list[Any]:
    before = _bound(fix)
    evalfixes.apply(fix.id, strict=True)
    after = _bound(fix)
    return [evalfixes.status(fix.id)[0].state, all(after[t] is before[t] for t in before), len(engine.slots)]


def test_a_fixed_release_is_left_alone(fixed: Fix) -> None:
    if fixed.requires:
        pytest.skip("what it requires may have something to replace")
    assert forked(_no_replacement, fixed) == [FIXED, True, 0]


def _aliased(fix: Fix, cases: list[Any]) -> tuple[list[str], list[Any]]:
    client = types.ModuleType("evalfixes_contract_client")
    sys.modules[client.__name__] = client
    names = {}
    for replacement in fix.replacements:
        if not _present(replacement) or "." in replacement.qualname:
            continue
        if hasattr(import_module(replacement.module), replacement.qualname):
            setattr(client, replacement.qualname, getattr(import_module(replacement.module), replacement.qualname))
            names[replacement.qualname] = replacement.module
    evalfixes.apply(fix.id, rejudge=0, strict=True)
    stale = [n for n, m in names.items() if getattr(client, n) is not getattr(import_module(m), n)]
    return stale, [_run(fix, case) for case in cases]


def test_names_imported_before_apply_are_reached(faulty: Fix, decisions: Decisions) -> None:
    chosen = scenarios(faulty, decisions[faulty.id].release)
    stale, seen = forked(_aliased, faulty, [s.case for s in chosen])
    assert stale == []
    for scenario, outcome in zip(chosen, seen, strict=True):
        assert matches(scenario.right, outcome), (scenario.name, outcome)


EIGHT_THREADS = """
import json, sys, threading, warnings
import evalfixes
from evalfixes import catalog
ids = json.loads(sys.argv[1])
evalfixes.apply(*ids, rejudge=0)
modules = sorted({m for i in catalog.closure(ids) for m in catalog.get(i).loads})
start, failed = threading.Barrier(8), []
def load(k):
    start.wait()
    for name in modules[k % len(modules):] + modules[:k % len(modules)]:
        try:
            __import__(name)
        except Exception as error:  # a release may lack some
            failed.append(repr(error))
threads = [threading.Thread(target=load, args=(k,)) for k in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print("RESULT" + json.dumps({"failed": failed, "states": {r.id: r.state for r in evalfixes.status(*ids)}}))
"""


def test_eight_threads_importing_after_apply(decisions: Decisions) -> None:
    ids = [fix_id for fix_id, found in decisions.items() if found.state == FAULTY]
    if not ids:
        pytest.skip("no faulty upstream is installed")
    done = subprocess.run(
        [sys.executable, "-W", "error::evalfixes.EvalfixesWarning", "-c", EIGHT_THREADS, json.dumps(ids)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    line = next((part for part in done.stdout.splitlines() if part.startswith("RESULT")), None)
    assert line is not None, done.stderr[-2000:]
    seen = json.loads(line.removeprefix("RESULT"))
    # Circular imports between threads can fail without evalfixes too; nothing of ours may be among the reasons.
    assert [error for error in seen["failed"] if "evalfixes" in error] == []
    assert set(seen["states"].values()) == {"patched"}, seen


def test_well_formed_replies_keep_the_upstream_outcome(faulty: Fix) -> None:
    cases = generate(strategies(faulty).well_formed)
    assert len(cases) >= min(COUNT, 10)
    before, after = forked(run_all, faulty, cases, False), forked(run_all, faulty, cases, True)
    different = [(c, b, a) for c, b, a in zip(cases, before, after, strict=True) if b != a]
    assert different[:1] == []


def test_never_greener_than_upstream(faulty: Fix) -> None:
    module = strategies(faulty)
    justified = getattr(module, "justified", lambda case: False)
    cases = generate(module.any_reply)
    before, after = forked(run_all, faulty, cases, False), forked(run_all, faulty, cases, True)
    greener = [
        (case, old, new)
        for case, old, new in zip(cases, before, after, strict=True)
        if new["status"] == "PASSED" and old["status"] != "PASSED" and not justified(case)
    ]
    assert greener[:1] == []


def test_damage_never_pays(faulty: Fix) -> None:
    pairs = generate(strategies(faulty).damage)
    intact = forked(run_all, faulty, [pair[0] for pair in pairs], True)
    damaged = forked(run_all, faulty, [pair[1] for pair in pairs], True)
    paid = [
        (pair, old, new)
        for pair, old, new in zip(pairs, intact, damaged, strict=True)
        if (new["status"] == "PASSED" and old["status"] != "PASSED")
        or (new["score"] is not None and old["score"] is not None and new["score"] > old["score"])
    ]
    assert paid[:1] == []
