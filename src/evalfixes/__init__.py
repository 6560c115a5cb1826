"""Repairs for evaluation metrics that report a good score without the evidence for it.

``import evalfixes; evalfixes.apply()`` at start-up repairs the metrics of google-adk, deepeval and
agentevals in the running interpreter. Nothing of those packages is imported by it: each fix is put
in place when its upstream module is imported, or at once where it already is.

PYTEST_DONT_REWRITE: there is nothing to rewrite, and pytest warns of plugins imported before it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would cost every start-up a few milliseconds
if TYPE_CHECKING:
    from evalfixes.catalog import fixes as fixes
    from evalfixes.errors import DriftError as DriftError
    from evalfixes.errors import EvalfixesError as EvalfixesError
    from evalfixes.errors import EvalfixesWarning as EvalfixesWarning
    from evalfixes.errors import UnknownFixError as UnknownFixError
    from evalfixes.runtime.engine import applied as applied
    from evalfixes.runtime.engine import apply as apply
    from evalfixes.runtime.engine import revert as revert
    from evalfixes.runtime.state import status as status

__version__ = "0.1.0"

_HOMES = {
    "apply": "evalfixes.runtime.engine",
    "revert": "evalfixes.runtime.engine",
    "applied": "evalfixes.runtime.engine",
    "status": "evalfixes.runtime.state",
    "fixes": "evalfixes.catalog",
    "EvalfixesError": "evalfixes.errors",
    "EvalfixesWarning": "evalfixes.errors",
    "UnknownFixError": "evalfixes.errors",
    "DriftError": "evalfixes.errors",
}

__all__ = [
    "DriftError",
    "EvalfixesError",
    "EvalfixesWarning",
    "UnknownFixError",
    "__version__",
    "applied",
    "apply",
    "fixes",
    "revert",
    "status",
]


if not TYPE_CHECKING:  # a type checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'evalfixes' has no attribute {name!r}")
        value: object = getattr(__import__(home, fromlist=(name,)), name)  # importlib is not free at start-up
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
