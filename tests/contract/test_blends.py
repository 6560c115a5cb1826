"""Forks whose hallucinations_v1.py lies between two releases: patched where all hunks fit, else refused whole."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from evalfixes.facts import upstream
from evalfixes.patching.plan import APPLIED, REFUSED, Plan, make
from evalfixes.patching.series import series
from evalfixes.releases import in_range
from evalfixes.runtime import fingerprint
from evalfixes.runtime.decide import Decision

LABELS = "adk-hallucinations-sentence-labels"
STEPS = "adk-hallucinations-steps"
UNSCORED = "adk-unscored-invocations"
THRESHOLDS = ("self._eval_metric.threshold", "self._criterion.threshold")
"""Where the threshold is read from up to 2.6.3, and since."""


@pytest.fixture
def fork(decisions: dict[str, Decision], tmp_path: Path) -> Path:
    """A copy of the installed package, and its version file gone."""
    found = decisions.get(LABELS)
    spans = [p.releases for p in series("google-adk").patches[LABELS]]
    if found is None or not any(in_range(found.release, span) for span in spans):
        pytest.skip("no google-adk with the fault is installed")
    home = fingerprint.source_file(upstream("google-adk")["package"])
    assert home is not None
    target = tmp_path / "vendored" / "adk"
    shutil.copytree(home.parent / "evaluation", target / "evaluation", ignore=shutil.ignore_patterns("__pycache__"))
    return target / "evaluation" / "hallucinations_v1.py"


def states(plan: Plan) -> dict[str, str]:
    """The state per fix of the only copy."""
    ((_, rows),) = plan.copies
    return {row.fix_id: row.state for row in rows}


def edit(file: Path, function: str, old: str, new: str) -> None:
    """Replaces a piece of one function."""
    text = file.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    node = next(n for n in ast.walk(ast.parse(text)) if getattr(n, "name", "") == function)
    start, end = node.lineno - 1, node.end_lineno  # type: ignore[attr-defined]
    body = "".join(lines[start:end])
    assert old in body, (function, old)
    file.write_text("".join([*lines[:start], body.replace(old, new), *lines[end:]]), "utf-8")


def test_edits_between_the_hunks_do_not_matter(fork: Path) -> None:
    edit(fork, "_evaluate_nl_response", '"No sentences produced by segmenter."', '"There are no sentences."')
    edit(fork, "_get_steps_to_evaluate", "step_evaluations = []", "step_evaluations = list()")
    edit(fork, "_parse_sentences", "<sentence>", "<sentence >")
    plan = make(fork.parents[2], [LABELS])
    assert states(plan)[LABELS] == states(plan)[STEPS] == states(plan)[UNSCORED] == APPLIED
    plan.write()
    text = fork.read_text("utf-8")
    assert "_sentence_labels.read(" in text
    assert '"There are no sentences."' in text
    undo = make(fork.parents[2], [LABELS, STEPS, UNSCORED, "adk-gate-unscored"], reverse=True)
    undo.write()
    assert "_sentence_labels" not in fork.read_text("utf-8")


def test_lines_of_another_release_in_a_hunk_are_refused(fork: Path) -> None:
    mine = next(t for t in THRESHOLDS if t in fork.read_text("utf-8"))
    (other,) = set(THRESHOLDS) - {mine}
    edit(fork, "_aggregate_invocation_results", mine, other)
    before = {path: path.read_bytes() for path in fork.parent.rglob("*.py")}
    plan = make(fork.parents[2], [LABELS])
    assert plan.refused
    assert states(plan)[UNSCORED] == REFUSED
    ((_, rows),) = plan.copies
    (hunk,) = [row.hunk for row in rows if row.fix_id == UNSCORED]
    assert "@@" in hunk
    assert {path: path.read_bytes() for path in fork.parent.rglob("*.py")} == before


def test_a_label_check_of_its_own_is_refused(fork: Path) -> None:
    edit(fork, "_evaluate_nl_response", "scores.append(0)", "scores.append(-1)")
    plan = make(fork.parents[2], [LABELS])
    assert plan.refused
    assert states(plan)[LABELS] == REFUSED
