"""Replies that real models gave, put to `agentevals run` again through LiteLLM."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version

import pytest

pytest.importorskip("agentevals.cli", reason="agentevals-cli is not installed")
if importlib.util.find_spec("litellm") is None:
    pytest.skip("LiteLLM is not installed", allow_module_level=True)

from tests.realjudge import replay
from tests.realjudge.evidence import facts

pytestmark = pytest.mark.door

FOUND = replay.recorded(["agentevals run"])
SAME = all(
    facts(one.model)["releases"][name] == version(name) for one in FOUND for name in ("agentevals-cli", "google-adk")
)


def test_no_false_pass_with_the_fixes() -> None:
    assert FOUND
    before, after = replay.again(FOUND)
    assert replay.false_passes(FOUND, after) == []
    if SAME:
        assert replay.differences(FOUND, before, "upstream") == []
        assert replay.differences(FOUND, after, replay.FIXED) == []
