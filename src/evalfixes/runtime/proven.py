"""What `evalfixes doctor` has proven about files that no known variant matches.

Kept in the user's cache, by fix, evalfixes version and the hash of every file the fix touches: an
edited or updated file is unproven again. Nothing else decides about unknown files, and nothing is
probed in the user's process.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evalfixes import __version__


def cache_file() -> Path:
    """The file that holds the proofs; ``EVALFIXES_CACHE_DIR`` moves its folder."""
    chosen = os.environ.get("EVALFIXES_CACHE_DIR")
    if chosen:
        return Path(chosen) / "proven.json"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "evalfixes" / "proven.json"


def _key(fix_id: str, files: Mapping[str, Path]) -> str:
    digest = hashlib.sha256()
    for module in sorted(files):
        digest.update(module.encode() + b"\0" + hashlib.sha256(files[module].read_bytes()).digest())
    return f"{fix_id} {__version__} {digest.hexdigest()}"


def _load() -> dict[str, str]:
    try:
        data = json.loads(cache_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def lookup(fix_id: str, files: Mapping[str, Path]) -> str | None:
    """The state that was proven for these very files, or None."""
    proofs = _load()
    return proofs.get(_key(fix_id, files)) if proofs and files else None


def store(fix_id: str, files: Mapping[str, Path], state: str) -> bool:
    """Remembers a state; False if the cache cannot be written."""
    if not files:
        return False
    path = cache_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        proofs = {**_load(), _key(fix_id, files): state}
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(proofs, stream, indent=1, sort_keys=True)
        Path(name).replace(path)
    except OSError:
        return False
    return True
