"""Finds the data folders `patches/` and `upstream/`, in a wheel and in a checkout."""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """The folder of the given name that came with this copy of evalfixes.

    A wheel carries the folders inside the package; an editable install and a checkout have them
    beside ``src/``.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for place in (package / "_data" / name, package.parents[1] / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"evalfixes: its data folder {name!r} is missing from {package}; reinstall evalfixes")
