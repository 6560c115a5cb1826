"""Makes the upstream pull request of every fix that is open upstream, and runs upstream's own formatters on the result.

    python tools/bundles.py [--format-only] [PART-OF-AN-ID ...]

Each bundle is measured on the newest release, in an environment of its own below ``.nox/bundles``, and left in
``.nox/bundles/<fix id>``. A formatter that would change a file that the change touches fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from environments import HOME, ROOT, Environment, FailedError, environ, run
from pins import Pin, pins

from evalfixes import catalog
from evalfixes.fix import Fix
from evalfixes.patching.pull_request import PullRequestError, newest, patch_for

PYTHON = "3.12"


@dataclass(frozen=True)
class Style:
    """The formatters of an upstream: what is installed, its settings, and the commands."""

    requirements: tuple[str, ...]
    settings: str
    commands: tuple[str, ...]


STYLES = {
    "google-adk": Style(
        ("isort==8.0.1", "pyink==25.12.*", "ruff==0.15.17"),
        '[tool.isort]\nprofile = "google"\nline_length = 200\nsingle_line_exclusions = []\n'
        'known_third_party = ["a2a", "google.adk"]\n'
        "[tool.pyink]\nline-length = 80\nunstable = true\npyink-indentation = 2\npyink-use-majority-quotes = true\n"
        'pyink-annotation-pragmas = ["noqa", "pylint:", "type: ignore", "pytype:", "mypy:", "pyright:", "pyre-"]\n'
        '[tool.ruff]\nlint.select = ["F401"]\n',
        ("isort", "pyink", "ruff check --no-fix"),
    ),
    "deepeval": Style(
        ("black==25.12.0",), "[tool.black]\nline-length = 80\n", ("black",),
    ),
    "agentevals-cli": Style(
        ("ruff==0.17.6",),
        '[tool.ruff]\ntarget-version = "py311"\nline-length = 120\nsrc = ["src", "packages", "tests"]\n'
        '[tool.ruff.lint]\nselect = ["E", "F", "W", "B", "Q", "I", "ASYNC", "T20"]\n'
        'ignore = ["F401", "E501", "B008", "ASYNC109"]\n'
        '[tool.ruff.lint.isort]\nknown-first-party = ["agentevals"]\n'
        "[tool.ruff.format]\ndocstring-code-format = true\n",
        ("ruff format", "ruff check --no-fix"),
    ),
}  # fmt: skip

TESTED_WITH = {"agentevals-cli": ("agentevals-cli[live]",)}
"""What regression tests need beside the upstream as it is pinned: agentevals' MCP server is an extra."""

LAY = """
import sys
from pathlib import Path
from evalfixes import catalog
from evalfixes.patching.pull_request import lay, patch_for, stack
fix = catalog.get(sys.argv[1])
lay(fix.dist, Path(sys.argv[2]), [*stack(fix), patch_for(fix)])
"""


def main() -> int:
    parts = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    failed, skipped = [], []
    for fix in catalog.fixes():
        if parts and not any(part in fix.id for part in parts):
            continue
        try:
            patch_for(fix)
        except PullRequestError as reason:
            skipped.append(f"{fix.id}: {reason}")
            continue
        try:
            environment = measured(fix)
            if "--format-only" not in sys.argv:
                bundle(environment, fix)
            formatted(environment, fix)
        except FailedError as problem:
            failed.append(fix.id)
            print(f"{fix.id}: FAILED: {problem}", flush=True)
            continue
        print(f"{fix.id}: ok", flush=True)
    print("\n".join(skipped))
    return int(bool(failed))


def measured(fix: Fix) -> Environment:
    """An environment with the newest release and what its regression tests need."""
    pin: Pin = next(p for p in pins(fix.dist) if (p.release, p.python) == (newest(fix.dist), PYTHON))
    environment = Environment(f"bundles/{fix.dist}", PYTHON)
    environment.make([*pin.requirements, "pytest-asyncio", *TESTED_WITH.get(fix.dist, ())], pin.constraints)
    return environment


def bundle(environment: Environment, fix: Fix) -> None:
    """The bundle, made anew."""
    target = HOME / "bundles" / fix.id
    command = [environment.python, "-m", "evalfixes", "pr", fix.id, "-o", str(target)]
    done = subprocess.run(command, env=environ(), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(done.stderr[-3000:])
    for path in target.rglob("*"):
        if path.suffix in (".patch", ".message") or path.name in ("COMMIT_MESSAGE", "PULL_REQUEST.md"):
            added = [line for line in path.read_text().splitlines() if not line.startswith("-")]
            if any("evalfixes" in line for line in added):
                raise FailedError(f"{path} speaks of evalfixes")


def formatted(environment: Environment, fix: Fix) -> None:
    """Upstream's formatters on what the change touches; they have nothing to do."""
    style = STYLES[fix.dist]
    tools = Environment(f"bundles/format-{fix.dist}", PYTHON)
    tools.make(style.requirements, editable=False)
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name)
        run([environment.python, "-c", LAY, fix.id, name])
        (tree / "pyproject.toml").write_text(style.settings, encoding="utf-8")
        files = [c.path for c in patch_for(fix).files if c.path.endswith(".py")]
        before = {file: (tree / file).read_bytes() for file in files}
        for command in style.commands:
            run([str(tools.bin / command.split()[0]), *command.split()[1:], *files], cwd=tree)
        different = [file for file in files if (tree / file).read_bytes() != before[file]]
        if different:
            raise FailedError(f"{' and '.join(style.commands)} change {', '.join(different)}")


if __name__ == "__main__":
    sys.exit(main())
