"""Reading of google-genai contents that all fixes share."""

from __future__ import annotations

from typing import Any


def without_thoughts(content: Any) -> Any:
    """The content with its private thought parts left out.

    Args:
        content: A ``google.genai.types.Content``, or None.

    Returns:
        The very same object where it holds no thought, so that nothing changes for it; otherwise a
        shallow copy, whose ``parts`` may be empty.
    """
    parts = getattr(content, "parts", None)
    if not parts or not any(getattr(part, "thought", None) for part in parts):
        return content
    kept = [part for part in parts if not getattr(part, "thought", None)]
    return content.model_copy(update={"parts": kept})
