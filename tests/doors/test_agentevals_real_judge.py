"""Replies that real models gave, put to `agentevals run` again through LiteLLM."""

from __future__ import annotations

import importlib.util

import pytest

pytest.importorskip("agentevals.cli", reason="agentevals-cli is not installed")
if importlib.util.find_spec("litellm") is None:
    pytest.skip("LiteLLM is not installed", allow_module_level=True)

from tests.realjudge import replay

pytestmark = pytest.mark.door

FOUND = replay.recorded(["agentevals run"])


def test_no_false_pass_with_the_fixes() -> None:
    replay.check(FOUND, "agentevals-cli", "google-adk")
