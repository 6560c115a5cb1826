"""Runs a function in a forked child: upstream is imported once, and no case sees another's patches."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any


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
