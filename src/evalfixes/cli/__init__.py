"""The command line: one module per command, each with ``register(subparsers)`` and a ``run(args)``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from evalfixes import __version__

USAGE = 3
"""Exit code of usage, configuration and internal errors; 1 and 2 carry results."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: The arguments, without the program's name; those of the process by default.

    Returns:
        The exit code; each command says what its codes mean.
    """
    from evalfixes.cli import catalog, doctor, patch, probe
    from evalfixes.errors import EvalfixesError

    parser = _Parser(prog="evalfixes", description="Repairs for LLM-evaluation metrics that pass without evidence.")
    parser.add_argument("--version", action="version", version=f"evalfixes {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for module in (doctor, catalog, patch, probe):
        module.register(commands)
    args = parser.parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except EvalfixesError as error:
        print(f"evalfixes {args.command}: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # `evalfixes list | head`
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
