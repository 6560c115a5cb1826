"""The fixes there are: lookup by id, by distribution and by what they require."""

from __future__ import annotations

from evalfixes._index import INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalfixes.errors import UnknownFixError
    from evalfixes.fix import Fix


def get(fix_id: str) -> Fix:
    """The fix of the given id.

    Raises:
        UnknownFixError: There is none; the error lists near matches.
    """
    from importlib import import_module

    entry = INDEX.get(fix_id)
    if entry is None:
        raise unknown(fix_id)
    fix: Fix = import_module(f"evalfixes.fixes.{entry.home}").FIX
    return fix


def fixes(dist: str | None = None) -> tuple[Fix, ...]:
    """All fixes of the catalogue, or those of one distribution, in the order of their ids."""
    return tuple(get(fix_id) for fix_id, entry in INDEX.items() if dist in (None, entry.dist))


def closure(fix_ids: Iterable[str]) -> list[str]:
    """The given fixes and all that they require, what is required first.

    Raises:
        UnknownFixError: An id is not in the catalogue.
    """
    ordered: dict[str, None] = {}

    def visit(fix_id: str) -> None:
        entry = INDEX.get(fix_id)
        if entry is None:
            raise unknown(fix_id)
        if fix_id not in ordered:
            for required in entry.requires:
                visit(required)
            ordered[fix_id] = None

    for fix_id in fix_ids:
        visit(fix_id)
    return list(ordered)


def unknown(fix_id: str) -> UnknownFixError:
    """The error for an id that is not in the catalogue."""
    from evalfixes.errors import UnknownFixError

    return UnknownFixError(fix_id, INDEX)
