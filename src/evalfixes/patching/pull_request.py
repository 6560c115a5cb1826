"""Makes all that is needed to open the upstream pull request of a fix, with what was measured here in its text."""

from __future__ import annotations

import email
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from email import policy
from pathlib import Path
from typing import Any

from evalfixes import catalog, pages
from evalfixes.errors import EvalfixesError
from evalfixes.facts import fix_facts, upstream
from evalfixes.fix import Fix, matches
from evalfixes.patching.conventions import CONVENTIONS, Conventions, Evidence
from evalfixes.patching.diff import apply
from evalfixes.patching.plan import closure, order
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES
from evalfixes.patching.write import Change, write
from evalfixes.probing import scenarios
from evalfixes.runtime import fingerprint
from evalfixes.runtime.decide import FAULTY, decide

_SECONDS = 900
_ROWS = 30
"""Scenarios that a text shows one by one; of more it shows `_ALIKE` per outcome, and the rest folded."""

_ALIKE = 2
_HEAD = ("| input | before | after |", "| --- | --- | --- |")
_TRAILERS = ("Bug", "Origin", "Forwarded", "Applied-Upstream", "Last-Update", "Depends-On")


class PullRequestError(EvalfixesError):
    """There is nothing to open, or it cannot be measured here."""


class UnprovenError(EvalfixesError):
    """A regression test or a scenario does not show what the pull request would claim."""


@dataclass(frozen=True)
class Bundle:
    """A pull request that is ready to be opened.

    Attributes:
        fix_id: The fix.
        title: Its title.
        files: The files of the bundle, by name.
    """

    fix_id: str
    title: str
    files: dict[str, str]

    def write(self, output: Path) -> None:
        """Writes the files below a folder, all of them or none.

        Raises:
            WriteError: The disk says no.
        """
        found = {output / name: text.encode() for name, text in self.files.items()}
        write({path: Change(path.read_bytes() if path.is_file() else None, data) for path, data in found.items()})


def newest(dist: str) -> str:
    """The newest release on record."""
    from packaging.version import Version

    found: str = max(upstream(dist)["releases"], key=Version)
    return found


def patch_for(fix: Fix) -> Patch:
    """The patch of a fix for the newest release.

    Raises:
        PullRequestError: There is none, since upstream has fixed it, or means it so.
    """
    facts = fix_facts(fix.dist, fix.id)
    if facts.fixed_in:
        raise PullRequestError(f"{fix.id} is fixed upstream since {facts.fixed_in}; there is nothing to open")
    if not fix.default:
        raise PullRequestError(f"{fix.id}: upstream means and documents what it does; there is nothing to open")
    release = newest(fix.dist)
    found = next((p for p in series(fix.dist).patches.get(fix.id, ()) if p.covers(release)), None)
    if found is None:
        what = f"no patch of {fix.id} is for {fix.dist} {release}, the newest release"
        raise PullRequestError(f"{what}: make one, see CONTRIBUTING.md")
    return found


def stack(fix: Fix, required: bool = False) -> list[Patch]:
    """The patches that the patch of a fix stands on, in order.

    Args:
        fix: The fix.
        required: Those of fixes without which it would do harm, too.
    """
    found = closure([fix.id]) if required else _stands_on(fix)
    ids = [i for i in order(fix.dist, found) if i != fix.id]
    release = newest(fix.dist)
    return [p for i in ids for p in series(fix.dist).patches.get(i, ()) if p.covers(release)]


def _stands_on(fix: Fix) -> set[str]:
    found: set[str] = set()
    todo = [fix.id]
    while todo:
        release = newest(fix.dist)
        for patch in series(fix.dist).patches.get(todo.pop(), ()):
            if patch.covers(release):
                todo += [i for i in patch.depends_on if i not in found]
                found |= set(patch.depends_on)
    return found


