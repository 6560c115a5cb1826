"""Whatever a tool returned stands in the judge's context, and under no other call than its own."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module, util
from typing import Any

import pytest
from hypothesis import strategies as st

import evalfixes
from evalfixes import catalog
from evalfixes.fixes.agentevals import _harness
from evalfixes.fixes.agentevals.tool_pairing import placement
from evalfixes.runtime.decide import FAULTY, decide
from tests.forked import forked
from tests.generated import COUNT, generate
from tests.strategies.agentevals_turns import FORMS, weather_turn

pytest.importorskip("agentevals", reason="agentevals-cli is not installed")

pytestmark = pytest.mark.door

FIXES = ("agentevals-hallucinations-tool-evidence", "agentevals-tool-pairing", "agentevals-stray-tool-outputs")


@st.composite
def trees(draw: st.DrawFn, dialects: Sequence[str]) -> dict[str, Any]:
    """Conversations: ids of any kind, outputs in messages and in spans, some of them outside of every turn."""
    ids = draw(st.sampled_from(["any", "anew", "distinct"]))
    turns = draw(st.lists(weather_turn(ids, True), min_size=1, max_size=2))
    for number, turn in enumerate(turns):
        turn |= {"user": f"Weather, {number}?", "final": f"It reads T-{number}."}
        for call in (call for calls in turn["rounds"] for call in calls):
            call["args"] = {"city": f"{call['args']['city']}{number}"}
            if "output" in call:
                call["output"] = {"temp": f"{call['output']['temp']}-{number}"}
            if call["record"] != "parts" and draw(st.booleans()):
                call["stray"] = True
    return {"turns": turns, "form": draw(FORMS), "dialect": draw(st.sampled_from(dialects))}


def _missing_or_misplaced(cases: list[Any]) -> list[Any]:
    evalfixes.apply(*FIXES, strict=True)
    wrong = []
    for case in cases:
        _harness.run(case)
        seen = _harness.contexts()
        for calls in (calls for turn in case["turns"] for calls in turn["rounds"]):
            for call in calls:
                reading = call.get("output", {}).get("temp")
                if reading and not any(reading in context for context in seen):
                    wrong.append(("absent", reading, case))
                elsewhere = [
                    city
                    for context in seen
                    for city, readings in placement(context).items()
                    if reading in readings and city not in ("?", call["args"]["city"])
                ]
                if elsewhere:
                    wrong.append((f"under {elsewhere[0]}", reading, case))
    return wrong[:1]


def test_every_output_is_shown_and_none_under_another_call() -> None:
    if not any(decide(catalog.get(fix_id)).state == FAULTY for fix_id in FIXES):
        pytest.skip("this agentevals is not affected")
    for module in _harness.LOADS:  # once for the child
        import_module(module)
    dialects = ["adk", "genai", *(["broadcast"] if util.find_spec("agentevals.genai_converter") else [])]
    assert forked(_missing_or_misplaced, generate(trees(dialects), min(COUNT, 500))) == []
