"""What goes into an upstream pull request, told without any upstream; `nox -s bundles` makes them all for real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evalfixes import catalog
from evalfixes.cli import main
from evalfixes.fix import Fix
from evalfixes.patching import pull_request
from evalfixes.patching.conventions import CONVENTIONS
from evalfixes.patching.pull_request import (
    PullRequestError,
    UnprovenError,
    _commit,
    _diff,
    _linked,
    _measured,
    _message,
    make,
    newest,
    patch_for,
    stack,
)
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES
from evalfixes.runtime.decide import FAULTY, Decision

STRICT = "deepeval-role-violation-strict"
THOUGHTS = "adk-response-match-thoughts"
MCP = "agentevals-mcp-passed"
LABELS = "adk-hallucinations-sentence-labels"
OPEN = [p for dist in PREFIXES for p in series(dist).for_release(newest(dist))]


def right(fix: Fix) -> dict[str, Any]:
    return {s.name: dict(s.right) for s in fix.scenarios}


def wrong(fix: Fix) -> dict[str, Any]:
    return {s.name: dict(s.right if s.wrong is None else {**s.right, **s.wrong}) for s in fix.scenarios}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment in which the newest release is installed and all goes well."""
    monkeypatch.setattr(pull_request, "_installed", lambda fix, below: None)
    monkeypatch.setattr(pull_request, "lay", _lay)
    monkeypatch.setattr(pull_request, "_pytest", lambda fix, tree, tests, fails: "2 failed" if fails else "2 passed")
    monkeypatch.setattr(pull_request, "_outcomes", lambda fix, tree: right(fix) if tree else wrong(fix))


def _lay(dist: str, folder: Path, patches: list[Patch]) -> None:
    for change in (change for patch in patches for change in patch.files):
        (folder / change.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / change.path).write_text("")


@pytest.mark.parametrize("patch", OPEN, ids=lambda p: p.fix_id)
class TestMessage:
    def test_it_is_upstreams_own(self, patch: Patch) -> None:
        text = _commit(patch)
        title = text.partition("\n")[0]
        assert title.startswith("fix(")
        assert len(title) <= CONVENTIONS[patch.dist].longest
        assert not title.endswith(".")
        assert "evalfixes" not in text
        assert not any(f"{name}: " in text for name in pull_request._TRAILERS)
        assert all(len(line) <= 80 for line in text.splitlines())

    def test_it_says_what_was_wrong_and_what_changes(self, patch: Patch) -> None:
        _, problem, solution, _ = _message(patch)
        assert problem
        assert solution
        assert problem != solution

    def test_the_diff_is_all_of_the_patch(self, patch: Patch) -> None:
        diff = _diff(patch)
        assert diff.startswith("diff --git ")
        assert diff.count("diff --git ") == len(patch.files)
        assert "evalfixes" not in diff


class TestLinks:
    def test_the_fix_that_an_issue_is_about_closes_it(self) -> None:
        assert list(_linked(patch_for(catalog.get(STRICT)))) == ["Fixes #2901"]
        assert list(_linked(patch_for(catalog.get(LABELS)))) == ["Fixes #7963"]

    def test_one_beside_it_does_not(self) -> None:
        assert list(_linked(patch_for(catalog.get("adk-hallucinations-steps")))) == ["Related to #7963"]

    def test_an_issue_that_only_may_be_about_it_is_not_closed(self) -> None:
        found = list(_linked(patch_for(catalog.get("adk-rubric-turns"))))
        assert found == ["Related to #3593", "Related to #4926"]

    def test_a_pull_request_is_not_closed(self) -> None:
        assert list(_linked(patch_for(catalog.get(THOUGHTS)))) == []


class TestStack:
    def test_what_the_patch_stands_on(self) -> None:
        ids = [p.fix_id for p in stack(catalog.get(LABELS))]
        assert ids == ["adk-gate-unscored", "adk-unscored-invocations", "adk-hallucinations-steps"]
        assert stack(catalog.get(STRICT)) == []

    def test_what_it_requires_besides(self) -> None:
        fix = catalog.get("adk-agent-thoughts")
        assert stack(fix) == []
        assert [p.fix_id for p in stack(fix, required=True)] == ["adk-gate-unscored", "adk-unscored-invocations"]


