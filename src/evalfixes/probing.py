"""Runs the scenarios of fixes in this process, bare and after `apply()`.

It imports upstream packages and registers scripted judges, so it belongs into a process of its own:
`evalfixes doctor` starts one per distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from evalfixes import catalog
from evalfixes.fix import Fix, Outcome, Scenario, matches
from evalfixes.releases import in_range
from evalfixes.runtime import engine as engine_module
from evalfixes.runtime import proven
from evalfixes.runtime.decide import FAULTY, FIXED, PATCHED, UNKNOWN, Decision, decide
from evalfixes.runtime.state import FixStatus, status


@dataclass
class Probe:
    """What was seen of one fix.

    Attributes:
        id: The fix id.
        release: The installed release, as far as it can be told.
        bare: The state without `apply()`: ``faulty``, ``fixed-upstream`` and so on.
        applied: The state after it.
        scenario: The name of the most telling scenario.
        wrong: What it gave bare; None where nothing wrong was seen.
        right: What it gave after `apply()`.
        evidence: Why these states, for people.
        failures: Scenarios that gave neither the value on record nor the right one.
        content: The state that the text alone amounts to.
    """

    id: str
    dist: str
    release: str
    bare: str
    applied: str
    scenario: str = ""
    wrong: Outcome | None = None
    right: Outcome | None = None
    evidence: str = ""
    failures: list[str] = field(default_factory=list)
    content: str = ""


def probe(fixes: Sequence[Fix], forced: bool = False) -> Iterator[Probe]:
    """Probes fixes of one distribution.

    Bare values are all taken before the first fix is applied; the fixes stay applied afterwards.

    Args:
        fixes: What to probe; they share the process, so they should be of one distribution.
        forced: Probe files of unknown text too, and remember what was proven about them.
    """
    decisions = {fix.id: decide(fix) for fix in fixes}
    bare = {fix.id: _run(fix, decisions[fix.id], forced) for fix in fixes}
    if engine_module.engine.chosen:
        raise RuntimeError("probe() wants a process in which no fix is applied yet")
    engine_module.engine.forced = forced
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine_module.apply(*[fix.id for fix in fixes], rejudge=0)
    for fix in fixes:
        found = decisions[fix.id]
        if bare[fix.id] is None:
            yield Probe(
                fix.id, fix.dist, found.release, found.state, found.state, evidence=found.evidence, content=found.state
            )
        else:
            yield _judge(fix, found, bare[fix.id] or {}, _run(fix, found, forced) or {}, status(fix.id)[0])


def bare(fix: Fix) -> dict[str, Any]:
    """The outcome of each scenario as the installed files are, or the error that it ended in.

    Raises:
        RuntimeError: There is nothing to run: it is not installed, or its text is not known.
    """
    found = decide(fix)
    outcomes = _run(fix, found, forced=False)
    if outcomes is None or "" in outcomes:
        raise RuntimeError(f"{fix.id} cannot be run: {(outcomes or {}).get('', f'{found.state}, {found.evidence}')}")
    return {name: _outcome(seen) for name, seen in outcomes.items()}


def load(fix: Fix) -> None:
    """Imports what the fix's `evaluate` needs; a metric that the release does not have yet is left out.

    Raises:
        ModuleNotFoundError: None of the modules that the fix repairs is there: the installation is broken.
    """
    absent = set()
    for module in fix.loads:
        try:
            import_module(module)
        except ModuleNotFoundError as error:
            absent.add(module)
            if error.name != module or absent >= set(fix.modules):
                raise


def scenarios(fix: Fix, release: str) -> list[Scenario]:
    """The scenarios of a fix that a release can run."""
    return [s for s in fix.scenarios if not release or in_range(release, s.releases)]


def _run(fix: Fix, found: Decision, forced: bool) -> dict[str, Any] | None:
    """Each scenario's outcome, or the error it ended in; None where there is nothing to run."""
    if found.state not in (FAULTY, FIXED, PATCHED) and not (forced and found.state == UNKNOWN):
        return None
    outcomes: dict[str, Any] = {}
    try:
        load(fix)
    except Exception as error:
        return {"": f"{type(error).__name__}: {error}"}
    for scenario in scenarios(fix, found.release):
        try:
            outcomes[scenario.name] = fix.evaluate(scenario.case)
        except Exception as error:
            outcomes[scenario.name] = f"{type(error).__name__}: {error}"
    return outcomes


