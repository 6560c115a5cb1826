from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evalfixes import generate
from evalfixes._index import INDEX

HEAD = "class Entry: ...\n\n\n"


def fix(fix_id: str, **more: Any) -> Any:
    given = {"id": fix_id, "dist": "toy", "title": "a | b", "modules": ("toy.a",), "requires": (), "default": True}
    return SimpleNamespace(**{**given, **more})


def index(text: str) -> dict[str, tuple[Any, ...]]:
    names: dict[str, Any] = {"Entry": lambda *given, requires=(), default=True: (*given, requires, default)}
    exec(text.partition("\n\n\n")[2].replace("INDEX: dict[str, Entry]", "INDEX"), names)
    found: dict[str, tuple[Any, ...]] = names["INDEX"]
    return found


def test_index_holds_what_the_fixes_say() -> None:
    found = {
        "a": ("toy.a", fix("a", modules=("toy.a", "toy.b"))),
        "b": ("toy.b", fix("b", requires=("a",), default=False)),
        "c": ("toy.c", fix("c", modules=())),
    }
    text = generate.index_text(HEAD + "INDEX: dict[str, Entry] = {}\n", found)
    assert text.startswith(HEAD)
    assert index(text) == {
        "a": ("toy", "toy.a", ("toy.a", "toy.b"), (), True),
        "b": ("toy", "toy.b", ("toy.a",), ("a",), False),
        "c": ("toy", "toy.c", (), (), True),
    }
    assert generate.index_text(text, found) == text


def test_conflict_markers_in_the_index_are_replaced() -> None:
    torn = HEAD + "INDEX: dict[str, Entry] = {\n<<<<<<< ours\n=======\n>>>>>>> theirs\n}\n"
    assert generate.index_text(torn, {}) == HEAD + "INDEX: dict[str, Entry] = {}\n"


def test_an_index_file_without_an_index_is_refused() -> None:
    with pytest.raises(ValueError, match=r"_index\.py"):
        generate.index_text(HEAD, {})


def test_table_escapes_and_says_what_is_not_measured() -> None:
    row = generate.table({"a": ("toy.a", fix("a", default=False))}).splitlines()[2]
    assert row == "| [`a`](docs/fixes/a.md) (only when named) | toy | not yet measured | no release | a \\| b |  |"


TABLES = f"{generate.BEGIN}\nold\n{generate.END}\nbetween\n{generate.METRICS}\nold\n{generate.END_METRICS}"


@pytest.mark.parametrize(
    "readme", ["no markers", f"{generate.END} {generate.BEGIN}", TABLES.partition(generate.METRICS)[0]]
)
def test_a_readme_without_markers_is_refused(readme: str) -> None:
    with pytest.raises(ValueError, match="README"):
        generate.readme_text(readme, {})


def test_text_around_the_table_stays() -> None:
    readme = f"above\n{TABLES}\nbelow\n"
    text = generate.readme_text(readme, {})
    assert text.startswith("above\n")
    assert text.endswith("\nbelow\n")
    assert "\nbetween\n" in text
    assert "old" not in text
    assert generate.readme_text(text, {}) == text


def test_fixes_that_clash_or_require_nothing_known_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "fixes" / "toy"
    folder.mkdir(parents=True)
    for name in ("_shared", "one", "two"):
        (folder / f"{name}.py").touch()
    made = {"one": fix("x"), "two": fix("x")}
    load = lambda name: SimpleNamespace(FIX=made[name.rpartition(".")[2]])  # noqa: E731
    monkeypatch.setattr(generate, "import_module", load)
    with pytest.raises(ValueError, match=r"x is defined in toy\.one and again in toy\.two"):
        generate.discover(tmp_path)
    made["two"] = fix("y", requires=("z",))
    with pytest.raises(ValueError, match=r"toy\.two: y requires z"):
        generate.discover(tmp_path)
    made["two"] = fix("a", requires=("x",))
    assert list(generate.discover(tmp_path)) == ["a", "x"]


def test_the_index_is_that_of_the_fixes() -> None:
    found = generate.discover()
    assert sorted(found) == sorted(INDEX)  # other tests take entries out and put them back
    for fix_id, (home, one) in found.items():
        entry = INDEX[fix_id]
        assert (entry.dist, entry.home, entry.modules) == (one.dist, home, one.modules)
        assert (entry.requires, entry.default) == (one.requires, one.default)
