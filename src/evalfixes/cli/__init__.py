"""The command line: one module per command, each with ``register(subparsers)`` and a ``run(args)``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalfixes.cli.parser import Parser

USAGE = 3
"""Exit code of usage, configuration and internal errors; 1 and 2 carry results."""


def all_commands() -> Parser:
    """The parser of all commands but `evalfixes run`, whose arguments are mostly not ours."""
    from evalfixes import __version__
    from evalfixes.cli import activate, audit, catalog, doctor, patch, pr, probe, rescore, retire, run, wheel
    from evalfixes.cli.parser import Parser

    made = Parser(prog="evalfixes", description="Repairs for LLM-evaluation metrics that pass without evidence.")
    made.add_argument("--version", action="version", version=f"evalfixes {__version__}")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for module in (doctor, run, activate, catalog, patch, wheel, pr, retire, rescore, audit, probe):
        module.register(commands)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: The arguments, without the program's name; those of the process by default.

    Returns:
        The exit code; each command says what its codes mean.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["run"]:  # its start-up counts for every command that it runs, so nothing else is imported
        from evalfixes.cli.run import launch

        return launch(arguments[1:])
    from evalfixes.errors import EvalfixesError

    args = all_commands().parse_args(arguments)
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
    except Exception as error:  # Python would end with 1, which here means that something is faulty
        import traceback

        traceback.print_exc()
        print(
            f"evalfixes {args.command}: internal error: {type(error).__name__}: {error}; "
            "please report it with the lines above",
            file=sys.stderr,
        )
        return USAGE
    return code
