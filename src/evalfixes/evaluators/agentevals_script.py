"""correctness_v1 as a custom evaluator of agentevals: JSON on stdin, JSON on stdout.

In the eval config::

    evaluators:
      - name: correctness_v1
        type: code
        path: correctness_v1.py
        threshold: 0.8
        config: {judge: "my_package.judges:ask"}

where ``correctness_v1.py`` holds two lines::

    from evalfixes.evaluators.agentevals_script import main
    main()

``judge`` names a function that takes a prompt and returns a model's text, sync or async. The other
keys of ``config`` are options of `evalfixes.correctness.Correctness`.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from evalfixes.correctness import Correctness, Judge, Result
from evalfixes.errors import OptionError
from evalfixes.runtime import options as runtime_options
from evalfixes.verdicts.aggregate import combine, decide, known, missing


def evaluate(table: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluates one input of agentevals' protocol.

    Args:
        table: The input, as it comes on stdin.

    Returns:
        The output. An unscored whole has the status ``NOT_EVALUATED``, and the score 0 because the
        protocol wants a number there.
    """
    config = dict(table.get("config") or {})
    judge = _judge(config.pop("judge", None))
    metric = Correctness(judge, **{"num_samples": 1, **config})
    actual = table.get("invocations") or []
    expected = table.get("expected_invocations")
    pairs = list(zip(actual, expected or [], strict=False))
    pairs += [(turn, {}) for turn in actual[len(pairs) :]]
    # A turn that was expected and never came is an empty answer, not one turn less.
    pairs += [({}, turn) for turn in (expected or [])[len(actual) :]]
    results = [_one(metric, *pair) for pair in pairs]
    parts = [missing() if result.score is None else known(result.score) for result in results]
    threshold = float(table.get("threshold", 0.5))
    details = {"turns": [result.as_dict() for result in results]}
    scores = [result.score for result in results]
    if not parts:
        return {"score": 0.0, "status": "NOT_EVALUATED", "per_invocation_scores": [], "details": details}
    decision = decide(
        combine(parts, statistics.fmean), lambda score: score >= threshold, runtime_options.current.incomplete
    )
    status = "NOT_EVALUATED" if decision.passed is None else "PASSED" if decision.passed else "FAILED"
    return {
        "score": 0.0 if decision.score is None else decision.score,
        "status": status,
        "per_invocation_scores": scores,
        "details": details,
    }


def main() -> None:
    """Reads stdin, evaluates, writes stdout; what a judge prints goes to stderr."""
    table = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        output = evaluate(table)
    json.dump(output, sys.stdout)


def _one(metric: Correctness, actual: Mapping[str, Any], expected: Mapping[str, Any]) -> Result:
    return metric.evaluate(
        actual.get("final_response"),
        expected.get("final_response"),
        actual.get("user_content") or expected.get("user_content") or "",
    )


def _judge(path: Any) -> Judge:
    if not isinstance(path, str) or ":" not in path:
        raise OptionError(f"correctness_v1: config.judge={path!r} is not `module:function`")
    module, _, name = path.partition(":")
    judge: Judge = getattr(import_module(module), name)
    return judge


if __name__ == "__main__":
    # Run by its path, its own folder would shadow packages of the same names as the modules here.
    sys.path[:] = [entry for entry in sys.path if not entry.rstrip("/\\").endswith("evaluators")]
    main()
