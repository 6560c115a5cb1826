"""The folder of public data that some tests measure on; it is not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def data(*names: str) -> Path:
    """A file or folder of it, found by ``EVALFIXES_SHARED`` or beside the checkout; skips if it is absent."""
    given = os.environ.get("EVALFIXES_SHARED")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared"
    path = folder.joinpath("data", *names)
    if not path.exists():
        pytest.skip(f"the shared data are not here: {Path(*names)} (set EVALFIXES_SHARED)")
    return path
