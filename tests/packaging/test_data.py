"""The data folders are found wherever evalfixes was put: a wheel, an sdist's wheel, an editable install, a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOW = "from evalfixes import resources as r; print(r.folder('upstream')); print(r.folder('patches'))"
EVERY_UPSTREAM = sorted(path.name for path in (ROOT / "upstream").glob("*.toml"))


def build(source: Path, target: str, into: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = into.iterdir()
    return made


def unpack(wheel: Path, into: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(into)
    return into


def folders(path: Path | None, here: Path, code: str = SHOW) -> list[Path]:
    """The two folders as a fresh interpreter finds them that has evalfixes on the given path only."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, "-S", "-c", code]
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.splitlines()]


def complete(upstream: Path, patches: Path) -> bool:
    listed = [path.relative_to(patches) for path in patches.rglob("*.patch")]
    ours = [path.relative_to(ROOT / "patches") for path in (ROOT / "patches").rglob("*.patch")]
    return sorted(path.name for path in upstream.glob("*.toml")) == EVERY_UPSTREAM and sorted(listed) == sorted(ours)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    packed = build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(packed) as archive:
        archive.extractall(unpacked, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (top,) = unpacked.iterdir()
    return top


def test_wheel(tmp_path: Path) -> None:
    site = unpack(build(ROOT, "wheel", tmp_path / "wheel"), tmp_path / "site")
    found = folders(site, tmp_path)
    assert found == [site / "evalfixes" / "_data" / name for name in ("upstream", "patches")]
    assert complete(*found)
    assert {path.name for path in site.iterdir()} == {"evalfixes", f"evalfixes-{_version()}.dist-info"}


def test_wheel_of_the_sdist_holds_the_same(sdist: Path, tmp_path: Path) -> None:
    mine = unpack(build(ROOT, "wheel", tmp_path / "a"), tmp_path / "mine")
    theirs = unpack(build(sdist, "wheel", tmp_path / "b"), tmp_path / "theirs")
    assert complete(*folders(theirs, tmp_path))
    listed = [
        sorted(str(path.relative_to(site)) for path in site.rglob("*") if "__pycache__" not in path.parts)
        for site in (mine, theirs)
    ]
    assert listed[0] == listed[1]


def test_editable_install(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel:editable",
        "--directory",
        str(tmp_path / "w"),
    ]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    site = unpack(next((tmp_path / "w").iterdir()), tmp_path / "site")
    found = folders(None, tmp_path, f"import site; site.addsitedir({str(site)!r}); {SHOW}")
    assert found == [ROOT / "upstream", ROOT / "patches"]


def test_checkout(tmp_path: Path) -> None:
    found = folders(ROOT / "src", tmp_path)
    assert found == [ROOT / "upstream", ROOT / "patches"]
    assert complete(*found)


def test_an_incomplete_installation_says_so(tmp_path: Path) -> None:
    site = unpack(build(ROOT, "wheel", tmp_path / "wheel"), tmp_path / "site")
    (site / "evalfixes" / "_data").rename(tmp_path / "elsewhere")
    code = "from evalfixes import resources as r\ntry: r.folder('upstream')\nexcept FileNotFoundError as e: print(e)"
    (line,) = folders(site, tmp_path, code)
    assert "reinstall evalfixes" in str(line)


def test_the_license_and_the_command_are_in_the_wheel(tmp_path: Path) -> None:
    site = unpack(build(ROOT, "wheel", tmp_path / "wheel"), tmp_path / "site")
    info = site / f"evalfixes-{_version()}.dist-info"
    assert "evalfixes = evalfixes.cli:main" in (info / "entry_points.txt").read_text()
    assert "Apache License" in (info / "licenses" / "LICENSE").read_text()
    metadata = (info / "METADATA").read_text()
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert sorted(line.split()[1].partition(">")[0] for line in required) == ["packaging", "tomli"]


def test_ci_runs_what_the_readme_says() -> None:
    command = 'python -m pip install ".[dev]" && nox'
    assert command in (ROOT / "README.md").read_text()
    assert command in (ROOT / ".ci" / "run").read_text()


def _version() -> str:
    import evalfixes

    return evalfixes.__version__
