"""Fixes for deepeval."""
