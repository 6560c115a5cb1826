"""Warnings that point at the user's line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"


def warn(message: str, upstream_root: str = "") -> None:
    """Issues an `EvalfixesWarning` at the first line that is neither ours, importlib's nor upstream's.

    Args:
        message: What was left alone, why, and what to do.
        upstream_root: Folder of the upstream package whose import is going on, if one is.
    """
    import warnings

    from evalfixes.errors import EvalfixesWarning

    level, frame = 1, sys._getframe()
    while frame is not None:
        name = frame.f_code.co_filename
        ours = name.startswith((_PACKAGE, "<frozen importlib")) or f"{os.sep}importlib{os.sep}" in name
        if not ours and not (upstream_root and name.startswith(upstream_root)):
            break
        level += 1
        frame = frame.f_back  # type: ignore[assignment]
    warnings.warn(message, EvalfixesWarning, stacklevel=level)
