"""`evalfixes run -- COMMAND ...`: a command with the fixes in place, and nothing else changed.

The command replaces this process (on Windows it is waited for), so its exit code, signals, standard
streams and arguments are its own. Kept free of everything that costs at start-up.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

CANNOT_START = 127
USAGE = 3
USAGE_LINE = "usage: evalfixes run [--no-children] -- COMMAND [ARGUMENT ...]"
HELP = f"""{USAGE_LINE}

Runs COMMAND with evalfixes.apply() called in it before its own code. Exit code, signals, standard
streams and arguments are COMMAND's own; 127 if it cannot be started, 3 if it could only be run
unfixed: its interpreter has no evalfixes, or is told to ignore PYTHONPATH.

options:
  --no-children  only COMMAND itself; Python programs that it starts run as they are
  -h, --help     show this and exit
"""
BOOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_boot")

# Answers for the command's interpreter, which may be any Python: what has become of our `sitecustomize`.
_QUESTION = """
import sys
if "evalfixes._startup" in sys.modules:
    print("evalfixes: applied")
else:
    try:
        import evalfixes._startup
        print("evalfixes: present")
    except ImportError:
        print("evalfixes: absent")
print(sys.executable)
"""


class _RefusedError(Exception):
    """Why the command is not started, and the exit code that says so."""

    def __init__(self, reason: str, code: int = USAGE) -> None:
        super().__init__(reason)
        self.code = code


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Lists the command in the help; `launch` reads its arguments, since most of them are not ours."""
    commands.add_parser("run", add_help=False, help="run a command with the fixes in place", description=HELP)


def launch(arguments: list[str]) -> int:
    """Runs a command.

    Args:
        arguments: What stands behind ``evalfixes run``.

    Returns:
        An exit code, if the command could not be started (or on Windows, where it is waited for).
    """
    rest, children = list(arguments), True
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option in ("-h", "--help"):
            print(HELP, end="")
            return 0
        if option != "--no-children":
            return _say(f"unknown option {option!r}; COMMAND's own options stand behind COMMAND", usage=True)
        children = False
    if not rest:
        return _say("no COMMAND is given", usage=True)
    try:
        _check_settings()
        path = _find(rest[0])
        environment = _environment("first" if children else "only")
        _check(path, rest, environment, children)
        return _start(path, rest, environment)
    except _RefusedError as refused:
        return _say(str(refused), refused.code)


def _say(message: str, code: int = USAGE, usage: bool = False) -> int:
    print(f"{USAGE_LINE}\nevalfixes run: {message}" if usage else f"evalfixes run: {message}", file=sys.stderr)
    return code


def _check_settings() -> None:
    """Tells of a mistake in the settings here, where it can be told once and by its exit code."""
    names = [name.strip() for name in os.environ.get("EVALFIXES_SKIP", "").split(",")]
    if any(names):
        from evalfixes.catalog import closure
        from evalfixes.errors import UnknownFixError

        try:
            closure(filter(None, names))
        except UnknownFixError as error:
            raise _RefusedError(f"EVALFIXES_SKIP: {error}") from None
    from evalfixes.errors import OptionError
    from evalfixes.runtime.options import settle

    try:
        settle({}, warn=False)  # what does not count is said by the command itself
    except OptionError as error:
        raise _RefusedError(str(error)) from None


def _find(command: str) -> str:
    """The file that a shell would run for the command."""
    if os.name == "nt":
        from shutil import which

        found = which(command)
        if found is None:
            raise _RefusedError(f"cannot start {command!r}: not found", CANNOT_START)
        return found
    if os.sep in command:
        places = [command]
    else:
        places = [os.path.join(folder, command) for folder in os.get_exec_path()] if command else []
    reason = "not found"
    for path in places:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
        if os.path.exists(path):
            reason = f"{path} is a folder" if os.path.isdir(path) else f"{path} is not executable"
    raise _RefusedError(f"cannot start {command!r}: {reason}", CANNOT_START)


def _environment(mode: str) -> dict[str, str]:
    if os.pathsep in BOOT:
        raise _RefusedError(f"{BOOT} cannot stand on PYTHONPATH, since its name holds {os.pathsep!r}")
    present = os.environ.get("PYTHONPATH", "")
    entries = [entry for entry in present.split(os.pathsep) if entry != BOOT] if present else []
    return {**os.environ, "PYTHONPATH": os.pathsep.join([BOOT, *entries]), "EVALFIXES_RUN": mode}


