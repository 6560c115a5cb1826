"""The check of upstream facts finds what is wrong with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import facts  # noqa: E402
import pins  # noqa: E402

SYMBOL = "toy.metric:score"
DATA: dict[str, Any] = {"releases": {"1.0": {}, "1.2": {}, "1.10": {}, "2.0": {}}}


def variant(releases: str, state: str = "faulty", symbol: str = SYMBOL) -> dict[str, Any]:
    return {"releases": releases, "state": state, "symbols": {symbol: "0" * 12}}


def problems(*variants: dict[str, Any], **more: Any) -> list[str]:
    given = {"links": ["there"], "affected": "1.0..1.10", "fixed_in": "2.0", "variants": list(variants)}
    return list(facts.section(DATA, {**given, **more}, (SYMBOL,)))


def test_complete_facts() -> None:
    assert problems(variant("1.0..1.2"), variant("1.10..1.10"), variant("2.0..2.0", "fixed-upstream")) == []


@pytest.mark.parametrize(
    "variants, more, expected",
    [
        ([variant("1.0..1.2")], {}, "1.10 is affected and in no variant"),
        ([variant("1.0..1.10"), variant("1.2..1.2")], {}, "1.2 is in 2 variants"),
        ([variant("1.0..2.0")], {}, "2.0 is not in the affected range and in a faulty variant"),
        ([variant("1.0..1.10", "fixed-upstream")], {}, "1.0 is in the affected range and in a fixed-upstream variant"),
        ([variant("1.0..1.10", "broken")], {}, "state 'broken' is not one of"),
        (
            [variant("1.0..1.10", symbol="toy:other")],
            {},
            "its symbols are not those of the fix: toy.metric:score, toy:other",
        ),
        ([variant("1.0..1.10")], {"fixed_in": "2.1"}, "fixed_in 2.1 is no release of the list"),
        ([variant("1.0..1.10")], {"fixed_in": "1.2"}, "fixed_in 1.2 is in the affected range"),
        ([], {"affected": ""}, "affected is missing"),
    ],
)
def test_what_is_wrong_is_said(variants: list[dict[str, Any]], more: dict[str, Any], expected: str) -> None:
    assert any(expected in problem for problem in problems(*variants, **more))


def test_a_fault_that_nobody_reported_has_no_links() -> None:
    assert problems(variant("1.0..1.10"), links=[]) == []
    assert list(facts.section(DATA, {"affected": "1.0..1.10"}, (SYMBOL,))) == ["links is missing"]


def test_constraints_hold_names_and_versions_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "CONSTRAINTS", tmp_path)
    pin = pins.Pin("toy", "1.0", "3.12", "default", ("other==2.0",), "")
    releases = {"1.0": {}}
    assert list(facts.constraints(pin, releases)) == ["pin toy-1.0-py312: no constraints file; run `nox -s pins`"]
    pin.constraints.write_text("a_b.c==1.0+cpu\nother==2.0\ntoy==1.0\n")
    assert list(facts.constraints(pin, releases)) == []
    pin.constraints.write_text("other @ https://example.org/other.whl\nother>=2\ntoy==1.0\n")
    assert len(list(facts.constraints(pin, releases))) == 3
    assert any("1.0 is not among the releases" in problem for problem in facts.constraints(pin, {}))


def test_the_newest_of_what_a_pin_names_sets_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {
        "toy": {"releases": {"1.0": {"date": "2025-01-01"}}},
        "other": {"releases": {"2.0": {"date": "2025-02-28"}}},
    }
    monkeypatch.setattr(pins, "upstream", known.__getitem__)
    monkeypatch.setattr(pins, "dists", lambda: list(known))
    assert pins.cutoff(pins.Pin("toy", "1.0", "3.12", "default", ("mcp==9",), "")) == "2025-01-22"
    assert pins.cutoff(pins.Pin("toy", "1.0", "3.12", "default", ("other==2.0",), "")) == "2025-03-21"
    assert pins.cutoff(pins.Pin("toy", "1.0", "3.12", "default", (), "2026-01-01")) == "2026-01-01"


def test_every_named_boundary_is_pinned() -> None:
    pinned = {dist: {pin.release for pin in pins.pins(dist)} for dist in pins.dists()}
    default = {dist: {pin.release for pin in pins.pins(dist) if pin.tier == "default"} for dist in pins.dists()}
    assert set(pinned) == {"agentevals-cli", "deepeval", "google-adk"}
    for dist, releases in default.items():
        newest = list(pins.upstream(dist)["releases"])[-1]
        assert newest in releases, f"{dist}: the latest release is not run by plain nox"
