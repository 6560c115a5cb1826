"""Counts the instructions of a start-up with evalfixes, and with others that patch at start-up.

    python benchmarks/startup.py [--fixes N] [--json FILE]

Counts repeat where seconds do not. They are taken under valgrind, processes that are executed or
started by the measured one included; without valgrind there is only a message. Exit code 1 if a limit
is passed. Others (mpat, opentelemetry-instrument, ddtrace-run) are measured if they are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

LIMITS = {"import evalfixes; evalfixes.apply()": 1.6, "evalfixes run -- python -c pass": 2.5}
FILL = """

_REAL = list(INDEX.items())
for _n in range(max(0, {fixes} - len(_REAL))):
    _key, _entry = _REAL[_n % len(_REAL)]
    INDEX["%s-%d" % (_key, _n)] = Entry(_entry.dist, _entry.home, tuple("%s_%d" % (m, _n) for m in _entry.modules))
"""


def instructions(command: list[str], environment: dict[str, str]) -> int:
    """Instructions of a command, the second time it is run: the first writes bytecode.

    Raises:
        RuntimeError: It failed.
    """
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    with tempfile.TemporaryDirectory() as folder:
        # What a process did before it executes another would be lost without a dump at that point.
        valgrind = ["valgrind", "--tool=callgrind", "--trace-children=yes", "--dump-before=execve*"]
        valgrind.append(f"--callgrind-out-file={folder}/%p")
        done = subprocess.run(
            [*valgrind, *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        totals = [re.search(r"^totals: (\d+)", path.read_text(), re.M) for path in Path(folder).iterdir()]
    if done.returncode or not totals:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-1500:]}")
    return sum(int(total[1]) for total in totals if total)


def padded(fixes: int, folder: Path) -> Path:
    """A copy of evalfixes with so many fixes on its index, to be put on PYTHONPATH."""
    found = find_spec("evalfixes")
    assert found is not None
    assert found.origin is not None
    copy = folder / "evalfixes"
    shutil.copytree(Path(found.origin).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "_index.py").open("a", encoding="utf-8") as stream:
        stream.write(FILL.format(fixes=fixes))
    return folder


def commands() -> dict[str, list[str]]:
    """What is measured; programs of others only if they are beside this interpreter."""
    python, here = sys.executable, Path(sys.executable).parent
    launcher = "import sys\nfrom evalfixes.cli import main\nsys.exit(main())"
    chosen = {
        "import evalfixes; evalfixes.apply()": [python, "-c", "import evalfixes; evalfixes.apply()"],
        # As the console script is; `-c` in its place would be an argument of Python's, not of the launcher.
        "evalfixes run -- python -c pass": [python, "-c", launcher, "run", "--", python, "-c", "pass"],
    }
    if find_spec("mpat"):
        chosen["import mpat"] = [python, "-c", "import mpat"]
    for name in ("opentelemetry-instrument", "ddtrace-run"):
        if (here / name).exists():
            chosen[f"{name} python -c pass"] = [python, str(here / name), python, "-c", "pass"]
    return chosen


def main() -> int:
    """Measures and prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixes", type=int, default=40, help="as if so many fixes were registered")
    parser.add_argument("--json", type=Path, help="write the figures to a file, too")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: not counted, valgrind is not installed")
        return 0
    hidden = ("PYTHONPATH", "EVALFIXES_RUN", "EVALFIXES_DISABLE", "EVALFIXES_SKIP", "PYTHONDONTWRITEBYTECODE")
    bare = {key: value for key, value in os.environ.items() if key not in hidden}
    bare |= {"PYTHONHASHSEED": "0", "DD_TRACE_ENABLED": "false", "DD_INSTRUMENTATION_TELEMETRY_ENABLED": "false"}
    base = instructions([sys.executable, "-c", "pass"], bare)
    counts, failed = {"python -c pass": base}, False
    print(f"| start-up | instructions | ratio |\n| --- | ---: | ---: |\n| `python -c pass` | {base:,} | 1.0 |")
    with tempfile.TemporaryDirectory() as folder:
        ours = {**bare, "PYTHONPATH": str(padded(options.fixes, Path(folder)))}
        for name, command in commands().items():
            try:
                count = instructions(command, ours if "evalfixes" in name else bare)
            except RuntimeError as error:
                failed = failed or name in LIMITS
                print(f"| `{name}` | failed | |", flush=True)
                print(error, file=sys.stderr)
                continue
            counts[name] = count
            limit = LIMITS.get(name)
            failed = failed or (limit is not None and count / base > limit)
            print(f"| `{name}` | {count:,} | {count / base:.2f}{f' (limit {limit})' if limit else ''} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(counts, indent=1) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
