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

    frame = sys._getframe()
    while frame.f_back is not None:
        name = frame.f_code.co_filename
        ours = name.startswith((_PACKAGE, "<frozen importlib")) or f"{os.sep}importlib{os.sep}" in name
        if not ours and not (upstream_root and name.startswith(upstream_root)):
            break
        frame = frame.f_back
    # `stacklevel` does not count frames of the import system, so the line is named outright.
    warnings.warn_explicit(
        message,
        EvalfixesWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