@pytest.mark.usefixtures("measured")
class TestBundle:
    def test_public_pull_requests_come_first(self) -> None:
        readme = make(STRICT).files["README.md"]
        assert readme.index("## First") < readme.index("deepeval/pull/2909") < readme.index("## What upstream asks for")
        assert "Do not open another one for the same fault" in readme
        assert "offer there what ours adds" in readme
        assert "No public pull request for this fault was known" in make(MCP).files["README.md"]
        assert "Do not open another one" not in make("adk-rubric-author").files["README.md"]

    @pytest.mark.parametrize(("fix_id", "public"), [(THOUGHTS, "#7091"), (STRICT, "#2909"), (LABELS, "#7963")])
    def test_they_come_first_in_the_text_too(self, fix_id: str, public: str) -> None:
        text = make(fix_id).files["PULL_REQUEST.md"]
        assert text.index(public) < text.index("Problem")

    def test_upstream_tests_that_hold_the_old_behaviour(self) -> None:
        named = "> Say it only if at least one metric was evaluated"
        assert named in make(MCP).files["README.md"]
        assert "hold the old behaviour" not in make(STRICT).files["README.md"]

    def test_google_adk(self) -> None:
        bundle = make(THOUGHTS)
        assert set(bundle.files) == {"README.md", "COMMIT_MESSAGE", "PULL_REQUEST.md", "change.patch"}
        text = bundle.files["PULL_REQUEST.md"]
        sections = [line for line in text.splitlines() if line.startswith("### ")]
        assert sections == [
            "### Link to Issue or Description of Change", "### Testing Plan", "### Checklist", "### Additional context",
        ]  # fmt: skip
        assert text.count("- [") == 7
        assert "| a wrong answer behind the right thought | 0.25, failed | 0, failed |" in text or "failed |" in text
        assert "2 failed" in text
        assert "2 passed" in text
        assert "CLA" in bundle.files["README.md"]
        assert "pyink@25.12" in bundle.files["README.md"]

    def test_deepeval(self) -> None:
        bundle = make(STRICT)
        text = bundle.files["PULL_REQUEST.md"]
        assert "| 0, passed | 0, failed |" in text
        assert "#2909, #3028, #3180 (open): change the same line in the same way. This adds a test" in text
        assert "Fixes #2901" in text
        assert "black@25.12.0 --line-length 80" in bundle.files["README.md"]
        assert "semantic" in bundle.files["README.md"]

    def test_agentevals(self) -> None:
        text = make(MCP).files["PULL_REQUEST.md"]
        assert "## AI assistance\n\n- [ ] None, or trivial.\n- [ ] Non-trivial, namely: \n" in text

    def test_text_is_not_broken_into_lines_as_a_message_is(self) -> None:
        _, problem, _, _ = _message(patch_for(catalog.get(THOUGHTS)))
        text = make(THOUGHTS).files["PULL_REQUEST.md"]
        assert problem.replace("\n", " ") in text

    def test_what_it_stands_on_comes_with_it(self) -> None:
        bundle = make(LABELS)
        below = [name for name in bundle.files if name.startswith("below/")]
        assert below[:2] == ["below/1-adk-gate-unscored.patch", "below/1-adk-gate-unscored.message"]
        assert len(below) == 6
        readme = bundle.files["README.md"]
        assert readme.index("git apply --index $BUNDLE/below/1-") < readme.index(
            "git apply --index $BUNDLE/change.patch"
        )
        assert "- [ ] It rests on no other change" in bundle.files["PULL_REQUEST.md"]

    def test_what_has_to_be_merged_before_it(self) -> None:
        bundle = make("adk-agent-thoughts")
        assert "Alone it could turn a red run green" in bundle.files["README.md"]
        assert "Rests on: fix(evaluation): Gate on metrics" in bundle.files["PULL_REQUEST.md"]

    def test_a_title_that_is_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = pull_request._message
        monkeypatch.setattr(pull_request, "_message", lambda patch: ("x" * 73, *real(patch)[1:]))
        with pytest.raises(UnprovenError, match="has 73 characters, upstream takes 72"):
            make(STRICT)

    def test_the_command(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["pr", LABELS, "-o", str(tmp_path / "out")]) == 0
        said = capsys.readouterr().out
        assert said.startswith("fix(evaluation): ")
        for path in (tmp_path / "out").rglob("*.*"):
            assert str(path) in said
        assert (tmp_path / "out" / "change.patch").read_text().startswith("diff --git ")
        assert main(["pr", LABELS, "-o", str(tmp_path / "out")]) == 0

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "out").write_text("a file")
        assert main(["pr", STRICT, "-o", str(tmp_path / "out")]) == 3
        assert "cannot be written" in capsys.readouterr().err

    def test_a_scenario_that_is_not_right(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(pull_request, "_outcomes", lambda fix, tree: wrong(fix))
        assert main(["pr", STRICT, "-o", str(tmp_path / "out")]) == 1
        assert "gives 0, passed with the patch" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()


class TestNothingToOpen:
    @pytest.mark.parametrize(
        ("fix_id", "said"),
        [
            ("deepeval-verbose-verdicts", r"is fixed upstream since 4\.2\.4; there is nothing to open"),
            ("agentevals-not-evaluated-gate", "upstream means and documents what it does"),
        ],
    )
    def test_reasons(self, fix_id: str, said: str, tmp_path: Path) -> None:
        with pytest.raises(PullRequestError, match=said):
            make(fix_id)
        assert main(["pr", fix_id, "-o", str(tmp_path / "out")]) == 3
        assert not (tmp_path / "out").exists()

    def test_a_release_without_a_patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request, "newest", lambda dist: "99.0")
        with pytest.raises(PullRequestError, match=r"no patch of .* is for deepeval 99\.0, .*see CONTRIBUTING\.md"):
            make(STRICT)

    def test_an_unknown_fix(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["pr", "adk-nothing", "-o", str(tmp_path)]) == 3
        assert "unknown fix" in capsys.readouterr().err


