"""`evalfixes retire` on real history: facts as they were before a release absorbed a fix, and that release.

Run by ``nox -s retire``, which installs the releases and tomlkit; skipped elsewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalfixes.facts import fix_facts, upstream
from evalfixes.patching.series import series
from evalfixes.releases import in_range

ROOT = Path(__file__).resolve().parents[2]
HISTORY = {
    ("agentevals-cli", "0.9.12"): ("agentevals-hallucinations-tool-evidence", "0.5.2..0.11.0"),
    ("deepeval", "4.2.4"): ("deepeval-verbose-verdicts", "3.2.5.."),
}
PIN = (os.environ.get("EVALFIXES_PIN_DIST", ""), os.environ.get("EVALFIXES_PIN_RELEASE", ""))

pytest.importorskip("tomlkit")
pytestmark = pytest.mark.skipif(PIN not in HISTORY, reason="no release that absorbed a fix is pinned here")


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """A checkout in which nobody knows yet that the release absorbed the fix."""
    for name in ("src", "patches", "upstream", "pyproject.toml"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    dist, _ = PIN
    fix_id, affected = HISTORY[PIN]
    path = tmp_path / "upstream" / f"{dist}.toml"
    head, mark, rest = path.read_text().partition(f"[fixes.{fix_id}]\n")
    section, end, tail = rest.partition("\n]\n\n[fixes.")
    section = re.sub(r'(?m)^affected = ".*"$', f'affected = "{affected}"  # as far as we know', section)
    section = re.sub(r'(?m)^fixed_in = ".*"\n', "", section)
    section = re.sub(r'(?m)^.*state = "fixed-upstream".*\n?', "", section)
    path.write_text(head + mark + section.rstrip("\n") + end + tail)
    for patch in (tmp_path / "patches" / dist / fix_id).glob("*.patch"):
        text = re.sub("(?m)^Forwarded: .*$", "Forwarded: no", patch.read_text())
        patch.write_text(re.sub("(?m)^Applied-Upstream: .*$", "Applied-Upstream: no", text))
    return tmp_path


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", "evalfixes", "retire", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_release_is_found_to_have_absorbed_the_fix(before: Path) -> None:
    dist, release = PIN
    fix_id, _ = HISTORY[PIN]
    path = before / "upstream" / f"{dist}.toml"
    untouched = path.read_text()

    dry = run(before, f"{dist}=={release}", "--dry-run")

    assert dry.returncode == 0, dry.stdout + dry.stderr
    assert f"has absorbed {fix_id}\n" in dry.stdout
    assert path.read_text() == untouched
    states = dict(re.findall(r"(?m)^  (\S+) +(\w[\w ]*?)  ", dry.stdout))
    for other, entry in upstream(dist)["fixes"].items():
        known = [v["state"] for v in entry["variants"] if in_range(release, v["releases"])]
        if other != fix_id and known:
            expected = {"faulty": "still faulty", "fixed-upstream": "retired before", "not-affected": "not there"}
            assert states[other] == expected[known[0]], dry.stdout

    done = run(before, f"{dist}=={release}")

    assert done.returncode == 0, done.stdout + done.stderr
    facts = fix_facts(dist, fix_id)
    wanted = re.sub(
        r'(?m)^(affected = ").*(")(  # as far as we know)$',
        rf'\g<1>{facts.affected}\g<2>\g<3>\nfixed_in = "{release}"',
        untouched,
    )
    assert path.read_text() == wanted
    for patch in series(dist).patches[fix_id]:
        there = before / "patches" / dist / fix_id / patch.path.name
        same = [re.sub("(?m)^Last-Update: .*$", "", p.read_text()) for p in (there, patch.path)]
        assert same[0] == same[1]
    others = {p.relative_to(before) for p in before.glob("patches/*/*/*.patch")} - {
        Path("patches", dist, fix_id, p.path.name) for p in series(dist).patches[fix_id]
    }
    assert all((before / p).read_bytes() == (ROOT / p).read_bytes() for p in others)
