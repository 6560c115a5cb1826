"""Drives the doors over the cases, before and after the fixes, and writes what came out.

    python -m tests.realjudge.drive [--serve PYTHON] [--model NAME] [--metric NAME] [--cases N]

With ``--serve`` (a Python that has xllamacpp and the models) a model answers what no recording has;
without it only recordings are used, and a case that is not recorded is left out. Replies go to
``recordings/<model>.jsonl``, outcomes to ``recordings/<model>-outcomes.jsonl``, and from both
docs/real-judge.md is made.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import evalfixes
from tests.realjudge import report
from tests.realjudge.cases import CASES, Case
from tests.realjudge.doors import DOORS
from tests.realjudge.judge import MODELS, RECORDINGS, Judge
from tests.realjudge.judge import rows as recorded

SIDES: dict[str, int | None] = {"upstream": None, "rejudge0": 0, "rejudge1": 1, "rejudge2": 2}
"""Upstream as it is, and evalfixes with so many further calls for what is missing."""
ASKED_AGAIN = 11
"""Of so many cases what further calls recover is measured; a model of this size seldom answers at all."""
LOADED = 180
"""How long a model may take to be served, in seconds."""


def outcome(judge: Judge, metric: str, case: Case, side: str) -> dict[str, Any]:
    """What one evaluation comes to: ``score``, ``status`` and ``asked``, the prompts by digest and count."""
    label = f"{metric.replace(' ', '_')}.{case.id}.{side}"
    judge.begin(label)
    before = len(judge.asked)
    rejudge = SIDES[side]
    if rejudge is not None:
        evalfixes.apply(rejudge=rejudge)
    try:
        found = DOORS[metric](case, label, judge.base_url)
    finally:
        evalfixes.revert()
    return {**found, "asked": [f"{digest}/{count}" for _, _, digest, count in judge.asked[before:]]}


@contextlib.contextmanager
def served(python: str, model: str) -> Iterator[str]:
    """The address of a model that is served in a process of its own; empty if there is no Python for it."""
    if not python:
        yield ""
        return
    script = str(Path(__file__).with_name("serve.py"))
    process = subprocess.Popen([python, script, model], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], LOADED)
        address = process.stdout.readline().strip() if ready else ""
        if not address.startswith("http://127.0.0.1:"):
            raise SystemExit(f"{model} is not served after {LOADED} s: run `{python} {script} {model}` to see why")
        yield address
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()


def run(judge: Judge, metrics: list[str], cases: int) -> list[dict[str, Any]]:
    """Outcomes of all metrics on the first cases."""
    written = []
    for metric in metrics:
        for number, case in enumerate(CASES[:cases]):
            start, refused = time.monotonic(), len(judge.refused)
            sides = [side for side, rejudge in SIDES.items() if not rejudge or number < ASKED_AGAIN]
            found = {side: outcome(judge, metric, case, side) for side in sides}
            if len(judge.refused) > refused:
                continue
            written.append({"metric": metric, "case": case.id, **found})
            told = " ".join(f"{one['status']}/{one['score']}/{len(one['asked'])}" for one in found.values())
            print(f"{metric} {case.id} {case.true!s:5} {told} {time.monotonic() - start:.0f} s", flush=True)
    return written


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--serve", default="", metavar="PYTHON")
    parser.add_argument("--address", default="", help="where the model is served already")
    parser.add_argument("--model", action="append", choices=list(MODELS))
    parser.add_argument("--metric", action="append", choices=list(DOORS))
    parser.add_argument("--cases", type=int, default=len(CASES))
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it is fetched
    for model in given.model or MODELS:
        with served(given.serve, model) as address, Judge(model, given.address or address) as judge:
            rows = run(judge, given.metric or list(DOORS), given.cases)
        path = RECORDINGS / f"{model}-outcomes.jsonl"
        again = {(row["metric"], row["case"]) for row in rows}
        rows = sorted(
            [row for row in recorded(path) if (row["metric"], row["case"]) not in again] + rows,
            key=lambda row: (list(DOORS).index(row["metric"]), row["case"]),
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        facts = {"date": time.strftime("%Y-%m-%d"), "releases": {name: version(name) for name in report.DISTS}}
        (RECORDINGS / f"{model}-run.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