class TestEnvironment:
    def test_another_release(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request, "decide", lambda fix: Decision(FAULTY, "text of 4.0", "4.0"))
        with pytest.raises(PullRequestError, match=rf"deepeval {newest('deepeval')} has to be installed here .*4\.0"):
            make(STRICT)

    def test_a_patched_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request, "decide", lambda fix: Decision("patched", "", newest(fix.dist)))
        with pytest.raises(PullRequestError, match="as it was released"):
            make(STRICT)

    @pytest.mark.parametrize("module", ["pytest", "pytest_asyncio"])
    def test_a_tool_that_is_missing(self, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request, "decide", lambda fix: Decision(FAULTY, "", newest(fix.dist)))
        find = pull_request.importlib.util  # type: ignore[attr-defined]
        monkeypatch.setattr(find, "find_spec", lambda name: None if name == module else object())
        with pytest.raises(PullRequestError, match=f"{module.replace('_', '-')} is not installed in"):
            make(STRICT)

    def test_an_upstream_that_is_gone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request.fingerprint, "source_file", lambda module: None)
        with pytest.raises(PullRequestError, match="deepeval is not installed here"):
            pull_request.lay("deepeval", tmp_path, [])


class TestRegressionTest:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        (tmp_path / "test_passes.py").write_text("def test_it():\n    pass\n")
        (tmp_path / "test_fails.py").write_text("def test_it():\n    assert False\n")
        (tmp_path / "test_nothing.py").write_text("")
        return tmp_path

    def test_it_fails_and_passes(self, tree: Path) -> None:
        fix = catalog.get(STRICT)
        assert pull_request._pytest(fix, tree, ("test_fails.py",), fails=True) == "1 failed"
        assert pull_request._pytest(fix, tree, ("test_passes.py",), fails=False) == "1 passed"

    @pytest.mark.parametrize("name", ["test_passes.py", "test_nothing.py", "test_missing.py"])
    def test_one_that_cannot_fail(self, name: str, tree: Path) -> None:
        with pytest.raises(UnprovenError, match=f"the regression test of {STRICT} does not fail without the change"):
            pull_request._pytest(catalog.get(STRICT), tree, (name,), fails=True)

    @pytest.mark.parametrize("name", ["test_fails.py", "test_nothing.py"])
    def test_one_that_does_not_pass(self, name: str, tree: Path) -> None:
        with pytest.raises(UnprovenError, match="does not pass with the change"):
            pull_request._pytest(catalog.get(STRICT), tree, (name,), fails=False)

    def test_one_that_hangs(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request, "_SECONDS", 0.001)
        with pytest.raises(PullRequestError, match=r"`pytest` of .* is not done after 0\.001 s"):
            pull_request._pytest(catalog.get(STRICT), tree, ("test_passes.py",), fails=False)


class TestScenarios:
    def test_a_process_that_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pull_request.sys, "executable", "/bin/false")  # type: ignore[attr-defined]
        with pytest.raises(PullRequestError, match=f"the scenarios of {STRICT} cannot be run: no message"):
            pull_request._outcomes(catalog.get(STRICT), None)

    def test_wrong_ones_first(self) -> None:
        fix = catalog.get(STRICT)
        rows = _measured(fix, wrong(fix), right(fix)).splitlines()
        assert ["control" in row for row in rows[2:]] == [False] * 4 + [True] * 12

    def test_controls_are_called_so(self) -> None:
        fix = catalog.get("agentevals-gate-unscored")
        rows = _measured(fix, wrong(fix), right(fix)).splitlines()[2:]
        controls = [s.control for s in sorted(fix.scenarios, key=lambda s: s.control)]
        assert [row.startswith("| control: ") for row in rows] == controls

    def test_of_a_command_the_exit_code_is_told(self) -> None:
        fix = catalog.get("agentevals-gate-unscored")
        text = _measured(fix, wrong(fix), right(fix))
        assert "| judge down | no score, exit code 0 | no score, exit code 1 |" in text
        assert "passed" not in text

    def test_many_are_folded(self) -> None:
        fix = catalog.get("deepeval-missing-verdicts")
        shown, _, folded = _measured(fix, wrong(fix), right(fix)).partition("<details><summary>All ")
        assert len(shown.splitlines()) < 30
        assert "| control: " in shown
        rows = [line for line in folded.splitlines() if line.startswith("| ")]
        assert folded.startswith(f"{len(rows) - 2} inputs")
        assert set(shown.splitlines()) <= {*rows, ""}
        assert folded.rstrip().endswith("</details>")

    def test_a_control_that_is_wrong_without_the_patch(self) -> None:
        fix = catalog.get(STRICT)
        before = wrong(fix)
        control = next(s.name for s in fix.scenarios if s.control)
        before[control] = {"score": None, "status": "ERROR"}
        with pytest.raises(UnprovenError, match=f"the control {control!r} gives no score, error without the patch"):
            _measured(fix, before, right(fix))
