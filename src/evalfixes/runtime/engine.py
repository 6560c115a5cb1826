"""Puts fixes in place and takes them out again.

Two locks meet here: ours, and the import lock of the upstream module whose hook is running. Ours is
only ever taken last, and never held while an upstream import is waited for.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock

from evalfixes import catalog
from evalfixes._index import INDEX
from evalfixes.runtime import options as options_module
from evalfixes.runtime.hooks import Finder, initializing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import ModuleType, TracebackType
    from typing import Any

    from evalfixes.runtime.decide import Decision
    from evalfixes.runtime.slot import Slot
    from evalfixes.runtime.state import FixStatus


class Engine:
    """The fixes chosen in this process, and what was replaced for them.

    Attributes:
        chosen: Ids of the fixes that `apply` was asked for, with what they require, required first.
        skipped: Why fixes were left out on request, by id.
        slots: What was replaced, by target.
        decisions: What the installed files say, by fix id.
        problems: Why a chosen fix is not in place, by id.
        strict: Whether a problem is raised instead of warned of.
        forced: Whether unknown texts are replaced too; only the probe of `evalfixes doctor` does.
        warned: Warnings that have been given.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.chosen: dict[str, None] = {}
        self.skipped: dict[str, str] = {}
        self.slots: dict[str, Slot] = {}
        self.decisions: dict[str, Decision] = {}
        self.problems: dict[str, str] = {}
        self.strict = False
        self.forced = False
        self.warned: set[str] = set()
        self._finder = Finder(self._on_import)

    def choose(self, chosen: Iterable[str], skipped: dict[str, str], strict: bool) -> None:
        """Takes on fixes, watches their modules, and sees to those that are imported already.

        Args:
            chosen: Ids, required ones first.
            skipped: Why others are left out.
            strict: Raise where a fix cannot be put in place.

        Raises:
            DriftError: Under ``strict``, a fix cannot be put in place.
        """
        with self.lock:
            self.skipped = skipped
            self.strict = strict
            for fix_id in chosen:
                self.chosen[fix_id] = None
                self.problems.pop(fix_id, None)
            self.decisions.clear()
            watched = dict.fromkeys(module for fix_id in self.chosen for module in INDEX[fix_id].modules)
            if watched:
                self._finder.watch(watched)
        present = [module for name in watched if (module := sys.modules.get(name)) is not None]
        for module in present:
            if initializing(module):
                # Another thread is importing it: wait without our lock, or its hook would wait for us.
                # If it is this very thread, the import returns at once and the next one looks again.
                from importlib import import_module

                import_module(module.__name__)
                if initializing(module):
                    self._finder.watch_unfinished(module.__name__)
        present = [module for module in present if not initializing(module)]
        if present:
            with self.lock:
                self._install(present, None)
        if strict:
            from evalfixes.runtime.state import require_order

            require_order(self)

    def finish(self) -> None:
        """Sees to modules that were half imported when they were first looked at."""
        self._finder.finish()

    def _on_import(self, module: ModuleType, since: list[str]) -> None:
        with self.lock:
            self._install([module], since)

    def _install(self, modules: list[ModuleType], since: list[str] | None) -> None:
        from evalfixes.runtime.install import install

        install(self, modules, since)

    def withdraw(self, ids: Iterable[str] | None = None) -> list[str]:
        """Puts originals back; returns the targets that were left, since somebody changed them after us."""
        left: list[str] = []
        with self.lock:
            layered = {fix_id for slot in self.slots.values() for fix_id in slot.layers}
            for fix_id in [*reversed(list(self.chosen)), *layered] if ids is None else list(ids):
                left += [slot.target for slot in self.slots.values() if not slot.remove(fix_id)]
                self.chosen.pop(fix_id, None)
                self.problems.pop(fix_id, None)
            for target in [target for target, slot in self.slots.items() if not slot.layers]:
                del self.slots[target]
            self.decisions.clear()
            if not self.chosen:
                self._finder.stop()
                self.skipped = {}
                self.strict = False
        return list(dict.fromkeys(left))


def disabled() -> bool:
    """Whether ``EVALFIXES_DISABLE`` turns everything off."""
    return os.environ.get("EVALFIXES_DISABLE", "").strip().lower() not in ("", "0", "false", "no")


