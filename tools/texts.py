"""What ``patches/<dist>/texts.json`` holds: per symbol the texts that combinations of patches give.

A text is listed as a patched one only if no release has it by itself: such a text would be a sign of a patch
where there is none. A patch whose lines a later release has to the letter must spell them otherwise.
"""

from __future__ import annotations

import ast
import itertools
import json
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from releases import ROOT, released, sources

from evalfixes.facts import upstream
from evalfixes.patching.diff import apply
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES
from evalfixes.runtime import fingerprint

ABSENT = fingerprint.ABSENT


@cache
def symbols(source: bytes | None) -> dict[str, str]:
    """Fingerprints of all functions, methods and assigned names of a module's text."""
    if source is None:
        return {}
    names: list[str] = []

    def collect(body: Iterable[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names.append(prefix + node.name)
            elif isinstance(node, ast.ClassDef):
                collect(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names.extend(prefix + t.id for t in targets if isinstance(t, ast.Name))
            elif isinstance(node, (ast.If, ast.Try)):
                collect([*node.body, *node.orelse], prefix)

    text = source.decode("utf-8")
    collect(ast.parse(text).body, "")
    return fingerprint.of_source(text, names)


def module_name(dist: str, path: str) -> str:
    inner = path.removeprefix(PREFIXES[dist]).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{upstream(dist)['package']}.{inner}"


def texts(dist: str) -> dict[str, object]:
    """The content of ``texts.json``: per symbol the texts that combinations of patches give."""
    known: dict[str, dict[str, list[str]]] = {}
    marks: dict[Patch, set[str]] = {}
    seen: set[tuple[object, ...]] = set()
    for version in released(dist):
        patches = series(dist).for_release(version)
        touched = sorted({c.path for p in patches for c in p.files if c.path.startswith(PREFIXES[dist])})
        pristine = sources(dist, version, touched)
        for path in touched:
            mine = [p for p in patches if any(c.path == path for c in p.files)]
            key = (path, pristine[path], *(p.path for p in mine))
            if key in seen:
                continue
            seen.add(key)
            _texts_of_file(dist, path, pristine[path], mine, known, marks)
    if found := clashes(known, own_texts(dist)):
        raise SystemExit("\n".join(found))
    by_fix: dict[str, list[list[str]]] = {}
    for patch, names in marks.items():
        by_fix.setdefault(patch.fix_id, []).append(sorted(names))
    return {
        "marks": {i: [list(m) for m in sorted({tuple(m) for m in found})] for i, found in sorted(by_fix.items())},
        "texts": {symbol: dict(sorted(t.items())) for symbol, t in sorted(known.items())},
    }


def own_texts(dist: str) -> dict[tuple[str, str], str]:
    """Per symbol and text that a release has by itself: the first such release. Only of files that patches touch."""
    every = [change.path for found in series(dist).patches.values() for patch in found for change in patch.files]
    paths = sorted({path for path in every if path.startswith(PREFIXES[dist])})
    found: dict[tuple[str, str], str] = {}
    for version in released(dist):
        for path, source in sources(dist, version, paths).items():
            for name, text in symbols(source).items():
                found.setdefault((f"{module_name(dist, path)}:{name}", text), version)
    return found


def clashes(known: Mapping[str, Mapping[str, list[str]]], own: Mapping[tuple[str, str], str]) -> list[str]:
    """The patched texts that a release has by itself, as messages."""
    return [
        f"{symbol}: {text}, made of {base} by {' and '.join(fixes)}, is what release {own[symbol, text]} has by "
        "itself; a patch must spell it otherwise, or that release would look patched"
        for symbol, texts_of in known.items()
        for text, (base, *fixes) in texts_of.items()
        if (symbol, text) in own
    ]


def _texts_of_file(
    dist: str, path: str, pristine: bytes | None, patches: list[Patch],
    known: dict[str, dict[str, list[str]]], marks: dict[Patch, set[str]],
) -> None:  # fmt: skip
    module = module_name(dist, path)
    base = symbols(pristine)
    for count in range(1, len(patches) + 1):
        for chosen in itertools.combinations(patches, count):
            ids = [p.fix_id for p in chosen]
            if any(d not in ids and d in {q.fix_id for q in patches} for p in chosen for d in p.depends_on):
                continue
            text: bytes | None = pristine
            touched_by: dict[str, list[str]] = {}
            for patch in chosen:
                before = symbols(text)
                for change in patch.files:
                    if change.path == path:
                        text = apply(change, text)
                after = symbols(text)
                for name in {n for n in {*before, *after} if before.get(n, ABSENT) != after.get(n, ABSENT)}:
                    touched_by.setdefault(name, []).append(patch.fix_id)
                    marks.setdefault(patch, set()).add(f"{module}:{name}")
            final = symbols(text)
            for name, fixes in touched_by.items():
                entry = [base.get(name, ABSENT), *sorted(fixes)]
                value = final.get(name, ABSENT)
                old = known.setdefault(f"{module}:{name}", {}).setdefault(value, entry)
                if old != entry:
                    raise SystemExit(f"{module}:{name}: {value} stands for {old} and for {entry}")


def write_texts(dist: str, check: bool) -> int:
    path = ROOT / "patches" / dist / "texts.json"
    new = json.dumps(texts(dist), indent=1) + "\n"
    if path.is_file() and path.read_text("utf-8") == new:
        return 0
    print(f"{path.relative_to(ROOT)}: {'out of date' if check else 'written'}")
    if not check:
        path.write_text(new, "utf-8")
    return 1
