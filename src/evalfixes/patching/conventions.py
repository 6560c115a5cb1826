"""How each upstream wants its pull requests: the sections of the text, the formatters, and what else it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """What a pull request's text is filled with.

    Attributes:
        title: The commit's first line.
        problem: What is wrong, from the commit message.
        solution: What the change does, from the commit message.
        links: Issues that the change is about, as they close or name them.
        prior: Public pull requests for the same fault, and what this one adds. They come first in every text.
        rests_on: Titles of the changes that have to be merged before this one.
        measured: The scenarios before and after, as a Markdown table.
        release: The release that was measured.
        tests: The files of the regression test.
        test_before: The last line of pytest without the change.
        test_after: The last line of pytest with it.
    """

    title: str
    problem: str
    solution: str
    links: tuple[str, ...]
    prior: tuple[str, ...]
    rests_on: tuple[str, ...]
    measured: str
    release: str
    tests: tuple[str, ...]
    test_before: str
    test_after: str


@dataclass(frozen=True)
class Conventions:
    """How one upstream wants it.

    Attributes:
        install: Commands that set up its development environment.
        format: Commands of its own formatters, with their versions.
        pytest: Runs pytest in that environment.
        suite: Its own tests of what the fixes touch, as arguments of pytest.
        asks: What else it asks of whoever sends a change, a line each.
        text: Makes the text of the pull request.
        longest: The longest first line of a commit message.
    """

    install: tuple[str, ...]
    format: tuple[str, ...]
    pytest: str
    suite: str
    asks: tuple[str, ...]
    text: Callable[[Evidence], str]
    longest: int = 72


def _measured(found: Evidence) -> list[str]:
    changes = "this change and those that it rests on" if found.rests_on else "this change"
    return [
        f"On {found.release}, offline; whatever a judge says is scripted. *After* is with {changes}:",
        "",
        found.measured,
        "",
        "The rows called *control* are input on which the release is right: there, nothing changes for users.",
    ]


def _tests(found: Evidence) -> list[str]:
    return [
        "```console",
        f"$ pytest {' '.join(found.tests)}   # without the change",
        found.test_before,
        f"$ pytest {' '.join(found.tests)}   # with it",
        found.test_after,
        "```",
    ]


def _public(found: Evidence) -> list[str]:
    """Issues and pull requests that there are."""
    return [f"- {line}" for line in (*found.links, *found.prior)]


def _rests_on(found: Evidence) -> list[str]:
    return [f"- Rests on: {title}" for title in found.rests_on]


def _google_adk(found: Evidence) -> str:
    lines = ["### Link to Issue or Description of Change", ""]
    lines += [*(_public(found) or ["No issue or pull request that I know of."]), ""]
    lines += ["**Problem:**", "", found.problem, "", "**Solution:**", "", found.solution, ""]
    lines += ["### Testing Plan", "", "**Unit Tests:**", "", *_tests(found), ""]
    lines += ["**Manual End-to-End (E2E) Tests:**", "", *_measured(found), ""]
    lines += ["### Checklist", ""]
    lines += [
        "- [ ] I have read CONTRIBUTING.md and signed the Google CLA.",
        "- [ ] I have reviewed every line of this change myself.",
        "- [x] New code is commented where its reason is not plain.",
        "- [x] New tests fail without the change and pass with it.",
        "- [ ] All unit tests pass on my machine.",
        "- [ ] I have tried it by hand, end to end.",
        f"- [{' ' if found.rests_on else 'x'}] It rests on no other change that is not merged yet.",
    ]
    return "\n".join([*lines, "", "### Additional context", "", *(_rests_on(found) or ["None."])]) + "\n"


def _plain(found: Evidence) -> list[str]:
    """The sections of a project that has no template."""
    related = [*_public(found), *_rests_on(found)]
    lines = ["## Related", "", *related, ""] if related else []
    lines += ["## Problem", "", found.problem, "", "## Change", "", found.solution, ""]
    return [*lines, "## Before and after", "", *_measured(found), "", "## Tests", "", *_tests(found)]


def _deepeval(found: Evidence) -> str:
    lines = [*_plain(found), "", "They need no key and no network; the judge is a stub."]
    return "\n".join(lines) + "\n"


def _agentevals(found: Evidence) -> str:
    lines = [*_plain(found), "", "## AI assistance", "", "- [ ] None, or trivial.", "- [ ] Non-trivial, namely: "]
    return "\n".join(lines) + "\n"


CONVENTIONS = {
    "google-adk": Conventions(
        install=("uv sync --all-extras",),
        format=("uvx isort@8.0.1 {files}", "uvx pyink@25.12 {files}"),
        pytest="uv run pytest",
        suite="tests/unittests/evaluation",
        asks=(
            "Sign Google's CLA with the address that you commit with; a bot checks each commit.",
            "Tick the boxes of the checklist that hold; they are yours to answer for.",
            "A new file below src/google/adk has a name that begins with an underscore, and the licence header.",
            "A merge shows as a closed pull request: changes go through copybara, and you stay the author.",
        ),
        text=_google_adk,
    ),
    "deepeval": Conventions(
        install=("poetry install",),
        format=("uvx black@25.12.0 --line-length 80 {files}",),
        pytest="poetry run pytest",
        suite="tests/test_metrics",
        asks=("The title is a semantic one, `fix(metrics): …`; a check reads it.",),
        text=_deepeval,
    ),
    "agentevals-cli": Conventions(
        install=("uv sync",),
        format=("uv run ruff format {files}", "uv run ruff check {files}"),
        pytest="uv run pytest",
        suite='-m "not e2e"',
        asks=("Say in the section on AI assistance what is true of how you made and reviewed the change.",),
        text=_agentevals,
    ),
}
