"""Agentevals' MCP module, imported also where the optional ``mcp`` is not installed.

What makes `passed` is agentevals' own; the stand-in for the library only keeps and calls the tools. A
program that uses the tool has the library, so nothing but the proof of the fix comes here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

MODULE = "agentevals.mcp_server"


class FastMCP:
    """As much of `mcp.server.FastMCP` as a module with tools needs."""

    def __init__(self, name: str, **settings: Any) -> None:
        self._tool_manager = self
        self._tools: dict[str, Any] = {}

    def tool(self) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Registers the function it decorates."""

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            self._tools[function.__name__] = SimpleNamespace(fn=function)
            return function

        return keep

    def get_tool(self, name: str) -> Any:
        """The tool of a name."""
        return self._tools[name]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """The tool's answer as a table."""
        answer = await self._tools[name].fn(**arguments)
        return answer if isinstance(answer, dict) else answer.model_dump()


def _import() -> ModuleType:
    try:
        return import_module(MODULE)
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
    names = ("mcp", "mcp.server")
    for name in names:
        stand_in: Any = ModuleType(name)
        stand_in.FastMCP = FastMCP
        sys.modules[name] = stand_in
    try:
        return import_module(MODULE)
    finally:
        for name in names:
            del sys.modules[name]


server: Any = _import()
