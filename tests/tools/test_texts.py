from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import texts

from evalfixes.patching.series import Patch, Series

PATH = "deepeval/metrics/toy.py"
OLD = b"import logging\ndef f():\n    return 1\n"
PATCHED = b"import logging\nlogger = 1\ndef f():\n    return 2\n"
HUNKS = """\
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001

diff --git a/deepeval/metrics/toy.py b/deepeval/metrics/toy.py
index 0000000000000000000000000000000000000001..0000000000000000000000000000000000000002 100644
--- a/deepeval/metrics/toy.py
+++ b/deepeval/metrics/toy.py
@@ -1,3 +1,4 @@
 import logging
+logger = 1
 def f():
-    return 1
+    return 2
"""


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The text of one file in two releases; a patch is for the first, and adds a logger and changes a function."""
    path = tmp_path / "1.0..1.0.patch"
    path.write_text(HUNKS)
    every = Series("deepeval", ("toy",), {"toy": (Patch("toy", "deepeval", "1.0..1.0", path),)})
    found = {"1.0": OLD, "2.0": b"def f():\n    return 3\n"}
    monkeypatch.setattr(texts, "series", lambda dist: every)
    monkeypatch.setattr(texts, "released", lambda dist: list(found))
    monkeypatch.setattr(texts, "sources", lambda dist, version, paths: dict.fromkeys(paths, found[version]))
    return found


def test_texts_say_what_they_were_made_of(releases: dict[str, bytes]) -> None:
    old, new = texts.symbols(OLD), texts.symbols(PATCHED)
    assert texts.texts("deepeval")["texts"] == {
        "deepeval.metrics.toy:f": {new["f"]: [old["f"], "toy"]},
        "deepeval.metrics.toy:logger": {new["logger"]: ["absent", "toy"]},
    }


@pytest.mark.parametrize(
    ("own", "symbol"),
    [(b"logger = 1\n\n\ndef f():\n    return 3\n", "logger"), (b"def f():\n    return 2\n", "f")],
)
def test_a_text_that_a_release_has_by_itself_is_refused(releases: dict[str, bytes], own: bytes, symbol: str) -> None:
    releases["2.0"] = own
    with pytest.raises(SystemExit, match=f"deepeval.metrics.toy:{symbol}: .*by toy, is what release 2.0 has by itself"):
        texts.texts("deepeval")
