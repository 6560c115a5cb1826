"""Builds patched wheels of real releases twice, installs them under a pin, and runs all scenarios on them.

    python tools/wheels.py [PART-OF-A-NAME ...]

Each wheel goes into two fresh environments, by uv and by pip, as what a pin ``==X`` takes. `evalfixes doctor` must
then find every fault repaired by the wheel, without `apply()`. At the end the hash of the pristine wheel, and then
that of the patched one, decides what pip takes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from environments import HOME, ROOT, Environment, FailedError, environ, run, uv
from pins import Pin, pins

from evalfixes._index import INDEX
from evalfixes.facts import upstream
from evalfixes.patching.series import series
from evalfixes.patching.wheel import Built, build

RELEASES = (("google-adk", "2.13.0"), ("deepeval", "4.3.1"), ("agentevals-cli", "0.9.11"), ("agentevals-cli", "0.11.0"))
PYTHON = "3.12"


def main() -> int:
    failed = []
    for dist, release in RELEASES:
        pin = next(p for p in pins(dist) if (p.release, p.python) == (release, PYTHON))
        if sys.argv[1:] and not any(part in pin.name for part in sys.argv[1:]):
            continue
        try:
            check(pin)
        except (FailedError, AssertionError) as problem:
            failed.append(pin.name)
            print(f"{pin.name}: FAILED: {problem}", flush=True)
    return int(bool(failed))


def check(pin: Pin) -> None:
    folder = HOME / "patched" / pin.name
    shutil.rmtree(folder, ignore_errors=True)
    unpatched = [i for i, e in INDEX.items() if e.dist == pin.dist and e.default and i not in series(pin.dist).patches]
    if unpatched:
        print(f"{pin.name}: without {', '.join(unpatched)}, which have no patch yet", flush=True)
    wanted = f"{pin.dist}=={pin.release}"
    built, again = (build(wanted, folder / name, without=unpatched) for name in ("once", "twice"))
    assert built.path.read_bytes() == again.path.read_bytes(), "building it twice gave two files"
    print(f"{pin.name}: {built.path.name} twice, SHA-256 {built.sha256}", flush=True)
    for installer in ("uv", "pip"):
        environment = Environment(f"patched/{pin.name}/{installer}", pin.python)
        install(environment, pin, built, installer)
        code, rows = doctor(environment, pin.dist)
        rows = [row for row in rows if INDEX[str(row["id"])].default and row["id"] not in unpatched]
        telling = {row["id"]: (row["bare"], row["where"]) for row in rows}
        applied = {row.fix_id for row in built.rows if row.state == "applied"}
        assert code == 0 or unpatched, f"doctor --wheels exits with {code}: {telling}"
        for fix_id, found in telling.items():
            expected = [("patched", "wheel")] if fix_id in applied else [("fixed-upstream", ""), ("not-affected", "")]
            assert found in expected, f"{fix_id} is {found}"
        assert not any(row["failures"] for row in rows), rows
        print(f"{pin.name}: {installer}: {len(applied)} fixes in by the wheel, no scenario wrong", flush=True)
    hashes(environment, pin, built, 1 if unpatched else 0)


def install(environment: Environment, pin: Pin, built: Built, installer: str) -> None:
    """A fresh environment with what the pin asks for; pip installs the upstream itself, under its pin."""
    command = uv()
    assert command is not None, "uv is not there"
    shutil.rmtree(environment.home, ignore_errors=True)
    run([command, "venv", "--quiet", "--python", pin.python, str(environment.home)])
    quick = [command, "pip", "install", "--quiet", "--python", environment.python]
    limits = ["--constraint", str(pin.constraints)]
    offered = ["--find-links", str(built.path.parent)]
    if installer == "uv":
        run([*quick, *limits, *offered, *pin.requirements])
    else:
        run([*quick, *limits, *pin.requirements, "pip"])
        run([*quick[:2], "uninstall", "--quiet", "--python", environment.python, pin.dist])
        pip = [environment.python, "-m", "pip", "install", "--quiet", "--no-compile"]
        run([*pip, *limits, *offered, f"{pin.dist}=={pin.release}"])
    assert version(environment, pin.dist) == built.version, f"{installer} took {version(environment, pin.dist)}"


def version(environment: Environment, dist: str) -> str:
    said = f"from importlib.metadata import version; print(version({dist!r}))"
    return run([environment.python, "-c", said]).strip()


def doctor(environment: Environment, dist: str) -> tuple[int, list[dict[str, object]]]:
    """What `evalfixes doctor --wheels` ends with, and its rows."""
    command = [environment.python, "-m", "evalfixes", "doctor", "--wheels", "--dist", dist, "--format", "json"]
    variables = environ(PYTHONPATH=str(ROOT / "src"), EVALFIXES_CACHE_DIR=str(environment.home / "cache"))
    done = subprocess.run(command, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if not done.stdout:
        raise FailedError(done.stderr[-3000:])
    rows: list[dict[str, object]] = json.loads(done.stdout)["fixes"]
    return done.returncode, rows


def hashes(environment: Environment, pin: Pin, built: Built, patched: int) -> None:
    """A pin with a hash takes the file with that hash, whatever else is on offer; doctor tells which it was."""
    pristine = upstream(pin.dist)["releases"][pin.release]["wheel"]
    assert hashlib.sha256(built.path.read_bytes()).hexdigest() == built.sha256 != pristine
    lines = {
        pin.release: f"{pin.dist}=={pin.release} --hash=sha256:{pristine}",
        built.version: built.requirement,
    }
    for expected, line in lines.items():
        wanted = environment.home / "requirements.txt"
        wanted.write_text(f"{line}\n", encoding="utf-8")
        pip = [environment.python, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--force-reinstall"]
        run([*pip, "--require-hashes", "--find-links", str(built.path.parent), "-r", str(wanted)])
        assert version(environment, pin.dist) == expected, f"{line}: took {version(environment, pin.dist)}"
        code, rows = doctor(environment, pin.dist)
        assert code == (1 if expected == pin.release else patched), (line, code)
        told = [row for row in rows if f"{pin.release} is not the patched wheel that is expected" in str(row["next"])]
        assert bool(told) == (expected == pin.release), line
    print(f"{pin.name}: pip takes the pristine wheel for its hash, and doctor --wheels ends with 1", flush=True)


if __name__ == "__main__":
    sys.exit(main())
