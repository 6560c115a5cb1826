"""Counts the instructions of ``import evalfixes; evalfixes.apply()`` against those of a bare Python.

    python tools/startup.py [--fixes N] [--limit RATIO] [--modules N]

Counts repeat where seconds do not; they are taken under valgrind, and without it there is only a
message. ``--fixes`` fills the catalogue up to N by repeating its entries under other ids.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys

FILL = """
import evalfixes._index as i
real = list(i.INDEX.items())
n = 0
while real and len(i.INDEX) < {fixes}:
    k, e = real[n % len(real)]; n += 1
    i.INDEX[f"{{k}}-{{n}}"] = i.Entry(e.dist, e.home, tuple(f"{{m}}_{{n}}" for m in e.modules), (), True)
"""
APPLY = "import evalfixes; evalfixes.apply()"


def instructions(code: str) -> int:
    """Instructions that a fresh interpreter executes for the code."""
    # The interpreter itself: a launcher or a shim would be counted instead. The site folders stay those of
    # this environment through its path.
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or counted is None:
        sys.exit(f"valgrind failed on {code!r}:\n{done.stderr[-2000:]}")
    return int(counted[1])


def modules(code: str) -> list[str]:
    """Modules that the code brings in."""
    shown = f"import sys; a = set(sys.modules); {code}; print(*sorted(set(sys.modules) - a))"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return done.stdout.split()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixes", type=int, default=40)
    parser.add_argument("--limit", type=float, default=1.6)
    parser.add_argument("--modules", type=int, default=8)
    options = parser.parse_args()
    new = modules(APPLY)
    print(f"new modules: {len(new)} ({', '.join(new)})")
    failed = len(new) > options.modules
    if shutil.which("valgrind") is None:
        print("instructions: not counted, valgrind is not installed")
        return int(failed)
    subprocess.run([sys.executable, "-c", APPLY], check=True)  # writes the bytecode
    fill = FILL.format(fixes=options.fixes)
    bare = instructions("pass")
    plain = instructions(APPLY)
    filled = bare + instructions(f"{fill}\n{APPLY}") - instructions(f"{fill}\npass")
    registered = subprocess.run(
        [sys.executable, "-c", "import evalfixes._index as i; print(len(i.INDEX))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    # Filling imports the package and its index, which `apply` would have imported: add it back.
    package = instructions("import evalfixes._index") - bare
    print(f"bare Python: {bare:,} instructions")
    print(f"apply() with {registered} fixes: {plain:,}, {plain / bare:.3f} times bare")
    print(f"apply() with {options.fixes} fixes: {filled + package:,}, {(filled + package) / bare:.3f} times bare")
    return int(failed or (filled + package) / bare > options.limit)


if __name__ == "__main__":
    sys.exit(main())
