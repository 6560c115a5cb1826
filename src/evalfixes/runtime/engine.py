"""Puts fixes in place and takes them out again.

Two locks meet here: ours, and the import lock of the upstream module whose hook is running. Ours is
only ever taken last, and never held while an upstream import is waited for.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock

from evalfixes._index import INDEX
from evalfixes.catalog import closure
from evalfixes.runtime import options
from evalfixes.runtime.hooks import Finder, initializing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from types import ModuleType
    from typing import Any

    from evalfixes.runtime.binding import Binding
    from evalfixes.runtime.report import Report


class Engine:
    """The fixes chosen in this process, and what was replaced for them.

    Attributes:
        chosen: Ids of the fixes that `apply` was asked for, with what they require.
        skipped: Ids left out on request, with the reason.
        bindings: What was replaced, per fix id.
        problems: Why a chosen fix is not in place, per fix id.
        strict: Whether a problem is raised instead of warned of.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.chosen: dict[str, None] = {}
        self.skipped: dict[str, str] = {}
        self.bindings: dict[str, list[Binding]] = {}
        self.problems: dict[str, str] = {}
        self.strict = False
        self._finder = Finder(self._on_import)

    def choose(self, ids: Iterable[str], skip: Iterable[str], strict: bool) -> None:
        """Takes on fixes, watches their modules, and sees to those that are imported already."""
        with self.lock:
            chosen, self.skipped = select(ids, skip)
            self.chosen.update(dict.fromkeys(chosen))
            self.strict = strict
            waiting = {module for fix_id in self.chosen for module in INDEX[fix_id].modules}
            self._finder.watch(waiting)
        present = [sys.modules[name] for name in waiting if name in sys.modules]
        for module in present:
            if initializing(module):
                # Another thread is importing it: wait without our lock, or its hook would wait for us.
                # In this very thread the import cannot be waited for; the next import looks again.
                from importlib import import_module

                import_module(module.__name__)
                if initializing(module):
                    self._finder.watch_unfinished(module.__name__)
        present = [module for module in present if not initializing(module)]
        if present:
            with self.lock:
                self._install(present, None)
        if strict:
            from evalfixes.runtime.state import require_in_order

            require_in_order(self)

    def _on_import(self, module: ModuleType, since: list[str]) -> None:
        with self.lock:
            self._install([module], since)

    def _install(self, modules: list[ModuleType], since: list[str] | None) -> None:
        from evalfixes.runtime.install import install

        install(self, modules, since)

    def withdraw(self, ids: Iterable[str] | None = None) -> list[str]:
        """Puts the originals back, and returns what was left because it is no longer ours."""
        left: list[str] = []
        with self.lock:
            for fix_id in list(self.chosen) if ids is None else list(ids):
                for binding in reversed(self.bindings.get(fix_id, [])):
                    if not binding.restore():
                        left.append(f"{fix_id}: {binding.name} is now {binding.current_description()}")
                self.bindings.pop(fix_id, None)
                self.problems.pop(fix_id, None)
                self.chosen.pop(fix_id, None)
            if not self.chosen:
                self._finder.stop()
                self.skipped.clear()
        return left


def select(ids: Iterable[str], skip: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Which fixes are meant by `apply`'s arguments and the environment, and why others are not.

    Raises:
        UnknownFixError: An id is not in the catalogue.
    """
    wanted = list(ids)
    skipped: dict[str, str] = {}
    if os.environ.get("EVALFIXES_DISABLE", "").strip().lower() not in ("", "0", "false", "no"):
        closure(wanted)
        return [], dict.fromkeys(INDEX, "EVALFIXES_DISABLE is set")
    for fix_id in closure(skip):
        pass
    for fix_id in skip:
        skipped[fix_id] = "skipped by apply(skip=…)"
    for fix_id in filter(None, (part.strip() for part in os.environ.get("EVALFIXES_SKIP", "").split(","))):
        closure([fix_id])
        skipped.setdefault(fix_id, "skipped by EVALFIXES_SKIP")
    chosen = closure(wanted) if wanted else closure(i for i, entry in INDEX.items() if entry.default)
    for fix_id in chosen:
        missing = [r for r in INDEX[fix_id].requires if r in skipped]
        if missing and fix_id not in skipped:
            skipped[fix_id] = f"needs {', '.join(missing)}, which is skipped"
            warn(f"{fix_id} is skipped too: it needs {', '.join(missing)}")
    return [fix_id for fix_id in chosen if fix_id not in skipped], skipped
