"""The survey on a synthetic distribution, offline."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
tomlkit = pytest.importorskip("tomlkit")

import survey  # noqa: E402

from evalfixes.runtime.fingerprint import of_source  # noqa: E402

FAULTY = "def score(x):\n    return 1.0\n"
FAULTY_LATER = "def score(x):\n    # a comment\n    return 1.0\n"
FIXED = "def score(x):\n    return None\n"
SYMBOL = "toy.metric:score"
CATALOGUE = {"toy-score": [SYMBOL]}
HEAD = '# why this file\ndist = "toy"\n\n[releases]\n\n'


def mark(text: str) -> str:
    return of_source(text, ["score"])["score"]


def release(trees: Path, version: str, text: str | None, wheel: bool = False) -> None:
    home = trees / "toy"
    home.mkdir(parents=True, exist_ok=True)
    if wheel:
        with zipfile.ZipFile(home / f"toy-{version}-py3-none-any.whl", "w") as archive:
            archive.writestr("toy/__init__.py", "")
            if text is not None:
                archive.writestr("toy/metric.py", text)
        return
    (home / version / "toy").mkdir(parents=True)
    if text is not None:
        (home / version / "toy" / "metric.py").write_text(text)


def variant(releases: str, state: str, text: str | None) -> str:
    value = "absent" if text is None else mark(text)
    return f'  {{ releases = "{releases}", state = "{state}", symbols = {{ "{SYMBOL}" = "{value}" }} }},'


class Bench:
    def __init__(self, folder: Path) -> None:
        self.trees = folder / "trees"
        self.upstream = folder / "upstream"
        self.upstream.mkdir()

    def record(self, *variants: str, affected: str = "1.0..1.10", fixed_in: str = "2.0") -> None:
        lines = ["variants = [", *variants, "]"] if variants else []
        section = [f'affected = "{affected}"  # measured', f'fixed_in = "{fixed_in}"', *lines]
        text = HEAD + "[fixes.toy-score]\n" + "\n".join(section) + "\n"
        (self.upstream / "toy.toml").write_text(text)

    def run(self, *more: str) -> int:
        return survey.main(["--trees", str(self.trees), "--upstream", str(self.upstream), *more], CATALOGUE)

    @property
    def text(self) -> str:
        return (self.upstream / "toy.toml").read_text()

    @property
    def variants(self) -> list[tuple[str, str, str]]:
        found: Any = tomlkit.parse(self.text)["fixes"]["toy-score"]["variants"]
        return [(v["releases"], v["state"], v["symbols"][SYMBOL]) for v in found]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    release(made.trees, "0.9", None)
    release(made.trees, "1.0", FAULTY)
    release(made.trees, "1.2", FAULTY, wheel=True)
    release(made.trees, "1.10", FAULTY_LATER, wheel=True)
    release(made.trees, "2.0", FIXED)
    return made


ALL = [("1.0..1.2", "faulty", FAULTY), ("1.10..1.10", "faulty", FAULTY_LATER), ("2.0..2.0", "fixed-upstream", FIXED)]


def test_a_true_record_differs_in_nothing(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.record(*(variant(*each) for each in ALL))
    before = bench.text
    assert bench.run() == 0
    assert capsys.readouterr().out.splitlines() == ["toy: 5 releases, 1 fixes", "nothing differs"]
    assert bench.run("--write") == 0
    assert bench.text == before


def test_an_empty_record_is_filled_by_the_promised_range(bench: Bench) -> None:
    bench.record()
    assert bench.run() == 1
    assert bench.run("--write") == 0
    assert bench.variants == [(span, state, mark(text)) for span, state, text in ALL]
    assert bench.run() == 0


def test_a_new_release_with_a_known_text_extends_its_variant(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [variant(*each) for each in ALL]
    lines.insert(1, "  # the comment of 1.10")
    bench.record(*lines)
    release(bench.trees, "2.1", FIXED, wheel=True)
    assert bench.run() == 1
    assert "toy-score: 2.1: new release, reads like 2.0..2.0 (fixed-upstream)" in capsys.readouterr().out
    before = bench.text
    assert bench.run("--write") == 0
    assert bench.text == before.replace("2.0..2.0", "2.0..2.1")
    assert bench.run() == 0


def test_a_new_text_after_the_range_gets_no_state(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.record(*(variant(*each) for each in ALL[:2]), fixed_in="")
    assert bench.run("--write") == 1
    assert "2.0: new release, new text; measure its state" in capsys.readouterr().out
    assert [each[0] for each in bench.variants] == ["1.0..1.2", "1.10..1.10"]


def test_a_gap_in_the_promised_range_shows_and_is_closed(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.record("  # first", variant(*ALL[0]), "  # fixed", variant(*ALL[2]))
    assert bench.run() == 1
    assert "1.10: gap in the promised range, new text" in capsys.readouterr().out
    assert bench.run("--write") == 0
    assert bench.variants == [(span, state, mark(text)) for span, state, text in ALL]
    assert all(comment in bench.text for comment in ("# first", "# fixed", "# why this file", "# measured"))
    assert bench.run() == 0


def test_a_record_that_is_not_the_text_shows(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.record(variant("1.0..1.10", "faulty", FAULTY), variant(*ALL[2]))
    assert bench.run() == 1
    assert f"1.10: not the text on record for 1.0..1.10: {SYMBOL}" in capsys.readouterr().out
    assert bench.run("--write") == 0
    assert bench.variants == [(span, state, mark(text)) for span, state, text in ALL]


def test_a_release_that_lacks_the_module_before_the_range(bench: Bench) -> None:
    bench.record(variant("0.9..0.9", "not-affected", None), *(variant(*each) for each in ALL))
    assert bench.run() == 0


def test_a_variant_of_releases_that_do_not_exist_shows(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.record(*(variant(*each) for each in ALL), variant("3.0..3.1", "fixed-upstream", "def score(x): ...\n"))
    assert bench.run() == 1
    assert "3.0..3.1: on record, but none of these releases was found" in capsys.readouterr().out


def test_only_the_chosen_fix(bench: Bench) -> None:
    bench.record()
    assert bench.run("--fix", "another") == 0
    assert bench.run("--dist", "another") == 0
