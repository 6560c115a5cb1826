"""Patch files: reading them, finding the copies of an upstream that they fit, and applying them."""