def _check(path: str, command: list[str], environment: dict[str, str], children: bool) -> None:
    """Refuses a command that would run unfixed.

    Raises:
        _RefusedError: Its interpreter has no evalfixes or does not look at PYTHONPATH, or the command
            is no Python program and its children are to be left alone.
    """
    found = _interpreter(path)
    if found is None:
        if not children:
            raise _RefusedError(f"--no-children: {path} is no Python program, so there is nothing to repair in it")
        return
    interpreter, options = found
    options = options + (command[1:] if interpreter == path else [])
    flags = python_flags(options)
    if not flags and _ours(interpreter):
        return
    import subprocess

    try:
        done = subprocess.run(
            [interpreter, *flags, "-c", _QUESTION], env={**environment, "EVALFIXES_RUN": "ask"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
    except OSError as error:
        raise _RefusedError(f"cannot start {command[0]!r}: {interpreter}: {error.strerror}", CANNOT_START) from None
    answer = done.stdout.splitlines()
    state = next((line for line in answer if line.startswith("evalfixes: ")), "")
    if state == "evalfixes: applied":
        return
    name = answer[-1] if state else interpreter
    if state and flags:
        raise _RefusedError(
            f"{name} is started with {' '.join(flags)}, which keeps the fixes out of {command[0]!r}; leave that out"
            + ("" if "-S" in flags else f", or run `{name} -m evalfixes activate` once instead")
        )
    if state:
        raise _RefusedError(
            f"{command[0]!r} runs on {name}, which has no evalfixes, so it would run unfixed; "
            f"install evalfixes there, or use the interpreter that has it: {sys.executable}"
        )
    last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    raise _RefusedError(
        f"cannot start {command[0]!r}: its interpreter {interpreter} does not run: {last}", CANNOT_START
    )


def _interpreter(path: str) -> tuple[str, list[str]] | None:
    """The Python that runs a file, with the options it is given; None if none does."""
    if _is_python(path):
        return path, []
    try:
        with open(path, "rb") as stream:
            lines = stream.read(4096).splitlines()
    except OSError:  # one may be allowed to run what one may not read
        return None
    if not lines or not lines[0].startswith(b"#!"):
        return None
    words = [os.fsdecode(word) for word in lines[0][2:].split()]
    if words and os.path.basename(words[0]) in ("sh", "bash", "dash") and len(lines) > 1:
        # How installers write a console script whose interpreter's path is too long for a `#!` line.
        head, _, tail = os.fsdecode(lines[1]).partition("'''exec' ")
        if not head and tail:
            quote = tail[0] if tail[0] in "\"'" else " "
            quoted = tail[1:] if quote != " " else tail
            named, _, options = quoted.partition(quote)
            return named, options.split('"$0"')[0].split()
    if words and os.path.basename(words[0]) == "env":
        words = words[1:]
        while words and (words[0].startswith("-") or "=" in words[0]):
            # `env -S` splits the rest, which we have done; other options do not bear on Python.
            del words[0]
        if words and os.sep not in words[0] and _is_python(words[0]):
            try:
                return _find(words[0]), words[1:]
            except _RefusedError as refused:
                raise _RefusedError(f"cannot start {path!r}: its interpreter: {refused}", CANNOT_START) from None
    return (words[0], words[1:]) if words and _is_python(words[0]) else None


def _is_python(path: str) -> bool:
    name = os.path.basename(path).lower()
    if name.endswith(".exe"):
        name = name[:-4]
    for family in ("pythonw", "python", "pypy"):
        if name.startswith(family):
            return all(letter.isdigit() or letter in ".t" for letter in name[len(family) :])
    return False


def python_flags(options: list[str]) -> list[str]:
    """Those of Python's own options in front of a program that bear on what is imported at its start."""
    flags: list[str] = []
    position = 0
    while position < len(options):
        option = options[position]
        position += 1
        if not option.startswith("-") or option in ("-", "--"):
            break
        if option.startswith("--"):
            position += option == "--check-hash-based-pycs"
            continue
        for index, letter in enumerate(option[1:], 2):
            if letter in "cm":
                return flags
            if letter in "WX":
                position += index == len(option)
                break
            if letter in "EIPSs":
                flags.append(f"-{letter}")
    return flags


def _ours(interpreter: str) -> bool:
    """Whether the interpreter is the one that runs here, in the same environment, and will find us."""
    home = os.path.dirname(os.path.dirname(BOOT))
    if home not in sys.path[1:] or not sys.executable:
        return False
    mine, other = os.path.abspath(sys.executable), os.path.abspath(interpreter)
    if mine == other:
        return True
    # Same folder and same file is the same environment; the file alone is not, since environments link to it.
    return os.path.dirname(mine) == os.path.dirname(other) and os.path.realpath(mine) == os.path.realpath(other)


def _start(path: str, command: list[str], environment: dict[str, str]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        import signal
        import subprocess

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the command, whose exit code is ours
        return subprocess.run(command, executable=path, env=environment, check=False).returncode
    import _signal  # `signal` makes enumerations, which cost as much as all else here

    for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them in itself, and an ignored signal is inherited
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
    try:
        os.execve(path, command, environment)
    except OSError as error:
        reason = error.strerror
        if isinstance(error, FileNotFoundError):  # the file is there, so it is what its first line names
            reason = "the interpreter that its first line names does not exist"
        raise _RefusedError(f"cannot start {command[0]!r}: {path}: {reason}", CANNOT_START) from None
