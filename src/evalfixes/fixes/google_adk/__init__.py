"""Fixes for google-adk."""
