"""Fingerprints: hashes of a symbol's source text, read from files and never from an import.

The text is what the file says between the symbol's first line (decorators included) and its last,
with line ends normalised. It does not depend on the Python that reads it.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from evalfixes.facts import ABSENT

LENGTH = 12
"""Hexadecimal digits kept of a SHA-256; enough to tell texts of one symbol apart."""


def of_source(source: str, qualnames: Iterable[str]) -> dict[str, str]:
    """The fingerprint of each symbol of a module's text, `ABSENT` where it does not define it.

    A qualname leads to a function, a method, a class or an assigned module-level name; the empty
    qualname is the module's whole text.
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    tree = ast.parse(text)
    found: dict[str, str] = {}
    for qualname in qualnames:
        if not qualname:
            found[qualname] = _hash(text)
            continue
        node = _find(tree, qualname.split("."))
        if node is None:
            found[qualname] = ABSENT
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        found[qualname] = _hash("\n".join(lines[first - 1 : node.end_lineno]))
    return found


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def _find(scope: ast.AST, path: list[str]) -> ast.stmt | None:
    """The last definition of a dotted name, looking into `if` and `try` blocks of its scope too."""
    found: ast.stmt | None = None
    bodies = [getattr(scope, "body", [])]
    while bodies:
        for node in bodies.pop():
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if node.name == path[0]:
                    found = node
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(isinstance(t, ast.Name) and t.id == path[0] for t in targets):
                    found = node
            elif isinstance(node, (ast.If, ast.Try)):
                bodies += [node.body, node.orelse]
                bodies += [h.body for h in getattr(node, "handlers", [])]
    if found is not None and len(path) > 1:
        return _find(found, path[1:]) if isinstance(found, ast.ClassDef) else None
    return found


def source_file(module: str) -> Path | None:
    """The file that an import of the module would read, found without importing anything."""
    loaded = sys.modules.get(module)
    origin = getattr(getattr(loaded, "__spec__", None), "origin", None) or getattr(loaded, "__file__", None)
    if origin and origin.endswith(".py"):
        return Path(origin)
    parts = module.split(".")
    roots: list[str] | None = None
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        spec = importlib.machinery.PathFinder.find_spec(name, roots)
        if spec is None:
            return None
        if depth == len(parts):
            return Path(spec.origin) if spec.origin and spec.origin.endswith(".py") else None
        if spec.submodule_search_locations is None:
            return None
        package = sys.modules.get(name)
        roots = list(getattr(package, "__path__", None) or spec.submodule_search_locations)
    return None


def read(symbols: Iterable[str]) -> tuple[dict[str, str], dict[str, Path]]:
    """Fingerprints of ``module:qualname`` symbols as installed, and the files they were read from.

    A symbol whose module has no readable source file is `ABSENT`, and its module has no file.

    Raises:
        SyntaxError: A file is not Python that this interpreter understands.
        OSError: A file cannot be read.
    """
    by_module: dict[str, list[str]] = {}
    for symbol in symbols:
        module, _, qualname = symbol.partition(":")
        by_module.setdefault(module, []).append(qualname)
    prints: dict[str, str] = {}
    files: dict[str, Path] = {}
    for module, qualnames in by_module.items():
        path = source_file(module)
        found: Mapping[str, str] = dict.fromkeys(qualnames, ABSENT)
        if path is not None:
            files[module] = path
            found = of_source(path.read_text(encoding="utf-8"), qualnames)
        prints.update({f"{module}:{qualname}": value for qualname, value in found.items()})
    return prints, files
