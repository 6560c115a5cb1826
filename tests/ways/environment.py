"""An environment of its own with a copy of evalfixes that knows one synthetic upstream, `toyeval`.

What is switched on there by a start-up file, an option or a launcher is seen in real processes, and
nothing of the environment that the tests run in is touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

import evalfixes
from evalfixes.runtime import fingerprint
from tests.runtime.toy import CLIENT, DRIFTED, FAULTY, FIXED

PACKAGE = Path(evalfixes.__file__).parent
FIX = '''"""A fix for the synthetic upstream."""

from evalfixes.fix import Fix, Replacement, Scenario


def right(original, module):
    def score(answer, wanted="Paris"):
        return min(original(answer, wanted), float(answer == wanted))

    return score


def evaluate(case):
    from toyeval.metric import score

    value = score(case["answer"])
    return {"score": value, "status": "PASSED" if value >= 0.5 else "FAILED"}


FIX = Fix(
    id="toy-score",
    dist="toyeval",
    title="scores everything 1",
    before="b",
    after="a",
    replacements=(Replacement("toyeval.metric:score", right),),
    evaluate=evaluate,
    scenarios=(
        Scenario("wrong answer", {"answer": "London"}, {"score": 0.0}, {"score": 1.0}),
        Scenario("control", {"answer": "Paris"}, {"score": 1.0}),
    ),
    loads=("toyeval.metric",),
)
'''
SHOW = "from toyeval.metric import score; print(score('London'))"
"""Prints 1.0 where the fault is, 0.0 where it is repaired."""

HIDDEN = (
    "PYTHONPATH",
    "PYTHONHOME",
    "EVALFIXES_RUN",
    "EVALFIXES_SKIP",
    "EVALFIXES_DISABLE",
    "PYTEST_ADDOPTS",
    "PYTHONSAFEPATH",
)


class Result:
    """What a command did."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __repr__(self) -> str:
        return f"exit code {self.code}\n{self.out}\n{self.err}"


class Site:
    """A virtual environment.

    Args:
        home: Where it is made.
        with_evalfixes: Whether it holds evalfixes.
    """

    def __init__(self, home: Path, with_evalfixes: bool = True) -> None:
        self.home = home
        venv.create(home, symlinks=os.name != "nt", with_pip=False)
        self.bin = home / ("Scripts" if os.name == "nt" else "bin")
        self.python = str(self.bin / "python")
        here = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        self.packages = home / ("Lib" if os.name == "nt" else f"lib/{here}") / "site-packages"
        self.release(FAULTY)
        if with_evalfixes:
            # pytest and its plugins come from the environment of the tests, by a path file that runs nothing.
            (self.packages / "_outer.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
            install(self.packages)
            self.script("evalfixes", "import sys\nfrom evalfixes.cli import main\nsys.exit(main())\n")

    def release(self, text: str) -> None:
        """Installs a release of the synthetic upstream."""
        package = self.packages / "toyeval"
        shutil.rmtree(package, ignore_errors=True)
        package.mkdir()
        (package / "__init__.py").write_text('__version__ = "1.0.0"\n')
        (package / "metric.py").write_text(text)
        (package / "client.py").write_text(CLIENT)

    def script(self, name: str, text: str, first_line: str | None = None) -> Path:
        """Adds an executable to the environment, by default as an installer would write it."""
        path = self.bin / name
        path.write_text(f"{first_line or '#!' + self.python}\n{text}")
        path.chmod(0o755)
        return path

    def run(
        self,
        *command: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        path: Sequence[str] = (),
        **environment: str,
    ) -> Result:
        """Runs a command with the environment's programs in front."""
        return Result(
            subprocess.run(
                command,
                input=stdin,
                stdin=subprocess.DEVNULL if stdin is None else None,
                cwd=cwd or self.home,
                env=self.environ(path, environment),
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        )

    def environ(self, path: Sequence[str] = (), more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The process environment of a command."""
        kept = {key: value for key, value in os.environ.items() if key not in HIDDEN}
        kept["PATH"] = os.pathsep.join([*path, str(self.bin), kept.get("PATH", "")])
        return {**kept, "EVALFIXES_CACHE_DIR": str(self.home / "cache"), **(more or {})}

    def shows(self, *command: str, **environment: str) -> float:
        """The score that a command prints in its last line."""
        done = self.run(*command, **environment)
        assert done.code == 0, done
        return float(done.out.split()[-1])


def install(packages: Path) -> None:
    """Puts the copy of evalfixes into a folder, with the metadata that an installer would write."""
    copy = packages / "evalfixes"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "_data"))
    for family in ("google_adk", "deepeval", "agentevals"):
        shutil.rmtree(copy / "fixes" / family, ignore_errors=True)
    (copy / "fixes" / "toy").mkdir()
    (copy / "fixes" / "toy" / "__init__.py").write_text("")
    (copy / "fixes" / "toy" / "score.py").write_text(FIX)
    index = (copy / "_index.py").read_text("utf-8").partition("INDEX: dict")[0]
    (copy / "_index.py").write_text(
        f'{index}INDEX: dict[str, Entry] = {{"toy-score": Entry("toyeval", "toy.score", ("toyeval.metric",))}}\n',
        "utf-8",
    )
    (copy / "_data" / "upstream").mkdir(parents=True)
    (copy / "_data" / "patches").mkdir()
    variants = "".join(
        f'  {{ releases = "1.0.0..1.0.0", state = "{state}", '
        f'symbols = {{ "toyeval.metric:score" = "{fingerprint.of_source(text, ["score"])["score"]}" }} }},\n'
        for text, state in ((FAULTY, "faulty"), (FIXED, "fixed-upstream"))
    )
    (copy / "_data" / "upstream" / "toyeval.toml").write_text(
        f'dist = "toyeval"\npackage = "toyeval"\n[fixes.toy-score]\nlinks = []\naffected = "1.0.0..1.0.0"\n'
        f"variants = [\n{variants}]\n"
    )
    metadata = packages / f"evalfixes-{evalfixes.__version__}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: evalfixes\nVersion: {evalfixes.__version__}\n")
    (metadata / "RECORD").write_text("evalfixes/__init__.py,,\nevalfixes/pytest_plugin.py,,\n")
    (metadata / "entry_points.txt").write_text("[pytest11]\nevalfixes = evalfixes.pytest_plugin\n")


__all__ = ["DRIFTED", "FAULTY", "FIXED", "SHOW", "Result", "Site", "install"]
