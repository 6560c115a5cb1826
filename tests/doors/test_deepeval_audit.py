"""`evalfixes audit` on deepeval: its metrics by name, bare and with the fixes, and classes made on its base."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalfixes.releases import in_range

pytest.importorskip("deepeval.metrics", reason="deepeval is not installed")
pytestmark = [pytest.mark.door, pytest.mark.slow]

import deepeval  # noqa: E402

if not in_range(deepeval.__version__, "4.2.9.."):
    pytest.skip("the fixes repair every fault of the kind from 4.2.9 on", allow_module_level=True)

ASKED = {"drop-asked", "empty-asked"}
"""Damage to the reply that says what is judged; no fix covers it."""

OWN = '''
import json
from deepeval.metrics import BaseMetric
from pydantic import BaseModel


class Verdict(BaseModel):
    verdict: str
    reason: str


class Verdicts(BaseModel):
    verdicts: list[Verdict]


class Lenient(BaseMetric):
    """Takes what comes."""

    def __init__(self, threshold=0.5, model=None):
        self.threshold, self.model = threshold, model

    def measure(self, test_case, *args, **kwargs):
        found = self.model.generate("Is it true?", schema=Verdicts).verdicts
        self.score = sum(v.verdict == "yes" for v in found) / len(found) if found else 1.0
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case, *args, **kwargs):
        return self.measure(test_case)

    def is_successful(self):
        return self.success
'''


def audit(*arguments: str, folder: Path) -> tuple[int, Any]:
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "DEEPEVAL_DISABLE_DOTENV": "1", "DEEPEVAL_TELEMETRY_OPT_OUT": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "evalfixes", "audit", *arguments, "--format", "json"],
        capture_output=True, text=True, check=False, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=600,
    )  # fmt: skip
    assert done.stdout, done.stderr[-2000:]
    return done.returncode, json.loads(done.stdout)


def greener(document: Any) -> set[str]:
    return {row["operator"] for row in document["operators"] if row["greener"]}


@pytest.mark.parametrize(
    "metric, expected",
    [
        ("FaithfulnessMetric", {"drop-item", "drop-key", "error-object", "bold", "duplicate-item"}),
        ("TurnRelevancyMetric", {"unknown-label", "error-object", "bold"}),
        ("GEval", {"out-of-range"}),
        ("SummarizationMetric", {"unknown-label", "hedged-label"}),
    ],
)
def test_bare_metrics_are_found_out(metric: str, expected: set[str], tmp_path: Path) -> None:
    only = [word for name in sorted(expected) for word in ("--only", name)]
    code, document = audit(f"deepeval:{metric}", *only, folder=tmp_path)
    assert code == 1
    assert greener(document) == expected


@pytest.mark.parametrize("metric", ["FaithfulnessMetric", "SummarizationMetric"])
def test_with_the_fixes_no_verdict_pays(metric: str, tmp_path: Path) -> None:
    skip = [word for name in sorted(ASKED) for word in ("--skip", name)]
    code, document = audit(f"deepeval:{metric}", "--apply", *skip, folder=tmp_path)
    # Of a list that says what is judged, another type is still taken for an empty one.
    left = {e["operator"]: e["reply"] for e in document["counterexamples"] if e["kind"] == "greener"}
    assert all("verdict" not in reply for reply in left.values()), left
    assert set(left) <= {"wrong-type"}
    assert code == int(bool(left))


def test_a_class_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, "utf-8")
    code, document = audit("own:Lenient", folder=tmp_path)
    assert code == 1
    assert greener(document) >= {"drop-item", "drop-all", "contradict-item", "duplicate-item"}
