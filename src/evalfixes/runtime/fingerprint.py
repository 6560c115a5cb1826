"""Fingerprints: hashes of a symbol's source text, read from files and never from an import.

The text is what the file says between the symbol's first line (decorators included) and its last,
with line ends normalised. It does not depend on the Python that reads it.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import sys
from collections.abc import Iterable
from pathlib import Path

from evalfixes.facts import ABSENT

LENGTH = 12
"""Hexadecimal digits kept of a SHA-256; enough to tell texts of one symbol apart."""


def of_source(source: str, qualnames: Iterable[str]) -> dict[str, str]:
    """The fingerprint of each symbol of a module's text, `ABSENT` where it does not define it.

    A qualname leads to a function, a method, a class or an assigned name of a module or class; the
    empty qualname is the module's whole text.

    Raises:
        SyntaxError: The text is not Python that this interpreter understands.
    """
    table = _table(source)
    return {qualname: table.get(qualname, ABSENT) for qualname in qualnames}


def _table(source: str) -> dict[str, str]:
    """The fingerprints of all symbols of a module's text; of several of one name, the last one's."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    found = {"": _hash(text)}

    def visit(body: Iterable[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                found[prefix + node.name] = _hash("\n".join(lines[first - 1 : node.end_lineno]))
                if isinstance(node, ast.ClassDef):
                    visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        found[prefix + target.id] = _hash("\n".join(lines[node.lineno - 1 : node.end_lineno]))
            elif isinstance(node, (ast.If, ast.Try)):
                visit(node.body, prefix)
                for handler in getattr(node, "handlers", []):
                    visit(handler.body, prefix)
                visit(node.orelse, prefix)

    visit(ast.parse(text).body, "")
    return found


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


_tables: dict[Path, tuple[tuple[int, int], dict[str, str]]] = {}


def _table_of(path: Path) -> dict[str, str]:
    """The fingerprints in a file, kept while the file stays the same: many fixes look at one file."""
    info = path.stat()
    stamp = (info.st_mtime_ns, info.st_size)
    known = _tables.get(path)
    if known is None or known[0] != stamp:
        known = _tables[path] = (stamp, _table(path.read_text(encoding="utf-8")))
    return known[1]


def source_file(module: str) -> Path | None:
    """The file that an import of the module would read, found without importing anything."""
    loaded = sys.modules.get(module)
    origin = getattr(getattr(loaded, "__spec__", None), "origin", None) or getattr(loaded, "__file__", None)
    if origin and origin.endswith(".py"):
        return Path(origin)
    top, *below = module.split(".")
    spec = importlib.machinery.PathFinder.find_spec(top) or _editable(top)
    if spec is None:
        return None
    path = Path(spec.origin) if spec.origin and spec.origin.endswith(".py") else None
    folders = list(spec.submodule_search_locations or ())
    name = top
    # From here on by hand: the path finder wants the parents of namespace packages imported.
    for part in below:
        folders = list(getattr(sys.modules.get(name), "__path__", None) or folders)
        name = f"{name}.{part}"
        path, folders = _inside([Path(folder) for folder in folders], part)
        if path is None and not folders:
            return None
    return path


def _editable(name: str) -> importlib.machinery.ModuleSpec | None:
    """Asks the finders of editable installs, which keep packages off `sys.path`."""
    for finder in sys.meta_path:
        if getattr(finder, "__module__", "").startswith("__editable__"):
            spec = finder.find_spec(name, None)
            if spec is not None:
                return spec
    return None


def _inside(folders: list[Path], name: str) -> tuple[Path | None, list[str]]:
    """A module's file and, for a package, where its modules are; a namespace package has no file."""
    namespace = []
    for folder in folders:
        package = folder / name
        if (package / "__init__.py").is_file():
            return package / "__init__.py", [str(package)]
        if (folder / f"{name}.py").is_file():
            return folder / f"{name}.py", []
        if package.is_dir():
            namespace.append(str(package))
    return None, namespace


def read(symbols: Iterable[str]) -> tuple[dict[str, str], dict[str, Path]]:
    """Fingerprints of ``module:qualname`` symbols as installed, and the files they were read from.

    A symbol whose module has no readable source file is `ABSENT`, and its module has no file.

    Raises:
        SyntaxError: A file is not Python that this interpreter understands.
        OSError: A file cannot be read.
    """
    prints: dict[str, str] = {}
    files: dict[str, Path] = {}
    for symbol in symbols:
        module, _, qualname = symbol.partition(":")
        if module not in files:
            path = source_file(module)
            if path is None:
                prints[symbol] = ABSENT
                continue
            files[module] = path
        prints[symbol] = _table_of(files[module]).get(qualname, ABSENT)
    return prints, files
