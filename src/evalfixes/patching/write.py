"""Writes a set of files so that either all of them change or none does."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


class WriteError(Exception):
    """Files could not be written; those already written were put back."""


@dataclass(frozen=True)
class Change:
    """The content of a file before and after; None where there is no file."""

    before: bytes | None
    after: bytes | None


def write(changes: Mapping[Path, Change]) -> None:
    """Carries out all changes, or none.

    Every new content is written beside its file first and put in place by a rename, so that nobody
    reads half a file, and hard links (into a package manager's cache) are not written through. Mode
    bits are kept.

    Raises:
        WriteError: The disk says no, or a file is not what it was when the change was worked out.
    """
    staged: dict[Path, Path] = {}
    done: list[Path] = []
    folders: list[Path] = []
    path = Path()
    try:
        for path, change in changes.items():
            if _content(path) != change.before:
                raise OSError("it changed while it was being patched")
            if change.after is not None:
                folders += _make_folders(path.parent)
                staged[path] = _stage(path, change.after)
        for path, change in changes.items():
            if change.after is None:
                path.unlink()
            else:
                staged[path].replace(path)
            done.append(path)
    except BaseException as error:
        for temporary in staged.values():
            with suppress(OSError):
                temporary.unlink()
        lost = [str(p) for p in reversed(done) if not _restore(p, changes[p].before)]
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        if not isinstance(error, OSError):
            raise
        also = f"; and could not be put back: {', '.join(lost)}" if lost else "; no file was changed"
        raise WriteError(f"{path}: {error.strerror or error}{also}") from error
    for path in changes:
        _drop_unchecked(path)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _make_folders(folder: Path) -> list[Path]:
    made: list[Path] = []
    while not folder.is_dir():
        made.append(folder)
        folder = folder.parent
    for each in reversed(made):
        each.mkdir()
    return list(reversed(made))


def _stage(path: Path, content: bytes) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".evalfixes", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        if path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        else:
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def _restore(path: Path, before: bytes | None) -> bool:
    try:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            _stage(path, before).replace(path)
    except OSError:
        return False
    return True


def _drop_unchecked(path: Path) -> None:
    """Removes bytecode that Python would load without a look at the changed source (PEP 552)."""
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        with suppress(OSError):
            if cached.read_bytes()[4:8] == (1).to_bytes(4, "little"):
                cached.unlink()
