"""Pytest plugin: ``--evalfixes``, or ``evalfixes = true`` in the ini, applies the fixes before collection.

Every pytest run of an environment that holds evalfixes imports this module, so it does and imports
nothing until it is switched on.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pytest

    from evalfixes.runtime.state import FixStatus


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options, all of them off."""
    group = parser.getgroup("evalfixes", "repaired evaluation metrics")
    group.addoption("--evalfixes", action="store_true", help="repair the evaluation metrics: evalfixes.apply()")
    group.addoption(
        "--evalfixes-strict",
        action="store_true",
        help="the same, and fail the run where a fix does not fit the installed release",
    )
    parser.addini("evalfixes", "repair the evaluation metrics: evalfixes.apply()", type="bool", default=False)
    parser.addini("evalfixes_strict", "fail the run where a fix does not fit", type="bool", default=False)


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Applies the fixes before the first conftest is imported."""
    _switch_on(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """Applies the fixes where the plugin came too late for the initial conftests, as with ``-p`` in one."""
    _switch_on(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """One line that says what was done."""
    if not _wanted(config)[0]:
        return None
    from evalfixes import status

    return headline(status())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what was not judged, and which fixes are not in place, at the end where nobody overlooks it."""
    if not _wanted(config)[0]:
        return
    from evalfixes import status
    from evalfixes.runtime import ledger

    line = ledger.total.closing_line
    if line:
        terminalreporter.write_line(f"evalfixes: {line}", yellow=True)
    for row in status():
        if row.problem:
            terminalreporter.write_line(f"evalfixes: {row.id} is not in place: {row.problem}", yellow=True)


class _Workers:
    """Brings what the workers of pytest-xdist have counted to the process that shows it."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In a worker: hands over its counts."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            from evalfixes.runtime import ledger

            output["evalfixes"] = [ledger.total.judged, list(ledger.total.unscored.elements())]

    def pytest_testnodedown(self, node: Any) -> None:
        """In the process that started them: adds them up."""
        counted = getattr(node, "workeroutput", {}).get("evalfixes")  # a worker that crashed has none
        if counted:
            from evalfixes.runtime import ledger

            ledger.total.add(*counted)


def headline(rows: tuple[FixStatus, ...]) -> str:
    """The header line: ``evalfixes 0.1.0: 12 applied, 4 fixed upstream, 0 unknown``."""
    from evalfixes import __version__
    from evalfixes._index import INDEX

    applied = fixed = unknown = skipped = out = choice = 0
    for row in rows:
        if row.skipped:
            skipped += 1
        elif row.state == "unknown":
            unknown += 1
        elif row.state == "faulty" and not row.problem and row.id in INDEX and not INDEX[row.id].default:
            choice += 1  # what upstream documents is repaired only where the fix is named
        elif row.problem or row.state == "faulty":
            out += 1
        elif row.state in ("patched", "armed"):
            applied += 1
        elif row.state == "fixed-upstream":
            fixed += 1
    parts = [f"{applied} applied", f"{fixed} fixed upstream", f"{unknown} unknown"]
    parts += [f"{out} not in place"] if out else []
    parts += [f"{skipped} skipped"] if skipped else []
    parts += [f"{choice} by choice"] if choice else []
    return f"evalfixes {__version__}: {', '.join(parts)}"


def _wanted(config: pytest.Config) -> tuple[bool, bool]:
    """Whether to apply, and whether strictly."""
    chosen = config.known_args_namespace
    strict = bool(getattr(chosen, "evalfixes_strict", False) or config.getini("evalfixes_strict"))
    return strict or bool(getattr(chosen, "evalfixes", False) or config.getini("evalfixes")), strict


def _switch_on(config: pytest.Config) -> None:
    wanted, strict = _wanted(config)
    if not wanted:
        return
    from evalfixes.errors import EvalfixesError
    from evalfixes.runtime import ledger, options
    from evalfixes.runtime.engine import apply

    options.start = str(config.rootpath)
    ledger.closed_elsewhere = True
    if config.pluginmanager.hasplugin("xdist") and not config.pluginmanager.hasplugin("evalfixes-workers"):
        config.pluginmanager.register(_Workers(), "evalfixes-workers")
    try:
        apply(strict=strict or None)
    except EvalfixesError as error:
        import pytest

        raise pytest.UsageError(f"evalfixes: {error}") from None
