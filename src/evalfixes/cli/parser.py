"""The argument parser of the command line."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from evalfixes.cli import USAGE


class Parser(argparse.ArgumentParser):
    """Exits with our code for usage errors; argparse's 2 carries a result here."""

    def error(self, message: str) -> NoReturn:
        """Prints usage and message."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")
