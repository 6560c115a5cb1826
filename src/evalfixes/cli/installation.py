"""What `evalfixes doctor` tells of evalfixes itself: where it is, and what switches it on by itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from evalfixes.cli.activate import ActivationError, active


def installation() -> dict[str, Any]:
    """As data: the folder in use, other copies on the path, and start-up files of `evalfixes activate`."""
    home = Path(__file__).resolve().parents[1]
    copies = {
        Path(entry, "evalfixes").resolve() for entry in sys.path if Path(entry, "evalfixes/__init__.py").is_file()
    }
    try:
        files = active()
    except ActivationError:  # this Python has no start-up files at all
        files = []
    return {
        "home": str(home),
        "other_copies": sorted(map(str, copies - {home})),
        "startup_files": [str(path) for path in files],
    }


def notes() -> list[str]:
    """The same as lines, where there is something to tell."""
    found = installation()
    lines = [f"active in every Python of {sys.prefix}, by {path}" for path in found["startup_files"]]
    for path in found["other_copies"]:
        lines.append(f"another copy of evalfixes is on the path: {path}; the one in use is {found['home']}")
    return lines
