"""Runs a function in a forked child: upstream is imported once, and no case sees another's patches."""

from __future__ import annotations

import logging
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def forked_python(code: str, *arguments: str, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """As ``python -c code arguments`` ends, but with all that is imported here imported already.

    For the many cases of a command that a process of its own has been shown for once: the imports of an
    upstream take longer than the case.

    Raises:
        ChildError: The child died or took too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        printed = [Path(folder, name) for name in ("stdout", "stderr")]
        status = forked(_program, code, arguments, cwd, dict(env), printed)
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in printed)
    return subprocess.CompletedProcess([sys.executable, "-c", code, *arguments], status, out, err)


def _program(code: str, arguments: Sequence[str], cwd: Path, env: dict[str, str], printed: Sequence[Path]) -> int:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, path in enumerate(printed, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    root = logging.getLogger()
    root.handlers[:] = [handler for handler in root.handlers if type(handler) is logging.StreamHandler]
    sys.argv, sys.path[0:0] = ["-c", *arguments], [""]
    try:
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


class ChildError(AssertionError):
    """The function raised in the child; the message is the child's traceback."""


def forked(function: Callable[..., Any], *args: Any, seconds: float = 600) -> Any:
    """The function's result, computed in a child process.

    Raises:
        ChildError: It raised, died or took too long.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            result = (True, function(*args))
        except BaseException:
            result = (False, traceback.format_exc())
        with os.fdopen(writer, "wb") as stream:
            stream.write(pickle.dumps(result))
        os._exit(0)
    os.close(writer)
    data, end = b"", time.monotonic() + seconds
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
        chunk = os.read(reader, 1 << 16) if ready else None
        if not chunk:
            break
        data += chunk
    os.close(reader)
    if chunk is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if chunk is None:
        raise ChildError(f"not done after {seconds} s")
    if not data:
        raise ChildError("the child died")
    good, value = pickle.loads(data)
    if not good:
        raise ChildError(value)
    return value
