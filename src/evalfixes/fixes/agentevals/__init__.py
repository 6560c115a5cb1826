"""Fixes for agentevals-cli."""