def select(
    ids: Iterable[str], skip: Iterable[str], excused: dict[str, str] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Which fixes are meant by `apply`'s arguments and the environment, and why others are not.

    Args:
        ids: The fixes asked for; none for all that are on by default.
        skip: Those that the caller leaves out.
        excused: Those that the settings file leaves out, and why.

    Raises:
        UnknownFixError: An id is not in the catalogue.
    """
    wanted = catalog.closure(ids) or catalog.closure(i for i, entry in INDEX.items() if entry.default)
    skipped = dict.fromkeys(skip, "skipped by apply(skip=...)")
    for part in os.environ.get("EVALFIXES_SKIP", "").split(","):
        if part.strip():
            skipped.setdefault(part.strip(), "skipped by EVALFIXES_SKIP")
    for fix_id, reason in (excused or {}).items():
        skipped.setdefault(fix_id, reason)
    catalog.closure(skipped)
    if disabled():
        return [], dict.fromkeys(INDEX, "EVALFIXES_DISABLE is set")
    for fix_id in wanted:
        needs = [required for required in INDEX[fix_id].requires if required in skipped]
        if needs and fix_id not in skipped:
            from evalfixes.runtime.warn import warn

            skipped[fix_id] = f"needs {', '.join(needs)}, which is skipped"
            warn(f"{fix_id} is skipped too: without {', '.join(needs)} it would do harm")
    return [fix_id for fix_id in wanted if fix_id not in skipped], skipped


engine = Engine()
"""The one engine of this process."""

if hasattr(os, "register_at_fork"):  # a thread that is not copied cannot release the lock
    os.register_at_fork(after_in_child=lambda: setattr(engine, "lock", RLock()))


def apply(
    *ids: str,
    skip: Iterable[str] = (),
    strict: bool | None = None,
    rejudge: int | None = None,
    incomplete: str | None = None,
    allow_unscored: Sequence[dict[str, Any]] | None = None,
    deepeval_errors: str | None = None,
) -> Report:
    """Puts fixes in place in this interpreter, now or when their upstream module is imported.

    It imports no upstream package and may be called before or after one is imported, more than
    once, and from any thread. ``EVALFIXES_SKIP=id,id`` and ``EVALFIXES_DISABLE=1`` in the
    environment leave fixes out.

    An option that is not given here is taken from the environment (``EVALFIXES_STRICT``,
    ``EVALFIXES_REJUDGE``, ``EVALFIXES_INCOMPLETE``, ``EVALFIXES_DEEPEVAL_ERRORS``,
    ``EVALFIXES_ALLOW_UNSCORED``), else from ``[tool.evalfixes]`` in the nearest ``pyproject.toml``,
    else it has its default. What is skipped in the three of them adds up.

    Args:
        *ids: Fix ids; what they require comes with them. None for every fix that is on by default.
        skip: Fix ids to leave out; fixes that require one of them are left out too, with a warning.
        strict: Raise where a fix cannot be put in place, instead of warning (default: False).
        rejudge: How often an incomplete reply is put to the judge again, for what is missing only
            (default: 1; 0 turns it off).
        incomplete: What becomes of parts that stay missing: ``decide`` (the default: a status that they
            cannot change stands, with the worse score), ``unscored`` or ``worst``.
        allow_unscored: Metrics known to be unavailable, which then do not gate while they are unscored:
            tables of ``metric``, ``reason`` and ``until``.
        deepeval_errors: ``raise`` (the default) an `UnscoredError` out of ``measure``, or ``record`` it on
            the metric.

    Returns:
        A report that prints as a table; it is worked out when it is looked at.

    Raises:
        UnknownFixError: An id is not in the catalogue; nothing was changed.
        OptionError: An option's value means nothing; nothing was changed.
        DriftError: Under ``strict``, a fix does not fit what is installed. Under ``strict`` a later
            import of an upstream module can raise it too.
    """
    given = {
        "strict": strict,
        "rejudge": rejudge,
        "incomplete": incomplete,
        "allow_unscored": allow_unscored,
        "deepeval_errors": deepeval_errors,
    }
    found, excused = options_module.settle(given)
    strict = found.pop("strict", False)
    options = options_module.Options(**found)
    for name, value in (("skip", skip), ("ids", ids)):
        if isinstance(value, str):
            from evalfixes.errors import OptionError

            raise OptionError(f"evalfixes.apply: {name}={value!r} is a string; give a list of fix ids")
    skip = tuple(skip)
    selected = select(ids, skip, excused)
    options_module.current = options
    engine.choose(*selected, bool(strict))
    if "EVALFIXES_RECORD" in os.environ:
        from evalfixes.runtime.record import arrange

        arrange()
    return Report()


def revert(*ids: str) -> list[str]:
    """Takes fixes out again: the very objects that were replaced are bound as before.

    Args:
        *ids: Fix ids; none for all. Fixes that require one of them are taken out with it.

    Returns:
        Targets that were left as they are, because somebody else replaced them after evalfixes did.

    Raises:
        UnknownFixError: An id is not in the catalogue; nothing was changed.
    """
    if not ids:
        return engine.withdraw()
    catalog.closure(ids)
    wanted = set(ids)
    return engine.withdraw(
        [fix_id for fix_id in reversed(list(engine.chosen)) if wanted & {*catalog.closure([fix_id])}]
    )


class Report:
    """What `apply` did: iterate over it for one `FixStatus` per fix, print it for a table.

    It looks at the process when it is looked at, so it shows fixes that were put in place later too.
    """

    def __iter__(self) -> Iterator[FixStatus]:
        from evalfixes.runtime.state import status

        return iter(status())

    def __str__(self) -> str:
        from evalfixes.runtime.state import render

        return render(list(self))

    def __repr__(self) -> str:
        return f"<evalfixes: {str(self).splitlines()[0]}>"


class applied:  # noqa: N801 - reads as a verb in `with evalfixes.applied():`
    """Context manager: `apply` on entry, and on exit take out what was not chosen before.

    It changes the whole process, not only the thread or task that enters it.
    """

    def __init__(self, *ids: str, **options: Any) -> None:
        self._ids = ids
        self._options = options

    def __enter__(self) -> Report:
        self._before = set(engine.chosen)
        self._settings = engine.skipped, engine.strict, options_module.current
        return apply(*self._ids, **self._options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        engine.withdraw([fix_id for fix_id in reversed(list(engine.chosen)) if fix_id not in self._before])
        engine.skipped, engine.strict, options_module.current = self._settings
