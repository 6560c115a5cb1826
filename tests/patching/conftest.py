"""A vendored copy that the first patch fits, made of its own hunk and nothing of upstream."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalfixes import catalog
from evalfixes.facts import upstream
from evalfixes.fix import Fix
from evalfixes.patching.series import series

THOUGHTS = "adk-response-match-thoughts"

PRISTINE = '''\
"""A stand-in for upstream's module."""

from __future__ import annotations


def before():
  return "ä"


'''


@pytest.fixture
def fix() -> Fix:
    return catalog.get(THOUGHTS)


def old_side(fix: Fix) -> bytes:
    """The lines that the newest patch of a fix looks for in its first source file."""
    (change, *_) = series(fix.dist).patches[fix.id][0].files
    lines = [content for hunk in change.hunks for content, _ in hunk.side("-")]
    head = b"def _get_text_from_content(content):\n"
    return PRISTINE.encode() + head + b"\n".join(lines) + b"\n  return ''\n"


@pytest.fixture
def vendored(tmp_path: Path, fix: Fix) -> Iterator[Path]:
    """A repository with a copy of the package deep inside; its text is of no release."""
    package = tmp_path / "repo" / "third_party" / Path(*upstream(fix.dist)["package"].split("."))
    (package / "evaluation").mkdir(parents=True)
    (package / "evaluation" / "final_response_match_v1.py").write_bytes(old_side(fix))
    (package / "evaluation" / "neighbour.py").write_bytes(b"x = '\xff\xfe'\r\n")
    (package / "version.py").write_text('__version__ = "2.13.0"\n')
    yield tmp_path / "repo"
    shutil.rmtree(tmp_path, ignore_errors=True)
