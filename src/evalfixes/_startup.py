"""Applies all fixes while an interpreter starts: for `evalfixes run` and `evalfixes activate`.

Nothing calls this unless one of the two was asked for.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def begin(folder: str = "") -> str:
    """Applies the fixes, and keeps the folder of `evalfixes run` in front for programs that are executed.

    Args:
        folder: The folder that `evalfixes run` put on ``PYTHONPATH``; empty to leave that alone.

    Returns:
        Why the fixes could not be applied; empty if they were.
    """
    try:
        from evalfixes.runtime.engine import apply

        apply()
    except Exception as error:
        return f"the fixes cannot be applied: {error}"
    if folder and hasattr(os, "execve"):
        _stay_in_front(folder)
    return ""


_begun = False


def main() -> None:
    """Entry point of the start-up file; a fault of ours never keeps an interpreter from starting."""
    global _begun
    if _begun:  # in a virtual environment `site` goes through the start-up files twice
        return
    _begun = True
    problem = begin()
    if problem:
        if _defaults():  # wrong settings must not leave the metrics as they are
            problem += "; applied with the defaults instead"
        sys.stderr.write(f"evalfixes (activated in {sys.prefix}): {problem}\n")


def _defaults() -> bool:
    """Applies what plain `apply()` would without any settings; whether it could."""
    try:
        from evalfixes._index import INDEX
        from evalfixes.catalog import closure
        from evalfixes.runtime.engine import disabled, engine

        if not disabled():
            engine.choose(closure(fix_id for fix_id, entry in INDEX.items() if entry.default), {}, False)
    except Exception:
        return False
    return True


def _stay_in_front(folder: str) -> None:
    """Makes programs that are executed in place of this one find our `sitecustomize` first.

    Launchers such as opentelemetry-instrument put a `sitecustomize` of their own in front and execute
    the program; theirs imports no other, so the program would run unfixed.
    """

    def in_front(environment: Mapping[Any, Any]) -> str | None:
        entries = str(environment.get("PYTHONPATH", "")).split(os.pathsep)
        if folder not in entries[1:]:
            return None
        return os.pathsep.join([folder, *(entry for entry in entries if entry != folder)])

    def execv(path: Any, argv: Any, /) -> Any:
        """Execute an executable path with arguments, replacing current process."""
        changed = in_front(os.environ)
        if changed is not None:
            os.environ["PYTHONPATH"] = changed
        return old_execv(path, argv)

    def execve(path: Any, argv: Any, env: Mapping[Any, Any]) -> Any:
        """Execute a path with arguments and environment, replacing current process."""
        try:
            changed = in_front(env)
        except Exception:  # no mapping: the real one says so
            changed = None
        return old_execve(path, argv, env if changed is None else {**env, "PYTHONPATH": changed})

    old_execv, old_execve = os.execv, os.execve
    for function in (execv, execve):
        function.__module__, function.__qualname__ = "posix", function.__name__
        setattr(os, function.__name__, function)  # os.execl, execvp and the others call these two
