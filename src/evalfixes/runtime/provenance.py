"""What an installed patched wheel says of itself, in the file that `evalfixes wheel` puts into its dist-info."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

NAME = "evalfixes.json"
"""The file in the wheel's ``*.dist-info``: its base and the patches that went on it."""

MARK = "evalfixes"
"""First part of a patched wheel's local version."""


def of_wheel(dist: str, home: Path) -> tuple[str, ...]:
    """The fixes that the installed wheel of a distribution was built with; none if it is a plain one.

    Args:
        dist: The distribution's name.
        home: The ``__init__.py`` of the package that is imported. A copy elsewhere on the path, which hides
            what is installed, came from no wheel.
    """
    try:
        found = metadata.distribution(dist)
        said = found.read_text(NAME)
        if said is None:
            return ()
        inside = Path(str(found.locate_file(""))).resolve() in home.resolve().parents
        fixes = json.loads(said)["fixes"]
        return tuple(fix["id"] for fix in fixes) if inside else ()
    except (metadata.PackageNotFoundError, OSError, ValueError, KeyError, TypeError):
        return ()
