from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from patched_tests import Outcome, Row, RunError, Runner, carried_tests

from evalfixes.patching.series import series

FAILS, PASSES = Outcome(passed=1, failed=2), Outcome(passed=3)
PATCH = series("google-adk").patches["adk-rubric-turns"][0]


def problems(**states: Outcome) -> list[str]:
    good = {"pristine": FAILS, "unused": FAILS, "patched": PASSES, "together": PASSES}
    return Row(PATCH, **{**good, **states}).problems


def test_a_test_that_fails_before_and_passes_after_is_right() -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ("pristine", PASSES),
        ("pristine", Outcome()),
        ("pristine", Outcome(broken=1)),
        ("pristine", Outcome(failed=1, broken=1)),
        ("unused", PASSES),
        ("unused", Outcome(broken=1)),
        ("unused", Outcome(failed=1, broken=1)),
        ("patched", FAILS),
        ("patched", Outcome()),
        ("patched", Outcome(passed=2, broken=1)),
        ("together", FAILS),
    ],
)
def test_any_other_outcome_is_a_problem(state: str, outcome: Outcome) -> None:
    assert len(problems(**{state: outcome})) == 1


def test_the_tests_are_those_that_the_patch_names() -> None:
    assert carried_tests(PATCH) == ["tests/unittests/evaluation/test_rubrics_of_each_invocation.py"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "src/toy_upstream/__init__.py": "VALUE = 1\n",
        "tests/test_value.py": """\
            import toy_upstream

            def test_one():
                assert toy_upstream.VALUE == 1

            def test_two():
                assert toy_upstream.VALUE == 2
            """,
        "tests/test_late.py": """\
            def test_module():
                import toy_upstream.new

            def test_name():
                from toy_upstream import NEW

            def test_message():
                raise ValueError("ImportError is only what it says")
            """,
        "tests/test_new.py": "import toy_upstream.new\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(textwrap.dedent(text))
    return tmp_path


def test_each_run_imports_the_tree_as_it_then_is(tree: Path) -> None:
    runner = Runner(tree, "toy_upstream", tree / "src")
    tests = ["tests/test_value.py", "tests/test_new.py"]
    assert runner.run(tests) == {tests[0]: Outcome(passed=1, failed=1), tests[1]: Outcome(broken=1)}
    (tree / "src/toy_upstream/__init__.py").write_text("VALUE = 22 - 20\n")
    assert runner.run(tests[:1]) == {tests[0]: Outcome(passed=1, failed=1)}
    (tree / "src/toy_upstream/__init__.py").write_text("VALUE = type('Both', (), {'__eq__': lambda *_: True})()\n")
    assert runner.run(tests[:1]) == {tests[0]: Outcome(passed=2)}
    assert "toy_upstream" not in sys.modules


def test_a_module_that_asks_for_the_package_is_imported_with_each_tree(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = tmp_path_factory.mktemp("beside")
    (beside / "toy_friend.py").write_text(
        "try:\n    import toy_upstream\nexcept ImportError:\n    toy_upstream = None\n"
    )
    monkeypatch.syspath_prepend(beside)
    (tree / "tests/test_friend.py").write_text(
        "import toy_friend\n\ndef test():\n    assert toy_friend.toy_upstream.VALUE == 2\n"
    )
    runner = Runner(tree, "toy_upstream", tree / "src")
    tests = ["tests/test_friend.py"]
    assert runner.run(tests) == {tests[0]: Outcome(failed=1)}
    (tree / "src/toy_upstream/__init__.py").write_text("VALUE = 22 - 20\n")
    assert runner.run(tests) == {tests[0]: Outcome(passed=1)}


def test_a_failure_for_an_import_is_no_failure_of_the_release(tree: Path) -> None:
    tests = ["tests/test_late.py"]
    assert Runner(tree, "toy_upstream", tree / "src").run(tests) == {tests[0]: Outcome(failed=1, broken=2)}


def test_a_package_from_elsewhere_is_an_error(tree: Path) -> None:
    with pytest.raises(RunError, match="json is from"):
        Runner(tree, "json", tree / "src").run(["tests/test_value.py"])


def test_a_test_that_is_not_there_is_an_error(tree: Path) -> None:
    with pytest.raises(RunError):
        Runner(tree, "toy_upstream", tree / "src").run(["tests/test_missing.py"])


def test_no_test_is_no_outcome(tree: Path) -> None:
    assert Runner(tree, "toy_upstream", tree / "src").run([]) == {}
