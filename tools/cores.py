"""Holds the copies of cores inside patches against the cores, and brings them up to date.

    python tools/cores.py check           every copy in every patch; exits 1 if one is not its core
    python tools/cores.py sync FOLDER     rewrites, in a checkout of tools/patches.py, what is not its core

A patch imports nothing of this project, so it carries the definitions of ``src/evalfixes/verdicts`` that it
needs, in upstream's style. What is compared is each definition's syntax tree, without docstrings and
comments, and after the spellings that upstreams ask for are made one (see `Spelling`); so nothing but
layout and words to people is free. A definition that a copy needs otherwise than its core is listed
in `COPIES` as adapted, with the fingerprint of the core's: it is to be looked at again when that changes.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from evalfixes.patching.diff import apply
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES

ROOT = Path(__file__).resolve().parents[1]
CORES = ROOT / "src" / "evalfixes" / "verdicts"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Copy:
    """What a module inside a patch is made of.

    Attributes:
        cores: The modules of `evalfixes.verdicts` that it copies from.
        own: Definitions of its own, which no core has.
        adapted: Definitions that differ from their core on purpose, with the fingerprint of the core's.
    """

    cores: tuple[str, ...]
    own: frozenset[str] = frozenset()
    adapted: dict[str, str] = field(default_factory=dict)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


COPIES = {
    "_json_values.py": Copy(("plain",)),
    "_sentence_segments.py": Copy(("segments",)),
    "_sentence_labels.py": Copy(("hedges", "sentences"), adapted={"Reading": "4f6233ab9bcf"}),
    "_critique_labels.py": Copy(("hedges", "critique")),
    "_rubric_answers.py": Copy(("hedges", "rubrics"), own=_names("only_answer")),
    "_reply_text.py": Copy(("thoughts",), own=_names("get_text_from_reply")),
    "_unscored_parts.py": Copy(
        ("aggregate",),
        own=_names(
            "GetStatus _SCALES _LAST_INVOCATION_ONLY scale_of part_of mean _Notes _result_notes _invocation_notes "
            "note_part part_of_result _part_of_invocation with_unscored_results _part_of_rows"
        ),
        adapted={"Part": "fc3ad10c4136", "_mean": "1f6b2fbc3336", "decide": "54345a65f700"},
    ),
    "utils/verdict_reading.py": Copy(("yesno",), adapted={"read": "731957e5eaa7"}),
    "metrics/verdict_reading.py": Copy(
        ("yesno",),
        own=_names("MISSING UnscoredError MissingVerdict read_verdicts _read_one _bounds"),
        adapted={"read": "731957e5eaa7", "_leading": "91d873c60ae0"},
    ),
    "score_scale.py": Copy(
        ("scale",),
        own=_names(
            "MISSING INVALID Scale UnscoredError up_to_one up_to_ten asked_for unscored decide require_scale "
            "decide_parts"
        ),
    ),
    "utils/verdict_count.py": Copy(
        ("lists",), own=_names("counted_verdicts _match _echoed _unmatched _is_ranked _sorted")
    ),
    "metrics/verdict_count.py": Copy(("lists",), own=_names("counted_verdicts _match _echoed _unmatched _word")),
    "repeated_keys.py": Copy(("repeated",), own=_names("RepeatedKeyError refuse_repeated_keys")),
    "tool_pairing.py": Copy(("pairing",)),
    "output_pairing.py": Copy(("pairing",)),
}
"""By the end of the path of a module that a patch creates."""

WITHOUT_CORE = _names(
    "coverage_answers.py listed.py missing_verdicts.py stray_outputs.py tool_evidence.py tool_outputs.py "
    "turn_counts.py unjudged.py"
)
"""Modules that patches create and that copy no core: they do what upstream's own types ask for."""


NOT_ITS_CORE = "is not its core's"
MISSING = "is used, and missing"


