from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import cores


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cores, in a folder where they can be changed."""
    shutil.copytree(cores.CORES, tmp_path / "verdicts")
    monkeypatch.setattr(cores, "CORES", tmp_path / "verdicts")
    return tmp_path / "verdicts"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), "utf-8")


def found() -> set[str]:
    return {
        name for _, path, text in cores.copies() if (copy := cores.copy_of(path)) for name in cores.problems(copy, text)
    }


def test_every_copy_is_its_core() -> None:
    assert cores.check() == 0


@pytest.mark.parametrize(
    ("core", "old", "new", "name"),
    [
        ("critique", '"almost", "partially valid"', '"almost", "nearly", "partially valid"', "_BAD"),
        ("rubrics", "zip(rubrics, folded, strict=True)", "zip(rubrics, folded[:], strict=True)", "_Index"),
        ("aggregate", "answered: bool = True", "answered: bool = False", "Part"),
        ("thoughts", "def answer_only(", "def answers_only(", "answer_only"),
    ],
)
def test_a_core_that_changes_is_noticed(changed: Path, core: str, old: str, new: str, name: str) -> None:
    edit(changed / f"{core}.py", old, new)
    assert name in found()


def test_words_and_layout_are_free(changed: Path) -> None:
    edit(changed / "segments.py", '"""Letters and digits, in one spelling."""', '"""Other words."""  # and a remark')
    assert found() == set()


def test_what_is_not_its_core_is_written_in_upstreams_spelling(changed: Path, tmp_path: Path) -> None:
    path = tmp_path / "src/google/adk/evaluation/_critique_labels.py"
    path.parent.mkdir(parents=True)
    path.write_text(next(text for _, p, text in cores.copies() if p.endswith("/_critique_labels.py")), "utf-8")
    before = path.read_text("utf-8")
    assert cores.sync(tmp_path) == 0
    assert path.read_text("utf-8") == before
    edit(changed / "critique.py", "    return retracts(text) or (", "    return argues(text) or retracts(text) or (")
    edit(changed / "critique.py", "import explains, retracts", "import argues, explains, retracts")
    edit(changed / "critique.py", "def _meaning(name: str,", "def _meaning(name: str | None,")
    assert cores.sync(tmp_path) == 3
    after = path.read_text("utf-8")
    assert "\n  return argues(text) or retracts(text) or (" in after
    assert "def _meaning(name: Optional[str]," in after
    assert "\ndef argues(text: str) -> bool:\n" in after
    assert cores.problems(cores.COPIES["_critique_labels.py"], after) == {}


def test_an_unlisted_module_is_an_error() -> None:
    with pytest.raises(LookupError, match="add it"):
        cores.copy_of("src/google/adk/evaluation/_new.py")
