"""What a replaced function costs on complete, well-formed cases, as a ratio to upstream in the same run.

    python -m benchmarks.calls [FIX_ID ...]     the upstreams of the fixes have to be installed

For each fix, its controls with a score (where the judge answered everything) are evaluated bare and
repaired in turn, each time in a fork of one process, and the least processor time of each side is compared.
What is timed is the whole evaluation of a metric with its scripted judge, as a user calls it, not the
replaced function alone.
"""

from __future__ import annotations

import sys
import time

import evalfixes
from evalfixes import catalog
from evalfixes.fix import Case, Fix
from evalfixes.probing import load, scenarios
from evalfixes.runtime.decide import FAULTY, decide
from tests.forked import forked

ROUNDS, REPEATS = 5, 40
"""Forks a side, and evaluations of all controls in each."""


def seconds(fix: Fix, cases: list[Case], apply: bool) -> float:
    """Processor time of the evaluations, the first of each case not counted."""
    if apply:
        evalfixes.apply(fix.id, strict=True)
    for case in cases:
        fix.evaluate(case)
    start = time.process_time()
    for _ in range(REPEATS):
        for case in cases:
            fix.evaluate(case)
    return time.process_time() - start


def main(ids: list[str]) -> int:
    """Prints a line per fix."""
    for fix in map(catalog.get, ids or ["adk-response-match-thoughts"]):
        found = decide(fix)
        if found.state != FAULTY:
            print(f"{fix.id}: {found.state}, nothing to compare")
            continue
        load(fix)
        cases = [
            scenario.case
            for scenario in scenarios(fix, found.release)
            if scenario.control and scenario.right.get("score") is not None
        ]
        sides: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(ROUNDS):
            for apply, times in sides.items():
                times.append(forked(seconds, fix, cases, apply))
        ratio = min(sides[True]) / min(sides[False])
        print(f"{fix.id} on {fix.dist} {found.release}, {len(cases)} controls: {ratio:.2f} times upstream")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