class Spelling(ast.NodeTransformer):
    """Makes one of the spellings that upstreams and this project use for the same.

    ``Optional[X]`` is ``X | None``; ``List`` and ``Tuple`` are the built-in types; names of `dataclasses`
    are used with or without the module; ``zip`` has no ``strict``, which Python 3.9 does not know.
    """

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "Optional":
            return ast.BinOp(node.slice, ast.BitOr(), ast.Constant(None))
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name({"List": "list", "Tuple": "tuple"}.get(node.id, node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "dataclasses":
            return ast.Name(node.attr, node.ctx)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = [k for k in node.keywords if k.arg != "strict"]
        return node


def plain(node: ast.stmt) -> str:
    """A definition as text in one layout and one spelling, without docstrings."""
    copy = Spelling().visit(ast.parse(ast.unparse(node)).body[0])
    for inner in ast.walk(copy):
        body = getattr(inner, "body", None)
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and isinstance(body, list):
            inner.body = [s for n, s in enumerate(body) if n or not _is_text(s)] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(copy))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def definitions(text: str) -> dict[str, Definition]:
    """The functions, classes and assigned names of a module.

    Raises:
        ValueError: It holds other statements than these, imports and texts.
    """
    found: dict[str, Definition] = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            found[ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)] = node
        elif not isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_text(node):
            raise ValueError(f"line {node.lineno}: a statement that is no definition")
    return found


def fingerprint(node: ast.stmt) -> str:
    """The same on every Python: neither `ast.dump` nor `ast.unparse` writes the same text on all of them."""
    return hashlib.sha256(repr(_shape(ast.parse(plain(node)))).encode()).hexdigest()[:12]


def _shape(value: object) -> object:
    if isinstance(value, ast.AST):
        fields = [(name, _shape(held)) for name, held in ast.iter_fields(value) if held not in (None, [])]
        return (type(value).__name__, fields)
    return [_shape(held) for held in value] if isinstance(value, list) else value


def of_cores(copy: Copy) -> dict[str, Definition]:
    """The definitions of the cores of a copy, by name; a name that two of them have must be one thing."""
    found: dict[str, Definition] = {}
    for core in copy.cores:
        for name, node in definitions((CORES / f"{core}.py").read_text("utf-8")).items():
            if name in found and plain(found[name]) != plain(node):
                raise ValueError(f"{name} is something else in each of {', '.join(copy.cores)}")
            found[name] = node
    return found


def problems(copy: Copy, text: str) -> dict[str, str]:
    """What of a copy is not as its cores are, by name of the definition."""
    cores = of_cores(copy)
    mine = definitions(text)
    found: dict[str, str] = {}
    for name, node in mine.items():
        if name in copy.own:
            if name in cores:
                found[name] = "is listed as its own, but a core has it"
        elif name not in cores:
            found[name] = f"is in none of its cores ({', '.join(copy.cores)})"
        elif name in copy.adapted and plain(node) == plain(cores[name]):
            found[name] = "is listed as adapted, but is its core's"
        elif name in copy.adapted:
            if fingerprint(cores[name]) != copy.adapted[name]:
                found[name] = (
                    f"is adapted from a core that has changed; look at it, then note {fingerprint(cores[name])}"
                )
        elif plain(node) != plain(cores[name]):
            found[name] = NOT_ITS_CORE
    lacking = {name for node in mine.values() for name in used(node)} & (cores.keys() - mine.keys())
    found |= dict.fromkeys((copy.own | copy.adapted.keys()) - mine.keys(), "is listed, and not there")
    return found | dict.fromkeys(lacking, MISSING)


