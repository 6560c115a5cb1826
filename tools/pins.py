"""Makes the constraints files of the pinned environments in ``upstream/*.toml``.

    python tools/pins.py [--force] [DIST [RELEASE ...]]

An old release breaks on today's dependencies, so each pin is resolved as of a day shortly after its
release (``until``, or else `GRACE` days after the date of the newest of the releases it names). The
files hold names and versions and nothing else; those that exist are kept unless ``--force``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from registry import tomllib, uv

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "upstream" / "constraints"
GRACE = 21
"""Days that the dependencies of a release may be younger than itself."""

TESTING = ("packaging", "pytest", "hypothesis", "tomli; python_version < '3.11'")
"""What the tests need in a pinned environment, besides the upstream."""

EXTRAS = {"google-adk": "google-adk[eval]"}


OFF_RECORD = {"2.4.9": ("langchain<0.4", "langchain-community<0.4", "langchain-core<0.4", "langchain-openai<0.4")}
"""What releases that are not on record, but have a patch, need beside them to be imported."""


class Pin(NamedTuple):
    """A pinned environment: a release, the Python it runs on and what stands beside it."""

    dist: str
    release: str
    python: str
    tier: str
    partners: tuple[str, ...]
    until: str

    @property
    def name(self) -> str:
        return f"{self.dist}-{self.release}-py{self.python.replace('.', '')}"

    @property
    def constraints(self) -> Path:
        return CONSTRAINTS / f"{self.name}.txt"

    @property
    def requirements(self) -> list[str]:
        """What is asked for; everything else follows from the constraints."""
        asked = [f"{EXTRAS.get(self.dist, self.dist)}=={self.release}", *self.partners]
        if self.dist == "google-adk":
            asked.append("rouge-score")
        return [*asked, *TESTING]


def upstream(dist: str) -> dict[str, Any]:
    with (ROOT / "upstream" / f"{dist}.toml").open("rb") as stream:
        return tomllib.load(stream)


def dists() -> list[str]:
    return sorted(path.stem for path in (ROOT / "upstream").glob("*.toml"))


def for_patches(dist: str) -> dict[Pin, list[str]]:
    """The last release of every patch that can be imported, under the pinned environment that stands nearest to it.

    A release runs on the dependencies of one that was published around the same time; one that is not on record,
    which a fork may be built on, on its own.
    """
    known = upstream(dist)["releases"]
    order = list(known)
    hosts = sorted(pins(dist), key=lambda pin: pin.python != "3.12")
    found: dict[Pin, list[str]] = {}
    spans = {path.stem for path in (ROOT / "patches" / dist).glob("*/*.patch")}
    for release in {_last(span, known) for span in spans}:
        if release in known:
            place = order.index(release)
            near = min(hosts, key=lambda pin: abs(order.index(pin.release) - place))
        else:
            near = Pin(dist, release, "3.11", "wide", OFF_RECORD.get(release, ()), "")
        found.setdefault(near, []).append(release)
    return found


def _last(span: str, known: dict[str, Any]) -> str:
    """The last release of a range that can be imported; its end, if none is on record."""
    first, _, last = span.partition("..")
    order = list(known)
    if last not in known:
        return last
    start = order.index(first) if first in known else 0
    whole = [release for release in order[start : order.index(last) + 1] if "broken" not in known[release]]
    return whole[-1] if whole else last


def pins(dist: str) -> list[Pin]:
    return [
        Pin(dist, p["release"], p["python"], p["tier"], tuple(p.get("with", ())), p.get("until", ""))
        for p in upstream(dist).get("pins", ())
    ]


def cutoff(pin: Pin) -> str:
    """The day as of which the pin is resolved."""
    if pin.until:
        return pin.until
    named = [(pin.dist, pin.release), *(tuple(p.split("==")) for p in pin.partners if p.partition("==")[0] in dists())]
    newest = max(upstream(dist)["releases"][release]["date"] for dist, release in named)
    return (date.fromisoformat(newest) + timedelta(days=GRACE)).isoformat()


def resolve(pin: Pin) -> str:
    """The text of the pin's constraints file."""
    command = [uv(), "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-emit-index-url"]
    command += ["--python-version", pin.python, "--exclude-newer", cutoff(pin), "-"]
    done = subprocess.run(command, input="\n".join(pin.requirements), capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(f"{pin.name}: {done.stderr.strip()[-800:]}")
    lines = [line.partition(" ;")[0].strip() for line in done.stdout.splitlines()]
    lines = [re.sub(r"\[.*?\]", "", line) for line in lines if "==" in line]
    return "\n".join(sorted(lines)) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", nargs="?")
    parser.add_argument("release", nargs="*")
    parser.add_argument("--force", action="store_true", help="resolve again what has a file already")
    options = parser.parse_args()
    CONSTRAINTS.mkdir(exist_ok=True)
    todo = [
        pin
        for pin in (pin for dist in ([options.dist] if options.dist else dists()) for pin in pins(dist))
        if (not options.release or pin.release in options.release) and (options.force or not pin.constraints.exists())
    ]
    # Resolving waits for the registry nearly all of its time.
    with ThreadPoolExecutor(8) as pool:
        return max(pool.map(write, sorted(todo, key=lambda pin: pin.tier)), default=0)


def write(pin: Pin) -> int:
    """Writes the pin's constraints file; 1 if its requirements cannot be met together."""
    try:
        pin.constraints.write_text(resolve(pin), encoding="utf-8")
    except LookupError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    print(f"{pin.name}: resolved as of {cutoff(pin)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
