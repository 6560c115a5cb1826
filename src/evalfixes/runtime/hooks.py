"""Post-import hooks on exact modules, without importing anything.

A finder at the front of `sys.meta_path` lets the ordinary finders do their work and puts a thin
loader around theirs; after the module's own code has run, and still under its import lock, the
callback sees the module. The original loader is back in place before that code runs, so nothing of
the hook is left on the module.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    OnImport = Callable[[ModuleType, list[str]], None]


class _Loader:
    """Runs another loader, then the callback; it steps aside as soon as the module's code runs."""

    def __init__(self, loader: Loader, on_import: OnImport) -> None:
        self._loader = loader
        self._on_import = on_import

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        before = len(sys.modules)
        self._loader.exec_module(module)
        # Only modules that came up while this one ran can hold names of it already (circular imports).
        self._on_import(module, list(sys.modules)[before:])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class Finder:
    """Calls back once each watched module has been imported.

    Args:
        on_import: Called with the module and the names of the modules that were imported while its
            code ran. It must not raise unless the import is meant to fail.
    """

    def __init__(self, on_import: OnImport) -> None:
        self._on_import = on_import
        self._watched: set[str] = set()
        self._unfinished: set[str] = set()

    def watch(self, modules: Iterable[str]) -> None:
        """Adds modules; those already imported are the caller's business."""
        self._watched.update(modules)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def watch_unfinished(self, module: str) -> None:
        """Adds a module whose code is running right now; it is looked at with the next import."""
        self._unfinished.add(module)

    def stop(self) -> None:
        """Forgets all modules and leaves `sys.meta_path`."""
        self._watched.clear()
        self._unfinished.clear()
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Implements `importlib.abc.MetaPathFinder.find_spec`."""
        if self._unfinished:
            self.finish()
        if fullname not in self._watched:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec: ModuleSpec | None = find(fullname, path, target)
            if spec is not None:
                if spec.loader is not None and not isinstance(spec.loader, _Loader):
                    spec.loader = _Loader(spec.loader, self._on_import)  # type: ignore[assignment]
                return spec
        return None

    def finish(self) -> None:
        """Calls back for modules that were half imported when they were first looked at."""
        for name in list(self._unfinished):
            module = sys.modules.get(name)
            if module is None or not initializing(module):
                self._unfinished.discard(name)
                if module is not None:
                    self._on_import(module, list(sys.modules))


def initializing(module: ModuleType) -> bool:
    """Whether the module's own code is still running, in this thread or another."""
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))
