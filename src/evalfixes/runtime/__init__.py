"""How a fix reaches a live interpreter."""
