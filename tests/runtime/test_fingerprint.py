from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evalfixes.facts import ABSENT
from evalfixes.runtime import fingerprint

SOURCE = """
import os

NAMES = {"a"}
typed: int = 1


@decorated
def one(x):
    # a comment
    return x


class Two:
    kind = 1

    @staticmethod
    def method():
        return 1


try:
    def late(): return 1
except ImportError:
    def late(): return 2
if os.name == "nt":
    def only(): return 1
def one(x): return 2 * x
"""
NAMES = ["", "NAMES", "typed", "one", "Two", "Two.kind", "Two.method", "late", "only"]


def test_symbols_of_every_kind_have_fingerprints() -> None:
    found = fingerprint.of_source(SOURCE, [*NAMES, "gone", "Two.gone", "one.x"])
    assert all(len(found[name]) == fingerprint.LENGTH for name in NAMES)
    assert len({found[name] for name in NAMES}) == len(NAMES)
    assert [found[name] for name in ("gone", "Two.gone", "one.x")] == [ABSENT] * 3


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("def one(x): return 2 * x", "def one(x): return 3 * x", {"", "one"}),
        ("    kind = 1", "    kind = 2", {"", "Two", "Two.kind"}),
        ("        return 1\n", "        return 2\n", {"", "Two", "Two.method"}),
        ("    @staticmethod", "    @classmethod", {"", "Two", "Two.method"}),
        ("import os\n", "import os  # changed\n", {""}),
        ('{"a"}', '{"b"}', {"", "NAMES"}),
    ],
)
def test_only_what_changed_changes(old: str, new: str, changed: set[str]) -> None:
    before, after = (fingerprint.of_source(text, NAMES) for text in (SOURCE, SOURCE.replace(old, new, 1)))
    assert {name for name in NAMES if before[name] != after[name]} == changed


def test_line_ends_and_place_do_not_matter() -> None:
    plain = fingerprint.of_source(SOURCE, NAMES[1:])
    assert fingerprint.of_source(SOURCE.replace("\n", "\r\n"), NAMES[1:]) == plain
    assert fingerprint.of_source("\n\n# moved\n" + SOURCE, NAMES[1:]) == plain


def test_a_file_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "unimported" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "unimported" / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "leaf.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert fingerprint.source_file("unimported.inner.leaf") == package / "leaf.py"
    assert fingerprint.source_file("unimported") == tmp_path / "unimported" / "__init__.py"
    assert fingerprint.source_file("unimported.nothing") is None
    assert fingerprint.source_file("json.decoder") is not None
    assert fingerprint.source_file("sys") is None
    assert "unimported" not in sys.modules


def test_an_edited_file_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edited_module.py"
    path.write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before, files = fingerprint.read(["edited_module:x", "edited_module:y"])
    assert files == {"edited_module": path}
    assert before["edited_module:y"] == ABSENT
    path.write_text("x = 10\n")
    assert fingerprint.read(["edited_module:x"])[0] != {"edited_module:x": before["edited_module:x"]}
