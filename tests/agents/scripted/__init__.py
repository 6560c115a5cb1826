"""An agent package as `adk eval` takes it: agent and judge answer from a script, without a network."""

from . import agent

__all__ = ["agent"]