def used(node: ast.stmt) -> set[str]:
    """The names that a definition reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def copies() -> Iterator[tuple[Patch, str, str]]:
    """Each module that a patch creates: the patch, its path in the upstream repository, its text."""
    for dist in sorted(PREFIXES):
        for patch in (p for found in series(dist).patches.values() for p in found):
            for change in patch.files:
                if change.new and change.path.startswith(PREFIXES[dist]):
                    yield patch, change.path, (apply(change, None) or b"").decode("utf-8")


def copy_of(path: str) -> Copy | None:
    """The entry of a module in the table; None if it copies no core.

    Raises:
        LookupError: It is in neither table.
    """
    if Path(path).name in WITHOUT_CORE:
        return None
    for end, copy in COPIES.items():
        if path.endswith(f"/{end}"):
            return copy
    raise LookupError(f"{path}: add it to COPIES or WITHOUT_CORE in tools/cores.py")


def check() -> int:
    """Prints what is not as its core is; returns how much that is."""
    wrong = seen = 0
    for patch, path, text in copies():
        copy = copy_of(path)
        if copy is None:
            continue
        seen += 1
        for name, why in sorted(problems(copy, text).items()):
            wrong += 1
            print(f"{patch.fix_id} {patch.releases}: {Path(path).name}: {name} {why}")
    print(f"{seen} copies of cores, {wrong} differences")
    return wrong


def sync(folder: Path) -> int:
    """Rewrites in a checkout the definitions that are not their core's; returns how many."""
    written = 0
    for dist, prefix in PREFIXES.items():
        for path in sorted((folder / prefix).rglob("*.py")) if (folder / prefix).is_dir() else ():
            name = path.relative_to(folder).as_posix()
            copy = next((c for end, c in COPIES.items() if name.endswith(f"/{end}")), None)
            if copy is not None:
                written += _sync_file(path, copy, 2 if dist == "google-adk" else 4)
    return written


def _sync_file(path: Path, copy: Copy, indent: int) -> int:
    text = path.read_text("utf-8")
    written = 0
    while fixable := sorted(name for name, why in problems(copy, text).items() if why in (NOT_ITS_CORE, MISSING)):
        lines = text.split("\n")
        mine = definitions(text)
        name = fixable[0]
        new = styled(name, copy, indent)
        if name in mine:
            first, last = _span(mine[name])
            lines[first - 1 : last] = new
        else:
            lines = [*text.rstrip("\n").split("\n"), "", "", *new, ""]
        text = "\n".join(lines)
        written += 1
        print(f"{path}: {name}")
    path.write_text(text, "utf-8")
    return written


def _span(node: Definition) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)]), node.end_lineno or node.lineno


def styled(name: str, copy: Copy, indent: int) -> list[str]:
    """A core's definition in upstream's spelling, to be run through upstream's formatter.

    Args:
        name: The definition.
        copy: Says which cores to look in.
        indent: Spaces per level; with 2, the spelling is that of google-adk, which still has Python 3.9.
    """
    for core in copy.cores:
        source = (CORES / f"{core}.py").read_text("utf-8")
        node = definitions(source).get(name)
        if node is not None:
            break
    else:
        raise LookupError(f"{name} is in none of {', '.join(copy.cores)}")
    lines = source.split("\n")
    if indent == 2:
        for row, start, end, words in sorted(_respelled(node, source), reverse=True):
            line = lines[row].encode()
            lines[row] = (line[:start] + words.encode() + line[end:]).decode()
    first, last = _span(node)
    halved = [(len(line) - len(line.lstrip(" ")), line.lstrip(" ")) for line in lines[first - 1 : last]]
    return [" " * (depth * indent // 4) + rest for depth, rest in halved]


def _respelled(node: Definition, source: str) -> Iterator[tuple[int, int, int, str]]:
    """Places of a definition that google-adk spells otherwise: line, first and last byte, the new words."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitOr) and _is_none(inner.right):
            words = f"Optional[{ast.get_source_segment(source, inner.left)}]"
            yield inner.lineno - 1, inner.col_offset, inner.end_col_offset or 0, words
        elif isinstance(inner, ast.Name) and inner.id in ("dataclass", "field"):
            yield inner.lineno - 1, inner.col_offset, inner.end_col_offset or 0, f"dataclasses.{inner.id}"
        elif isinstance(inner, ast.keyword) and inner.arg == "strict" and inner.lineno == inner.end_lineno:
            yield inner.lineno - 1, inner.col_offset - 2, inner.end_col_offset or 0, ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check")
    commands.add_parser("sync").add_argument("folder", type=Path)
    args = parser.parse_args()
    if args.command == "check":
        return int(check() > 0)
    print(f"{sync(args.folder.resolve())} definitions written; format them as upstream does, then amend and export")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
