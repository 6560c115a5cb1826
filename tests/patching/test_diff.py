from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.patching.diff import FilePatch, HunkError, PatchFormatError, apply, parse

PATCH = b"""\
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
Subject: [PATCH] A change

Why: because.

diff --git a/pkg/m.py b/pkg/m.py
index 1111111..2222222 100644
--- a/pkg/m.py
+++ b/pkg/m.py
@@ -2,3 +2,4 @@ def f():
 b
-c
+C1
+C2
 d
"""


def change(data: bytes = PATCH) -> FilePatch:
    return parse(data)[1][0]


def test_a_hunk_is_found_at_an_offset() -> None:
    assert apply(change(), b"x\ny\nz\na\nb\nc\nd\ne\n") == b"x\ny\nz\na\nb\nC1\nC2\nd\ne\n"


@pytest.mark.parametrize("data", [b"a\nb\nc\nD\n", b"a\nb \nc\nd\n", b"a\nB\nc\nd\n", b"", b"b\nc"])
def test_fuzz_is_refused_with_the_hunk(data: bytes) -> None:
    with pytest.raises(HunkError) as caught:
        apply(change(), data)
    assert "-c" in str(caught.value.hunk)


def test_two_places_are_refused() -> None:
    with pytest.raises(HunkError, match="2 places"):
        apply(change(), b"b\nc\nd\nb\nc\nd\n")


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(HunkError, match="no such file"):
        apply(change(), None)


def test_line_ends_are_kept() -> None:
    assert apply(change(), b"a\r\nb\r\nc\r\nd\r\n") == b"a\r\nb\r\nC1\r\nC2\r\nd\r\n"
    assert apply(change(), b"a\r\nb\nc\nd\r\n") == b"a\r\nb\nC1\nC2\nd\r\n"


def test_bytes_that_are_no_utf8_are_kept() -> None:
    assert apply(change(), b"\xff\xfe\nb\nc\nd\n\xe4\n") == b"\xff\xfe\nb\nC1\nC2\nd\n\xe4\n"


def test_reversing_undoes_it() -> None:
    before = b"a\nb\nc\nd\n"
    after = apply(change(), before)
    assert apply(change().reversed(), after) == before
    with pytest.raises(HunkError):
        apply(change(), after)


def test_a_patch_saved_with_crlf_reads_the_same() -> None:
    assert change(PATCH.replace(b"\n", b"\r\n")) == change()


@pytest.mark.parametrize("path", ["../m.py", "a/../../m.py", "/etc/m.py", "C:/m.py", "a\\..\\m.py"])
def test_paths_out_of_the_tree_are_refused(path: str) -> None:
    with pytest.raises(PatchFormatError, match="leads out"):
        parse(PATCH.replace(b"/pkg/m.py", b"/" + path.encode()))


@pytest.mark.parametrize(
    "old, new",
    [
        (b" d\n", b""),
        (b"@@ -2,3 +2,4 @@", b"@@ -2,9 +2,9 @@"),
        (b"@@ -2,3", b"@@ nonsense"),
        (b"index 1111111..2222222 100644\n", b"rename from x\nrename to y\n"),
        (b"index 1111111..2222222 100644\n", b"GIT binary patch\n"),
        (b" d\n", b" d\nrubbish\n"),
    ],
)
def test_damaged_patches_are_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(PatchFormatError):
        parse(PATCH.replace(old, new))


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  d", "é"]), max_size=12)


@given(LINES, LINES, st.booleans(), st.booleans(), st.integers(0, 3))
def test_what_git_makes_is_applied_and_reversed(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str], end: bool, end_new: bool, context: int
) -> None:
    folder: Path = tmp_path_factory.mktemp("git")
    before = ("\n".join(old) + ("\n" if end and old else "")).encode()
    after = ("\n".join(new) + ("\n" if end_new and new else "")).encode()
    (folder / "a").write_bytes(before)
    (folder / "b").write_bytes(after)
    data = subprocess.run(
        ["git", "diff", "--no-index", f"-U{context}", "--src-prefix=a/x/", "--dst-prefix=b/x/", "a", "b"],
        cwd=folder, capture_output=True, check=False,
    ).stdout  # fmt: skip
    if not data or b"@@" not in data:
        return
    found = parse(data)[1][0]
    for patch, source, target in ((found, before, after), (found.reversed(), after, before)):
        try:
            result = apply(patch, source)
        except HunkError as error:
            refused = error.reason
        else:
            refused = ""
            assert result == target
        # Too little context to be sure is the one reason to refuse what git made.
        assert "places" in refused or not refused or context == 0
