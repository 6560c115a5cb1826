from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ways.environment import FAULTY, Site


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def site(shared: Site) -> Iterator[Site]:
    """An environment with evalfixes; what a test leaves there is removed."""
    before = {path: path.read_bytes() for path in shared.packages.iterdir() if path.is_file()}
    scripts = set(shared.bin.iterdir())
    yield shared
    for path in shared.packages.iterdir():
        if path.is_file() and path not in before:
            path.unlink()
    for path in set(shared.bin.iterdir()) - scripts:
        path.unlink()
    if (shared.packages / "toyeval" / "metric.py").read_text() != FAULTY:
        shared.release(FAULTY)


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """An environment without evalfixes."""
    return Site(tmp_path_factory.mktemp("bare"), with_evalfixes=False)
