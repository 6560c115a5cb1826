"""The state of each fix in this process, with its evidence."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from evalfixes import catalog
from evalfixes._index import INDEX
from evalfixes.errors import DriftError
from evalfixes.runtime import engine as engine_module
from evalfixes.runtime.decide import ARMED, FAULTY, PATCHED, UNKNOWN, Decision, decide
from evalfixes.runtime.install import outcome
from evalfixes.runtime.slot import describe

if TYPE_CHECKING:
    from evalfixes.fix import Fix
    from evalfixes.runtime.engine import Engine


@dataclass(frozen=True)
class FixStatus:
    """The state of one fix in this process.

    Attributes:
        id: The fix id.
        dist: The distribution that has the fault.
        release: The installed release, as far as it can be told; empty otherwise.
        state: ``faulty``, ``fixed-upstream``, ``patched``, ``armed``, ``not-affected``,
            ``not-installed`` or ``unknown``. ``armed`` is a fix that was applied while none of its
            upstream modules is imported yet: it is put in place with the import.
        where: For ``patched``: ``runtime``, ``source`` or ``wheel``.
        evidence: Why this state and no other, for people.
        skipped: Why the fix was left out on request; empty if it was not.
        problem: Why an applied fix is not in place; empty if it is, or need not be.
    """

    id: str
    dist: str
    release: str
    state: str
    where: str
    evidence: str
    skipped: str = ""
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The status as JSON-able data."""
        return asdict(self)

    @property
    def repaired(self) -> bool:
        """Whether nothing faulty of this fix can be reached from here on."""
        return self.state not in (FAULTY, UNKNOWN)


def status(*ids: str) -> tuple[FixStatus, ...]:
    """The state of fixes in this process; imports no upstream package.

    What is bound now is compared with what was put there, so a later patch of somebody else that
    undoes a fix shows as ``faulty``.

    Args:
        *ids: Fix ids; none for the whole catalogue.

    Raises:
        UnknownFixError: An id is not in the catalogue.
    """
    wanted = [catalog.get(fix_id) for fix_id in ids or INDEX]
    engine = engine_module.engine
    engine.finish()
    with engine.lock:
        return tuple(_status(engine, fix) for fix in wanted)


def _status(engine: Engine, fix: Fix) -> FixStatus:
    try:
        found = decide(fix)
    except Exception as error:
        found = Decision(UNKNOWN, f"{type(error).__name__}: {error}")
    skipped = engine.skipped.get(fix.id, "")
    problem = engine.problems.get(fix.id, "")
    state, where, evidence = found.state, found.where, found.evidence
    slots, lacking = outcome(engine, fix)
    undone = [slot for slot in slots if not slot.reaches]
    if undone:
        state = FAULTY
        problem = "; ".join(f"{s.target} was replaced after evalfixes by {describe(s.current)}" for s in undone)
    elif slots and not lacking:
        state, where = PATCHED, "runtime"
        under = [slot for slot in slots if not slot.intact]
        evidence += f"; {len(slots)} replaced" + "".join(f"; called through {describe(s.current)}" for s in under)
        waiting = [m for m in fix.modules if m not in sys.modules]
        evidence += f"; more when {', '.join(waiting)} is imported" if waiting else ""
    elif fix.id in engine.chosen and not problem and state in (FAULTY, UNKNOWN):
        if not any(module in sys.modules for module in fix.modules) and state == FAULTY:
            state = ARMED
            evidence += f"; put in place when {', '.join(fix.modules)} is imported"
        elif state == FAULTY:
            problem = "its module was imported past the hook; call evalfixes.apply() again"
    return FixStatus(fix.id, fix.dist, found.release, state, where, evidence, skipped, problem)


def require_order(engine: Engine) -> None:
    """Raises where a chosen fix cannot be put in place.

    Raises:
        DriftError: The first such fix and its reason.
    """
    for fix_id in list(engine.chosen):
        found = status(fix_id)[0]
        if found.problem or found.state == UNKNOWN:
            raise DriftError(fix_id, found.problem or found.evidence)


def summary(rows: Iterable[FixStatus]) -> str:
    """One line that counts states: ``evalfixes 0.1.0: 3 patched, 1 fixed-upstream``."""
    from evalfixes import __version__

    counts = Counter("skipped" if row.skipped else row.state for row in rows)
    return f"evalfixes {__version__}: " + (", ".join(f"{n} {state}" for state, n in counts.items()) or "no fixes")


def render(rows: list[FixStatus]) -> str:
    """The summary line and a line per fix."""
    width = max((len(row.id) for row in rows), default=0)
    lines = [summary(rows)]
    for row in rows:
        shown = f"{row.state} ({row.where})" if row.where else row.state
        why = row.skipped or row.problem or row.evidence
        lines.append(f"  {row.id:<{width}}  {shown:<17}  {why}")
    return "\n".join(lines)
