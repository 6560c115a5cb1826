"""Exact application of git-format patches to bytes: offsets are allowed, fuzz never is.

It stands in for ``git apply`` so that an installed package can be patched where there is no git, and
it is stricter: a hunk that fits in more than one place is refused, never put at the nearest one. The
line ends of a file are kept, whatever they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
_NO_EOL = b"\\ No newline at end of file"


class PatchFormatError(ValueError):
    """A patch file is not what git writes."""


class HunkError(Exception):
    """A hunk does not fit.

    Attributes:
        path: The file as the patch names it.
        hunk: The hunk; None where the file as a whole is in the way.
        reason: Why it does not fit.
    """

    def __init__(self, path: str, hunk: Hunk | None, reason: str) -> None:
        self.path, self.hunk, self.reason = path, hunk, reason
        super().__init__(f"{path}: {reason}")


@dataclass(frozen=True)
class Hunk:
    """One hunk: lines without their line ends, each with its tag (space, minus or plus).

    Attributes:
        start: The line it was made at, from 1.
        lines: ``(tag, content, last)``; ``last`` marks a final line without a line end.
        heading: What stands behind the second ``@@``.
    """

    start: int
    lines: tuple[tuple[str, bytes, bool], ...]
    heading: bytes = b""

    def side(self, tag: str) -> list[tuple[bytes, bool]]:
        """The lines of the old (``-``) or new (``+``) side, context included."""
        return [(content, last) for t, content, last in self.lines if t in (" ", tag)]

    def reversed(self, start: int) -> Hunk:
        """The hunk that undoes this one."""
        swap = {" ": " ", "-": "+", "+": "-"}
        return Hunk(start, tuple((swap[t], content, last) for t, content, last in self.lines), self.heading)

    def __str__(self) -> str:
        old, new = len(self.side("-")), len(self.side("+"))
        head = f"@@ -{self.start},{old} +{self.start},{new} @@ {self.heading.decode(errors='replace')}".rstrip()
        return "\n".join([head, *(f"{t}{content.decode(errors='replace')}" for t, content, _ in self.lines)])


@dataclass(frozen=True)
class FilePatch:
    """What a patch does to one file.

    Attributes:
        path: The path in the upstream repository, with forward slashes.
        hunks: The changes, from top to bottom.
        new: The file is created.
        blobs: The abbreviated or full git blob ids before and after.
    """

    path: str
    hunks: tuple[Hunk, ...]
    new: bool = False
    deleted: bool = False
    blobs: tuple[str, str] = ("", "")

    def reversed(self) -> FilePatch:
        """The change that undoes this one."""
        hunks, shift = [], 0
        for hunk in self.hunks:
            hunks.append(hunk.reversed(hunk.start + shift))
            shift += len(hunk.side("+")) - len(hunk.side("-"))
        return FilePatch(self.path, tuple(hunks), self.deleted, self.new, (self.blobs[1], self.blobs[0]))


def parse(data: bytes) -> tuple[bytes, tuple[FilePatch, ...]]:
    """Splits a git-format patch into its message and its changes.

    Raises:
        PatchFormatError: It is damaged, renames files, or holds binary changes.
    """
    lines = data.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
    first = next((n for n, line in enumerate(lines) if line.startswith(b"diff --git ")), None)
    if first is None:
        raise PatchFormatError("it holds no change")
    files: list[FilePatch] = []
    at = first
    while at < len(lines):
        if not lines[at].startswith(b"diff --git "):
            if lines[at].strip():
                raise PatchFormatError(f"line {at + 1} belongs to no hunk")
            at += 1
            continue
        at, found = _file(lines, at)
        files.append(found)
    return b"\n".join(lines[:first]), tuple(files)


def _file(lines: Sequence[bytes], at: int) -> tuple[int, FilePatch]:
    new = deleted = False
    blobs = ("", "")
    old_path = new_path = b""
    at += 1
    while at < len(lines) and not lines[at].startswith((b"@@", b"diff --git ")):
        line = lines[at]
        if line.startswith((b"rename ", b"copy ", b"GIT binary", b"Binary files", b"old mode", b"similarity")):
            raise PatchFormatError(f"line {at + 1}: {line.decode(errors='replace')} is not supported")
        new = new or line.startswith(b"new file mode")
        deleted = deleted or line.startswith(b"deleted file mode")
        if line.startswith(b"index "):
            before, _, after = line[6:].split(b" ")[0].partition(b"..")
            blobs = (before.decode(), after.decode())
        if line.startswith(b"--- "):
            old_path = line[4:]
        if line.startswith(b"+++ "):
            new_path = line[4:]
        at += 1
    named = (old_path if deleted else new_path).decode()
    if named[:2] not in ("a/", "b/"):
        raise PatchFormatError(f"no file is named before line {at + 1}")
    path = named[2:]
    if path.startswith("/") or ".." in path.split("/") or "\\" in path or ":" in path:
        raise PatchFormatError(f"the path {path} leads out of the tree")
    hunks: list[Hunk] = []
    while at < len(lines) and lines[at].startswith(b"@@"):
        at, hunk = _hunk(lines, at)
        hunks.append(hunk)
    return at, FilePatch(path, tuple(hunks), new, deleted, blobs)


def _hunk(lines: Sequence[bytes], at: int) -> tuple[int, Hunk]:
    match = _HUNK.match(lines[at])
    if match is None:
        raise PatchFormatError(f"line {at + 1} is no hunk header")
    old = int(match[2]) if match[2] else 1
    new = int(match[4]) if match[4] else 1
    start, heading = int(match[1]), match[5]
    body: list[tuple[str, bytes, bool]] = []
    at += 1
    while old > 0 or new > 0 or (at < len(lines) and lines[at] == _NO_EOL):
        if at >= len(lines):
            raise PatchFormatError("it is cut off inside a hunk")
        line = lines[at]
        at += 1
        if line == _NO_EOL:
            if not body:
                raise PatchFormatError(f"line {at} has nothing before it")
            body[-1] = (body[-1][0], body[-1][1], True)
            continue
        tag = line[:1].decode(errors="replace") or " "  # editors strip the blank of an empty context line
        if tag not in " +-":
            raise PatchFormatError(f"line {at} is no hunk line")
        body.append((tag, line[1:], False))
        old -= tag in " -"
        new -= tag in " +"
    if old < 0 or new < 0:
        raise PatchFormatError(f"the hunk before line {at + 1} is longer than its header says")
    return at, Hunk(start, tuple(body), heading)


def apply(change: FilePatch, data: bytes | None) -> bytes | None:
    """The file's new content; None for no file.

    Args:
        change: The change.
        data: The file's content; None if there is no such file.

    Raises:
        HunkError: The first hunk that does not fit exactly once.
    """
    if change.new:
        if data is not None:
            raise HunkError(change.path, None, "the file is there already")
        return b"".join(content + (b"" if last else b"\n") for h in change.hunks for content, last in h.side("+"))
    if data is None:
        raise HunkError(change.path, None, "there is no such file")
    lines = split(data)
    if change.deleted:
        if [(c, not end) for c, end in lines] != [line for hunk in change.hunks for line in hunk.side("-")]:
            raise HunkError(change.path, None, "the file was edited since it was created")
        return None
    result: list[tuple[bytes, bytes]] = []
    done = 0
    places = locate(change, lines)
    for hunk, place in zip(change.hunks, places, strict=True):
        result += lines[done:place]
        done = place
        end = _eol(lines, place)
        for tag, content, last in hunk.lines:
            if tag == "+":
                result.append((content, b"" if last else end))
            else:
                if tag == " ":
                    result.append(lines[done])
                done += 1
    result += lines[done:]
    return b"".join(content + end for content, end in result)


def locate(change: FilePatch, lines: Sequence[tuple[bytes, bytes]]) -> list[int]:
    """Where each hunk fits, as indices of lines.

    Raises:
        HunkError: A hunk fits nowhere, or in more than one place.
    """
    places: list[int] = []
    floor = 0
    for hunk in change.hunks:
        found = [n for n in fits(hunk, lines) if n >= floor]
        if not found:
            raise HunkError(change.path, hunk, "the hunk fits nowhere")
        if len(found) > 1:
            where = ", ".join(str(n + 1) for n in found)
            raise HunkError(change.path, hunk, f"the hunk fits in {len(found)} places (lines {where})")
        places.append(found[0])
        floor = found[0] + len(hunk.side("-"))
    return places


def fits(hunk: Hunk, lines: Sequence[tuple[bytes, bytes]]) -> list[int]:
    """All places where the old side of a hunk stands."""
    old = hunk.side("-")
    if not old:
        return [0] if not lines else []
    head = old[0][0]
    return [
        n
        for n in range(len(lines) - len(old) + 1)
        if lines[n][0] == head
        and all(
            lines[n + k][0] == content and (lines[n + k][1] == b"") == last for k, (content, last) in enumerate(old)
        )
    ]


def split(data: bytes) -> list[tuple[bytes, bytes]]:
    """The lines of a file, each with its line end: LF, CR LF, or nothing at the end of the file."""
    parts = data.split(b"\n")
    last = parts.pop()
    lines = [(p[:-1], b"\r\n") if p.endswith(b"\r") else (p, b"\n") for p in parts]
    return [*lines, (last, b"")] if last else lines


def _eol(lines: Sequence[tuple[bytes, bytes]], place: int) -> bytes:
    """The line end in use around a place."""
    for near in (place, place - 1):
        if 0 <= near < len(lines) and lines[near][1]:
            return lines[near][1]
    return b"\n"
