"""Replaces the targets of chosen fixes in live modules. Imported when the first hook fires."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from evalfixes import catalog
from evalfixes._index import INDEX
from evalfixes.errors import DriftError
from evalfixes.fix import Fix
from evalfixes.runtime.decide import FAULTY, UNKNOWN, Decision, decide
from evalfixes.runtime.slot import CannotReplaceError, Slot, package_root
from evalfixes.runtime.warn import warn

if TYPE_CHECKING:
    from evalfixes.runtime.engine import Engine


def install(engine: Engine, modules: list[ModuleType], since: list[str] | None) -> None:
    """Replaces what chosen fixes replace in the given modules, and rebinds names that point there.

    Args:
        engine: Holds the chosen fixes; its lock is held.
        modules: Imported upstream modules.
        since: Names of the modules that can hold aliases already; None for all of `sys.modules`.
    """
    rebind: dict[int, tuple[Any, Any, Slot]] = {}
    names = {module.__name__: module for module in modules}
    placed: list[str] = []
    if since is not None:  # the modules' code has just run (again), so what we knew of them is gone
        for target in [target for target, slot in engine.slots.items() if slot.module.__name__ in names]:
            del engine.slots[target]
    for fix_id in list(engine.chosen):
        if not names.keys() & set(INDEX[fix_id].modules):
            continue
        try:
            fix = catalog.get(fix_id)
            problem = _obstacle(engine, fix)
            if problem is None:
                _replace(engine, fix, names, rebind)
                placed.append(fix_id)
        except CannotReplaceError as error:
            problem = str(error)
        except (Exception, SystemExit) as error:  # a fault of ours must not break the user's import
            problem = f"{type(error).__name__}: {error}"
        if problem:
            drop(engine, fix_id, problem, package_root(next(iter(names.values()))))
    _rebind_aliases(rebind, since)
    if placed:
        from evalfixes import __version__

        told = "evalfixes %s repairs %s: %s"
        logging.getLogger("evalfixes").info(told, __version__, ", ".join(sorted(names)), ", ".join(placed))


def decision(engine: Engine, fix: Fix) -> Decision:
    """What the installed files say about a fix, remembered while they are hooked."""
    if fix.id not in engine.decisions:
        engine.decisions[fix.id] = decide(fix)
    return engine.decisions[fix.id]


def _obstacle(engine: Engine, fix: Fix) -> str | None:
    """Why the fix may not be put in place; "" if there is no need to."""
    found = decision(engine, fix)
    if found.state != FAULTY and not (engine.forced and found.state == UNKNOWN):
        return found.evidence if found.state == UNKNOWN else ""
    for required in fix.requires:
        state = decision(engine, catalog.get(required)).state
        if required in engine.problems or (state == UNKNOWN and not engine.forced):
            return f"needs {required}, which is not in place"
        if required not in engine.chosen and state == FAULTY:
            return f"needs {required}, which is not chosen"
    return None


def _replace(
    engine: Engine, fix: Fix, modules: dict[str, ModuleType], rebind: dict[int, tuple[Any, Any, Slot]]
) -> None:
    for replacement in fix.replacements:
        module = modules.get(replacement.module)
        if module is None or replacement.needless(module):
            continue
        slot = engine.slots.get(replacement.target)
        if slot is None or slot.module is not module:  # new, or the module was imported anew
            try:
                slot = Slot(module, replacement.target, replacement.inherited)
            except CannotReplaceError:
                if replacement.optional:
                    continue
                raise
            foreign = slot.foreign_before_us(package_root(module))
            if foreign and not replacement.calls_original:
                raise CannotReplaceError(f"{replacement.target} is already replaced by {foreign}; it is left alone")
            engine.slots[replacement.target] = slot
        elif fix.id in slot.layers:
            continue
        elif not slot.intact and slot.layers:
            raise CannotReplaceError(f"somebody replaced {replacement.target} after evalfixes did")
        old, new = slot.add(fix.id, replacement)
        for namespace, name in slot.aliases:
            if namespace.get(name) is old:
                namespace[name] = new
        rebind.setdefault(id(slot.original), (slot.original, slot.original, slot))


def drop(engine: Engine, fix_id: str, reason: str, root: str = "") -> None:
    """Records why a fix is not in place, and takes out what was put there of it and of its dependants.

    Raises:
        DriftError: Under ``strict``.
    """
    engine.problems[fix_id] = reason
    dependants = [other for other in engine.chosen if fix_id in catalog.closure([other])[:-1]]
    for other in [*dependants, fix_id]:
        for slot in engine.slots.values():
            slot.remove(other)
        if other != fix_id:
            engine.problems.setdefault(other, f"needs {fix_id}, which is not in place")
    if engine.strict:
        raise DriftError(fix_id, reason)
    message = f"{fix_id} is not in place: {reason}. Run `evalfixes doctor --fix {fix_id}` to see why."
    if message not in engine.warned:
        engine.warned.add(message)
        warn(message, root)


def _rebind_aliases(rebind: dict[int, tuple[Any, Any, Slot]], since: Iterable[str] | None) -> None:
    """Points names bound by ``from x import f`` at the replacement, in modules that have them already."""
    if not rebind:
        return
    for name in list(sys.modules) if since is None else since:
        namespace = getattr(sys.modules.get(name), "__dict__", None)
        if not isinstance(namespace, dict):
            continue
        for key, value in list(namespace.items()):
            found = rebind.get(id(value))
            if found is None or value is not found[0]:
                continue
            slot = found[2]
            if namespace is vars(slot.module) and key == slot.attribute:
                continue
            namespace[key] = slot.installed
            slot.aliases.append((namespace, key))


def outcome(engine: Engine, fix: Fix) -> tuple[list[Slot], list[str]]:
    """The slots that a fix has a layer on, and the targets that should have one and have not."""
    slots, lacking = [], []
    for replacement in fix.replacements:
        slot = engine.slots.get(replacement.target)
        live = sys.modules.get(replacement.module)
        if slot is not None and fix.id in slot.layers and slot.module is live:
            slots.append(slot)
        elif live is not None and not replacement.optional and not replacement.needless(live):
            lacking.append(replacement.target)
    return slots, lacking