def lay(dist: str, folder: Path, patches: Iterable[Patch]) -> None:
    """Lays the installed release out as in the upstream repository, with patches and their tests on it."""
    home = fingerprint.source_file(upstream(dist)["package"])
    if home is None:
        raise PullRequestError(f"{dist} is not installed here")
    shutil.copytree(home.parent, folder / PREFIXES[dist], ignore=shutil.ignore_patterns("__pycache__"))
    for patch in patches:
        for change in patch.files:
            path = folder / change.path
            after = apply(change, path.read_bytes() if path.is_file() else None)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(after or b"")


def make(fix_id: str) -> Bundle:
    """Measures a fix and its patch on the newest release, and makes the bundle.

    Raises:
        UnknownFixError: The id is not in the catalogue.
        PullRequestError: There is nothing to open, or the newest release is not installed here as it was released.
        UnprovenError: The regression test does not fail without the change or pass with it, or a scenario does not
            come out right.
    """
    fix = catalog.get(fix_id)
    patch = patch_for(fix)
    conventions = CONVENTIONS[fix.dist]
    _installed(fix, [p.fix_id for p in stack(fix, required=True)])
    tests = tuple(c.path for c in patch.files if c.path.startswith("tests/"))
    below = stack(fix)
    with tempfile.TemporaryDirectory(prefix="evalfixes-") as name:
        work = Path(name)
        lay(fix.dist, work / "without", below)
        lay(fix.dist, work / "with", [*below, patch])
        for path in tests:
            (work / "without" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(work / "with" / path, work / "without" / path)
        after = _pytest(fix, work / "with", tests, fails=False)
        before = _pytest(fix, work / "without", tests, fails=True)
        lay(fix.dist, work / "all", [*stack(fix, required=True), patch])
        measured = _measured(fix, _outcomes(fix, None), _outcomes(fix, work / "all"))
    title, problem, solution, links = _message(patch)
    if len(title) > conventions.longest:
        raise UnprovenError(f"the title of {fix.id} has {len(title)} characters, upstream takes {conventions.longest}")
    prior = tuple(
        f"{', '.join('#' + link.rpartition('/')[2] for link in p.links)} ({p.state}): {p.does}. This adds {p.adds}."
        for p in fix_facts(fix.dist, fix.id).prior
    )
    rests_on = tuple(_message(p)[0] for p in stack(fix, required=True))
    release = f"{fix.dist} {newest(fix.dist)}"
    problem, solution = (re.sub(r"(?<!\n)\n(?!\n)", " ", part) for part in (problem, solution))
    evidence = Evidence(title, problem, solution, links, prior, rests_on, measured, release, tests, before, after)
    files = {
        "README.md": _readme(fix, conventions, patch, below, tests),
        "COMMIT_MESSAGE": _commit(patch),
        "PULL_REQUEST.md": conventions.text(evidence),
        "change.patch": _diff(patch),
    }
    for number, lower in enumerate(below, 1):
        files[f"below/{number}-{lower.fix_id}.patch"] = _diff(lower)
        files[f"below/{number}-{lower.fix_id}.message"] = _commit(lower)
    return Bundle(fix.id, title, files)


def _installed(fix: Fix, below: list[str]) -> None:
    for fix_id in [fix.id, *below]:
        found = decide(catalog.get(fix_id))
        if found.release != newest(fix.dist) or found.state != FAULTY:
            raise PullRequestError(
                f"{fix.dist} {newest(fix.dist)} has to be installed here as it was released, with pytest and "
                f"pytest-asyncio, to be measured; {fix_id} is {found.state} here: {found.evidence}"
            )
    for module in ("pytest", "pytest_asyncio"):
        if importlib.util.find_spec(module) is None:
            raise PullRequestError(f"{module.replace('_', '-')} is not installed in {sys.prefix}; pip install it")


def _environment(fix: Fix, tree: Path | None) -> dict[str, str]:
    """The environment of a process that imports the package of a tree, or the installed one."""
    own = Path(__file__).resolve().parents[2]
    inner = PREFIXES[fix.dist].removesuffix(upstream(fix.dist)["package"].replace(".", "/") + "/")
    first = [str(tree / inner)] if tree else []
    known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    settings = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_DISABLE_DOTENV": "1", "EVALFIXES_DISABLE": "1"}
    return {**os.environ, **settings, "PYTHONPATH": os.pathsep.join([*first, str(own), *known])}


def _run(fix: Fix, tree: Path | None, *command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [sys.executable, "-m", *command], cwd=tree, env=_environment(fix, tree), capture_output=True, text=True,
            timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise PullRequestError(f"`{command[0]}` of {fix.id} is not done after {_SECONDS} s") from None


def _pytest(fix: Fix, tree: Path, tests: tuple[str, ...], fails: bool) -> str:
    (tree / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
    plugins = ["-p", "no:cacheprovider", "-p", "no:deepeval", "-p", "no:plugins", "-p", "no:evalfixes"]
    done = _run(fix, tree, "pytest", "-q", "--no-header", "--import-mode=importlib", *plugins, *tests)
    last = (done.stdout.strip().splitlines() or ["nothing"])[-1]
    # 2 is a test that cannot even be imported without the change.
    if done.returncode not in ((1, 2) if fails else (0,)):
        shown = "\n".join([*done.stdout.splitlines()[-20:], *done.stderr.splitlines()[-5:]])
        wanted = "fail without the change" if fails else "pass with the change"
        raise UnprovenError(f"the regression test of {fix.id} does not {wanted}: {last}\n{shown}")
    return re.sub(r"(, \d+ warnings?)? in [\d.]+s.*$", "", last.strip("= "))


def _outcomes(fix: Fix, tree: Path | None) -> dict[str, Any]:
    done = _run(fix, tree, "evalfixes", "probe", "--bare", fix.id)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise PullRequestError(f"the scenarios of {fix.id} cannot be run: {last}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measured(fix: Fix, before: dict[str, Any], after: dict[str, Any]) -> str:
    rows: dict[tuple[str, ...], list[str]] = {}
    every = []
    for scenario in sorted(scenarios(fix, newest(fix.dist)), key=lambda s: s.control):
        old, new = before[scenario.name], after[scenario.name]
        if not matches(scenario.right, new):
            raise UnprovenError(f"{fix.id}: {scenario.name!r} gives {pages.value(new)} with the patch")
        if scenario.control and not matches(scenario.right, old):
            raise UnprovenError(f"{fix.id}: the control {scenario.name!r} gives {pages.value(old)} without the patch")
        old, new = ({k: v for k, v in seen.items() if k in scenario.right} for seen in (old, new))
        shown = [_value(old), _value(new)]
        if shown[0] == shown[1] and not scenario.control:
            shown = [_value(old, new), _value(new, old)]
        name = f"{'control: ' if scenario.control else ''}{scenario.name.removeprefix('control: ')}"
        every.append(f"| {' | '.join(map(pages.cell, [name, *shown]))} |")
        rows.setdefault((*shown, str(scenario.control)), []).append(every[-1])
    if len(every) <= _ROWS:
        return "\n".join([*_HEAD, *every])
    some = [row for alike in rows.values() for row in alike[:_ALIKE]]
    summary = f"<details><summary>All {len(every)} inputs</summary>"
    return "\n".join([*_HEAD, *some, "", summary, "", *_HEAD, *every, "", "</details>"])


def _value(outcome: dict[str, Any], other: dict[str, Any] | None = None) -> str:
    """An outcome in upstream's terms: where a command was run, its status is only how we read the exit code."""
    if "exit" not in outcome:
        return pages.value(outcome, other)
    own = {key: held for key, held in outcome.items() if key not in ("exit", "status")}
    parts = (pages.value(own, other) if own else "", f"exit code {outcome['exit']}")
    return ", ".join(part for part in parts if part)


def _message(patch: Patch) -> tuple[str, str, str, tuple[str, ...]]:
    """Title, problem, solution and links of a patch; its first paragraph says what was wrong."""
    mail = email.message_from_string(patch.message, policy=policy.default)
    title = str(mail["Subject"]).removeprefix("[PATCH] ")
    body = str(mail.get_payload()).strip()
    lines = [line for line in body.splitlines() if line.partition(":")[0] not in _TRAILERS]
    parts = [part for part in "\n".join(lines).strip().split("\n\n") if part.strip()]
    problem, solution = parts[0], "\n\n".join(parts[1:])
    return title, problem, solution, tuple(_linked(patch))


def _linked(patch: Patch) -> Iterable[str]:
    """The issues of a patch. Only those close that are open, and about nothing else."""
    facts = fix_facts(patch.dist, patch.fix_id)
    for link in dict.fromkeys([*facts.links, *patch.trailer("Bug")]):
        kind, number = link.split("/")[-2:]
        if kind == "issues":
            yield f"{'Fixes' if link in facts.closes else 'Related to'} #{number}"


def _pinned(patch: Patch) -> list[str]:
    """The paragraphs of a message that name upstream tests of the old behaviour, which a release does not bring."""
    _, problem, solution, _ = _message(patch)
    found = (part.replace("\n", " ") for part in [problem, *solution.split("\n\n")])
    return [part for part in found if re.search(r"\btest_\w|^Tests of \w", part)]


def _commit(patch: Patch) -> str:
    title, problem, solution, links = _message(patch)
    return "\n\n".join(part for part in (title, problem, solution, "\n".join(links)) if part) + "\n"


def _diff(patch: Patch) -> str:
    text = patch.path.read_text("utf-8")
    return text[text.index("diff --git ") :]


def _readme(fix: Fix, conventions: Conventions, patch: Patch, below: list[Patch], tests: tuple[str, ...]) -> str:
    lines = [f"# {_message(patch)[0]}", "", f"For {fix.dist}, on {newest(fix.dist)}.", "", "## First", ""]
    prior = fix_facts(fix.dist, fix.id).prior
    for each in prior:
        lines += [
            *(f"- {link} ({each.state})" for link in each.links),
            "",
            f"  {each.does}. Ours adds {each.adds}.",
            "",
        ]
    if any(p.same and p.state == "open" for p in prior):
        lines += ["**Do not open another one for the same fault** while that is open: offer there what ours adds."]
    elif not prior:
        lines += ["No public pull request for this fault was known when this was made; search once more."]
    missing = [p for p in stack(fix, required=True) if p not in below]
    if below:
        lines += ["", "It stands on the changes in `below/`, whose pull requests come before it:", ""]
        lines += [f"- {_message(p)[0]}" for p in below]
    if missing:
        lines += ["", "Alone it could turn a red run green. These have to be merged before it:", ""]
        lines += [f"- {_message(p)[0]}" for p in missing]
    if pinned := _pinned(patch):
        lines += [
            "",
            "Upstream tests hold the old behaviour. Releases come without them: change them in this commit.",
            "",
        ]
        lines += [f"> {part}" for part in pinned]
    lines += ["", "## What upstream asks for", "", *(f"- {line}" for line in conventions.asks)]
    lines += ["", "## The commands", "", "From a clone of your fork, with this folder in `$BUNDLE`:", "", "```console"]
    lines += [f"git remote add upstream {upstream(fix.dist)['repository']}", "git fetch upstream main"]
    lines += [f"git switch -c {fix.id} upstream/main", *conventions.install]
    for number, lower in enumerate(below, 1):
        stem = f"$BUNDLE/below/{number}-{lower.fix_id}"
        lines += [f"git apply --index {stem}.patch", f"git commit -F {stem}.message"]
    files = " ".join(c.path for c in patch.files)
    lines += ["git apply --index $BUNDLE/change.patch"]
    lines += [command.format(files=files) for command in conventions.format]
    lines += [f"{conventions.pytest} {' '.join(tests)}", f"{conventions.pytest} {conventions.suite}"]
    lines += ["git commit -a -F $BUNDLE/COMMIT_MESSAGE", f"git push -u origin {fix.id}"]
    title = _message(patch)[0].replace('"', '\\"')
    lines += [f'gh pr create --title "{title}" --body-file $BUNDLE/PULL_REQUEST.md', "```", ""]
    lines += [
        f"The diff was made on {newest(fix.dist)}. Where main has moved, `git apply --3way` shows what to settle.",
        "",
    ]
    lines += [
        "`PULL_REQUEST.md` holds what was measured where this was made. Read it before you send it: it is yours then."
    ]
    return "\n".join(lines) + "\n"