def _judge(fix: Fix, found: Decision, bare: dict[str, Any], applied: dict[str, Any], after: FixStatus) -> Probe:
    result = Probe(fix.id, fix.dist, found.release, found.state, after.state, content=found.state)
    result.evidence = found.evidence
    broken = next((v for v in (bare.get(""), applied.get("")) if v), None)
    if broken:
        result.bare = result.applied = UNKNOWN
        result.evidence = f"{found.evidence}; it cannot be imported: {broken}"
        return result
    seen_wrong, still_wrong = [], []
    for scenario in scenarios(fix, found.release):
        before, now = bare[scenario.name], applied[scenario.name]
        if not _is(scenario.right, before):
            seen_wrong.append(scenario)
            if scenario.control:
                result.failures.append(f"control {scenario.name!r}: {_short(before)} bare")
        if not _is(scenario.right, now):
            still_wrong.append(scenario)
            result.failures.append(f"{scenario.name!r}: {_short(now)} after apply(), not {_short(scenario.right)}")
    if seen_wrong:
        telling = next((s for s in seen_wrong if _passed(bare[s.name])), seen_wrong[0])
        result.scenario, result.wrong = telling.name, _outcome(bare[telling.name])
        result.right = _outcome(applied[telling.name])
    result.bare = _bare_state(found, bool(seen_wrong), result)
    if still_wrong:
        result.applied = FAULTY if result.bare == FAULTY else UNKNOWN
    elif result.bare == FAULTY:
        result.applied = after.state if after.state == PATCHED else FAULTY
        result.evidence += f"; {after.problem}" if after.problem else ""
    elif result.bare != UNKNOWN:
        result.applied = result.bare
    if found.drift and not result.failures and result.bare in (FAULTY, FIXED):
        kept = proven.store(fix.id, found.files, result.bare)
        result.evidence += "; proven by this probe" + ("" if kept else ", but the proof could not be stored")
    return result


def _bare_state(found: Decision, wrong: bool, result: Probe) -> str:
    if found.state in (FIXED, PATCHED) and wrong:
        result.evidence += "; but a scenario gives the wrong value"
        return FAULTY
    if found.state == FAULTY and not wrong:
        result.evidence += "; but no scenario gives the wrong value"
        return UNKNOWN
    if found.state == UNKNOWN:
        return FAULTY if wrong else FIXED
    return found.state


def _is(expected: Outcome, seen: Any) -> bool:
    return not isinstance(seen, str) and matches(expected, seen)


def _passed(seen: Any) -> bool:
    return not isinstance(seen, str) and seen.get("status") == "PASSED"


def _outcome(seen: Any) -> Outcome:
    return {"score": None, "status": "ERROR", "error": seen} if isinstance(seen, str) else seen


def _short(seen: Any) -> str:
    if isinstance(seen, str):
        return seen.splitlines()[0][:120]
    score = seen.get("score", "?")
    return f"{score if not isinstance(score, float) else round(score, 4)} {seen.get('status', '')}".strip()


def by_dist(fix_ids: Sequence[str], dist: str | None = None) -> dict[str, list[str]]:
    """Ids of fixes grouped by distribution.

    Args:
        fix_ids: Ids; none for the whole catalogue.
        dist: Keep only this distribution's.

    Raises:
        UnknownFixError: An id is not in the catalogue.
    """
    groups: dict[str, list[str]] = {}
    for fix in [catalog.get(i) for i in fix_ids] if fix_ids else catalog.fixes():
        if dist in (None, fix.dist):
            groups.setdefault(fix.dist, []).append(fix.id)
    return groups
