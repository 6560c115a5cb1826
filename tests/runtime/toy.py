"""A synthetic upstream, `toyeval`, with a fault and fixes for it: every state of the engine on demand."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalfixes import _index, facts
from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.runtime import engine as engine_module
from evalfixes.runtime import fingerprint, options

FAULTY = '''"""The faulty release."""


def score(answer: str, wanted: str = "Paris") -> float:
    """Scores an answer."""
    return 1.0


class Metric:
    """A metric with a method of each kind."""

    def plain(self, answer: str) -> float:
        """Scores."""
        return score(answer)

    @staticmethod
    def static(answer: str) -> float:
        return 1.0

    @classmethod
    def of_class(cls, answer: str) -> float:
        return 1.0

    async def later(self, answer: str) -> float:
        return 1.0


class Child(Metric):
    """Inherits all."""
'''
FIXED = FAULTY.replace("return 1.0\n\n\nclass", "return float(answer == wanted)\n\n\nclass")
DRIFTED = FAULTY.replace(
    '"""Scores an answer."""\n    return 1.0', '"""Scores an answer."""\n    return 1.0 if answer else 1.0'
)
CLIENT = "from toyeval.metric import score\n\n\ndef use(answer: str) -> float:\n    return score(answer)\n"
M = "toyeval.metric"


def right(original: Callable[..., float], module: types.ModuleType) -> Callable[..., float]:
    def score(answer: str, wanted: str = "Paris") -> float:
        return min(original(answer, wanted), float(answer == wanted))

    return score


def evaluate(case: Any) -> Any:
    from toyeval.metric import score

    value = score(case["answer"])
    return {"score": value, "status": "PASSED" if value >= 0.5 else "FAILED"}


def make_fix(fix_id: str, *replacements: Replacement, **more: Any) -> Fix:
    return Fix(
        id=fix_id,
        dist="toyeval",
        title="scores everything 1",
        before="b",
        after="a",
        replacements=replacements or (Replacement(f"{M}:score", right),),
        evaluate=evaluate,
        scenarios=(
            Scenario("wrong answer", {"answer": "London"}, {"score": 0.0}, {"score": 1.0}),
            Scenario("control", {"answer": "Paris"}, {"score": 1.0}),
        ),
        loads=(M,),
        **more,
    )


class Toy:
    """Writes releases of the synthetic upstream and registers fixes for it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site, self.data = folder / "site", folder / "upstream"
        (self.site / "toyeval").mkdir(parents=True)
        self.data.mkdir()
        self._monkeypatch = monkeypatch
        self._sections: dict[str, str] = {}
        monkeypatch.syspath_prepend(str(self.site))
        monkeypatch.setattr(facts, "folder", lambda name: self.data)
        monkeypatch.setattr(_index, "INDEX", _index.INDEX)
        for key in list(_index.INDEX):
            monkeypatch.delitem(_index.INDEX, key)
        self.release(FAULTY)

    def release(self, text: str, version: str = "1.0.0") -> None:
        package = self.site / "toyeval"
        (package / "__init__.py").write_text(f'__version__ = "{version}"\n')
        (package / "metric.py").write_text(text)
        (package / "client.py").write_text(CLIENT)

    def add(
        self, *fixes: Fix, variants: tuple[tuple[str, str], ...] = ((FAULTY, "faulty"), (FIXED, "fixed-upstream"))
    ) -> None:
        for fix in fixes:
            home = fix.id.replace("-", "_")
            module = types.ModuleType(f"evalfixes.fixes.toy.{home}")
            module.FIX = fix  # type: ignore[attr-defined]
            self._monkeypatch.setitem(sys.modules, module.__name__, module)
            entry = _index.Entry(fix.dist, f"toy.{home}", fix.modules, fix.requires, fix.default)
            self._monkeypatch.setitem(_index.INDEX, fix.id, entry)
            rows = []
            for text, state in variants:
                prints = {
                    s: fingerprint.of_source(text, [s.partition(":")[2]])[s.partition(":")[2]]
                    for s in fix.symbols
                    if s.startswith(f"{M}:")
                }
                rows.append({"releases": "1.0.0..1.0.0", "state": state, "symbols": prints})
            self._sections[fix.id] = (
                f'[fixes.{fix.id}]\nlinks = []\naffected = "1.0.0..1.0.0"\nvariants = [\n'
                + "".join(
                    f'  {{ releases = "{r["releases"]}", state = "{r["state"]}", symbols = {{ '
                    + ", ".join(f'"{s}" = "{p}"' for s, p in r["symbols"].items())
                    + " } },\n"
                    for r in rows
                )
                + "]\n"
            )
        (self.data / "toyeval.toml").write_text(
            'dist = "toyeval"\npackage = "toyeval"\n' + "\n".join(self._sections.values())
        )
        facts.upstream.cache_clear()
        facts.fix_facts.cache_clear()


def forget() -> None:
    """Takes all out and unloads the synthetic upstream."""
    engine = engine_module.engine
    engine.withdraw()
    for name in [n for n in sys.modules if n.partition(".")[0] in ("toyeval", "toyuser")]:
        del sys.modules[name]
    engine.slots.clear()
    engine.chosen.clear()
    engine.problems.clear()
    engine.warned.clear()
    engine.decisions.clear()
    engine.forced = engine.strict = False
    options.current = options.Options()
    facts.upstream.cache_clear()
    facts.fix_facts.cache_clear()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    monkeypatch.setenv("EVALFIXES_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("EVALFIXES_DISABLE", raising=False)
    monkeypatch.delenv("EVALFIXES_SKIP", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    forget()
    made = Toy(tmp_path, monkeypatch)
    made.add(make_fix("toy-score"))
    yield made
    forget()
