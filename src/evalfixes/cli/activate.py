"""`evalfixes activate` and `deactivate`: the fixes in every Python of one environment, by a start-up file.

Only these commands write or remove the file; installing evalfixes never does.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from evalfixes.errors import EvalfixesError

NAME = "evalfixes_activated"
"""Sorts behind the path files of editable installs, which may be needed to find evalfixes."""

ENTRY_POINT = "evalfixes._startup:main"

# One line, since `site` runs `.pth` files line by line. Once evalfixes is uninstalled it does nothing.
_LINE = r"""import sys; exec("try:\n    from evalfixes._startup import main\nexcept ModuleNotFoundError:\n    if getattr(sys.modules.get('evalfixes'), '__file__', None):\n        raise\nelse:\n    main()\n")"""  # noqa: E501
_COMMENT = "# Written by `evalfixes activate`; `evalfixes deactivate` removes it.\n"


class ActivationError(EvalfixesError):
    """The start-up file cannot be written or removed, or has no effect.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        super().__init__(f"{path}: {reason}")


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds both commands."""
    parser = commands.add_parser(
        "activate",
        help="put the fixes into every Python of this environment",
        description="Writes one start-up file into the site-packages of this environment; from then on every Python "
        "there starts with evalfixes.apply(). `evalfixes deactivate` removes it.",
    )
    parser.set_defaults(run=_activate)
    parser = commands.add_parser(
        "deactivate",
        help="undo `evalfixes activate`",
        description="Removes the start-up file that `evalfixes activate` wrote.",
    )
    parser.set_defaults(run=_deactivate)


def content(version: tuple[int, int]) -> tuple[str, str]:
    """Suffix and text of the start-up file for a version of Python.

    Args:
        version: Major and minor. From 3.15 on, entry points in ``.start`` files take the place of the
            ``import`` lines of ``.pth`` files (PEP 829).
    """
    if version >= (3, 15):
        return ".start", f"{_COMMENT}{ENTRY_POINT}\n"
    return ".pth", f"{_COMMENT}{_LINE}\n"


def site_packages() -> Path:
    """The folder of this environment whose start-up files are run.

    Raises:
        ActivationError: There is none: the interpreter's own folder is not among those it looks at.
    """
    import site

    home = Path(sysconfig.get_path("purelib"))
    looked_at = [Path(folder) for folder in site.getsitepackages()]
    if home in looked_at:
        return home
    present = [folder for folder in looked_at if folder.is_dir()]
    if not present:
        raise ActivationError(home, "this Python looks for start-up files in no folder that exists")
    return present[0]


def active() -> list[Path]:
    """The start-up files of ours that this interpreter finds, whoever wrote them and for which version."""
    folders = dict.fromkeys([str(site_packages()), *sys.path])
    return [
        path
        for folder in folders
        for suffix in (".pth", ".start")
        if folder and (path := Path(folder) / f"{NAME}{suffix}").is_file()
    ]


def activate() -> Path:
    """Writes the start-up file and sees that it has an effect.

    Raises:
        ActivationError: It cannot be written, or a new interpreter does not find evalfixes.
    """
    suffix, text = content(sys.version_info[:2])
    path = site_packages() / f"{NAME}{suffix}"
    if not (path.is_file() and path.read_text("utf-8") == text):
        try:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{NAME}-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    stream.write(text)
                Path(name).chmod(0o644)
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise ActivationError(
                path, f"cannot be written ({error.strerror}); use an environment of your own, or `evalfixes run`"
            ) from error
    problem = _without_effect()
    if problem:
        path.unlink(missing_ok=True)
        raise ActivationError(path, f"removed again, since it had no effect: {problem}")
    return path


def _without_effect() -> str:
    code = "import sys; sys.exit('evalfixes._startup' not in sys.modules)"
    hidden = ("PYTHONPATH", "EVALFIXES_RUN", "EVALFIXES_DISABLE")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    # From a folder of no interest: what a new interpreter finds must not depend on where it is started.
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, cwd=tempfile.gettempdir(),
    )  # fmt: skip
    if done.returncode == 0 and not done.stderr.strip():
        return ""
    last = done.stderr.strip().splitlines()
    return last[-1] if last else f"a new {sys.executable} does not find evalfixes; install it in this environment"


def deactivate() -> list[Path]:
    """Removes our start-up files; returns those that were there.

    Raises:
        ActivationError: One cannot be removed.
    """
    found = active()
    for path in found:
        try:
            path.unlink()
        except OSError as error:
            raise ActivationError(path, f"cannot be removed ({error.strerror})") from error
    return found


def _activate(args: argparse.Namespace) -> int:
    path = activate()
    print(f"active in {sys.prefix}: every Python there starts with evalfixes.apply(), by {path}")
    return 0


def _deactivate(args: argparse.Namespace) -> int:
    removed = deactivate()
    for path in removed:
        print(f"removed {path}")
    if not removed:
        print(f"not active in {sys.prefix}")
    return 0
