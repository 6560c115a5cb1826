"""Finds copies of upstream packages under a path by what is in them, not by what they are called."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evalfixes.facts import ABSENT, upstream
from evalfixes.runtime import fingerprint

PREFIXES = {"google-adk": "src/google/adk/", "deepeval": "deepeval/", "agentevals-cli": "src/agentevals/"}
"""Where each distribution's package is in its own repository; patches name files so."""

_SKIPPED = {".git", ".hg", ".svn", "__pycache__", "node_modules", ".mypy_cache", ".ruff_cache"}


class UnsafeFileError(Exception):
    """A file of a copy cannot be patched where it is: the way to it leads through a symbolic link."""


@dataclass
class Copy:
    """One copy of an upstream package.

    Attributes:
        dist: The distribution it is a copy of.
        root: The package's folder.
        top: The path that the search began at; nothing outside of it is read or written.
        contents: Files as they are or are going to be, by path; None for no file.
        originals: The same files as they are on disk.
    """

    dist: str
    root: Path
    top: Path
    contents: dict[Path, bytes | None] = field(default_factory=dict)
    originals: dict[Path, bytes | None] = field(default_factory=dict)

    @property
    def checkout(self) -> Path | None:
        """The root of the upstream checkout that the copy is part of, where tests can be patched too."""
        folders = PREFIXES[self.dist].strip("/").split("/")
        if list(self.root.parts[-len(folders) :]) != folders:
            return None
        root = self.root.parents[len(folders) - 1]
        inside = root == self.top or self.top in root.parents
        return root if inside and (root / "pyproject.toml").is_file() and (root / "tests").is_dir() else None

    def place(self, path: str) -> Path | None:
        """Where a file that a patch names is in this copy; None if this copy is without such files."""
        prefix = PREFIXES[self.dist]
        if path.startswith(prefix):
            return self.root / path.removeprefix(prefix)
        checkout = self.checkout
        return checkout / path if checkout else None

    def read(self, path: Path) -> bytes | None:
        """A file's content after the changes so far.

        Raises:
            UnsafeFileError: A symbolic link, or no regular file, is in the way.
            OSError: It cannot be read.
        """
        if path not in self.contents:
            self._check(path)
            try:
                self.originals[path] = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                self.originals[path] = None
            self.contents[path] = self.originals[path]
        return self.contents[path]

    def _check(self, path: Path) -> None:
        for part in [*reversed(path.relative_to(self.top).parents), path.relative_to(self.top)]:
            try:
                mode = (self.top / part).lstat().st_mode
            except (FileNotFoundError, NotADirectoryError):
                return
            shown = (self.top / part).relative_to(self.top)
            if stat.S_ISLNK(mode):
                raise UnsafeFileError(f"{shown} is a symbolic link; patch what it points to")
        if not stat.S_ISREG(mode):
            raise UnsafeFileError(f"{path.relative_to(self.top)} is no regular file")

    def prints(self, symbols: Iterator[str] | tuple[str, ...]) -> dict[str, str]:
        """Fingerprints of ``module:qualname`` symbols in this copy, after the changes so far.

        A file that is not Python for this interpreter gives the fingerprint ``unreadable``.
        """
        package = upstream(self.dist)["package"]
        by_module: dict[str, list[str]] = {}
        for symbol in symbols:
            module, _, qualname = symbol.partition(":")
            by_module.setdefault(module, []).append(qualname)
        found: dict[str, str] = {}
        for module, qualnames in by_module.items():
            relative = module.removeprefix(package).lstrip(".").replace(".", "/")
            data = None
            for name in (f"{relative}.py", f"{relative}/__init__.py"):
                data = data if data is not None else self.read(self.root / name)
            if data is None:
                values = dict.fromkeys(qualnames, ABSENT)
            else:
                try:
                    values = fingerprint.of_source(text(data), qualnames)
                except (SyntaxError, ValueError):
                    values = dict.fromkeys(qualnames, "unreadable")
            found.update({f"{module}:{qualname}": value for qualname, value in values.items()})
        return found


def text(data: bytes) -> str:
    """Source text for a fingerprint; bytes that are not UTF-8 are kept apart, not refused."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def find(top: Path, landmarks: dict[str, dict[str, list[bytes]]]) -> list[Copy]:
    """All copies of upstream packages in a folder, the folder itself included.

    Symbolic links are not followed. Virtual environments below the folder are left alone: they are
    patched by naming their site-packages.

    Args:
        top: The folder, without symbolic links.
        landmarks: Per distribution the files, relative to its package, that patches change, each
            with words of which one at least must be in it.
    """
    copies: list[Copy] = []
    for name, folders, files in os.walk(top, followlinks=False):
        folder = Path(name)
        folders[:] = sorted(f for f in folders if f not in _SKIPPED and not (folder / f / "pyvenv.cfg").is_file())
        entries = {*folders, *files}
        for dist, marks in landmarks.items():
            if any(m.split("/")[0] in entries and _holds(folder / m, words) for m, words in marks.items()):
                copies.append(Copy(dist, folder, top))
    return copies


def _holds(path: Path, words: list[bytes]) -> bool:
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError:
        return False
    return any(word in data for word in words)
