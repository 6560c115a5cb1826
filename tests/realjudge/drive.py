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
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import product
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
AGAIN = 22
"""Of so many cases what further calls recover is measured; a model of this size seldom answers at all."""
LOADED = 180
"""How long a model may take to be served, in seconds."""


def outcome(judge: Judge, metric: str, case: Case, side: str) -> dict[str, Any]:
    """What one evaluation comes to: ``score``, ``status`` and ``asked``, the prompts by digest and count."""
    label = f"{metric.replace(' ', '_')}.{case.id}.{side}"
    judge.begin(label)
    before = len(judge.asked)
    found = DOORS[metric](case, label, judge.base_url)
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


def run(judge: Judge, metrics: Sequence[str], cases: Sequence[Case], again: int = AGAIN) -> list[dict[str, Any]]:
    """Outcomes of the metrics on the cases.

    A case that is neither recorded nor answered is left out; where only a further call is not, that side of it is.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    unanswered = set()
    for side, rejudge in SIDES.items():
        if rejudge is not None:
            evalfixes.apply(rejudge=rejudge)
        for metric, case in product(metrics, cases):
            if (metric, case.id) in unanswered or (rejudge and case not in CASES[:again]):
                continue
            start, refused = time.monotonic(), len(judge.refused)
            made = outcome(judge, metric, case, side)
            if len(judge.refused) > refused:
                unanswered.add((metric, case.id))
                continue
            row = found.setdefault((metric, case.id), {"metric": metric, "case": case.id})
            row[side] = made
            told = f"{made['status']} {made['score']} {len(made['asked'])} calls {time.monotonic() - start:.0f} s"
            print(f"{side} {metric} {case.id} {'true' if case.true else 'false'}: {told}", flush=True)
        evalfixes.revert()
    return [row for row in found.values() if {"upstream", "rejudge0"} <= row.keys()]


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--serve", default="", metavar="PYTHON")
    parser.add_argument("--address", default="", help="where the model is served already")
    parser.add_argument("--model", action="append", choices=list(MODELS))
    parser.add_argument("--metric", action="append", choices=list(DOORS))
    parser.add_argument("--cases", type=int, default=len(CASES))
    parser.add_argument("--again", type=int, default=AGAIN, help="cases on which it is measured what asking again does")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it is fetched
    for model in given.model or MODELS:
        with served(given.serve, model) as address, Judge(model, given.address or address) as judge:
            rows = run(judge, given.metric or list(DOORS), CASES[: given.cases], given.again)
        path = RECORDINGS / f"{model}-outcomes.jsonl"
        known = {(row["metric"], row["case"]): row for row in recorded(path)}
        for row in rows:
            place = row["metric"], row["case"]
            known[place] = {**known.get(place, {}), **row}
        order = list(DOORS)
        rows = sorted(known.values(), key=lambda row: (order.index(row["metric"]), row["case"]))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        facts = {"date": time.strftime("%Y-%m-%d"), "releases": {name: version(name) for name in report.DISTS}}
        (RECORDINGS / f"{model}-run.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
