"""correctness_v1 on stored answers of google-adk and deepeval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evalfixes.rescoring.fields import get, listed, text
from evalfixes.rescoring.formats.adk_answers import answer_text
from evalfixes.rescoring.formats.rows import correctness
from evalfixes.rescoring.records import FAILED, NOT_EVALUATED, PASSED, MetricChange, Options, Record, Rescored
from evalfixes.verdicts.aggregate import combine, decide, of

METRIC = "correctness_v1"


def with_correctness(record: Record, result: Rescored, options: Options) -> Rescored:
    """The result with each stored answer judged against its reference.

    Answers are averaged over the turns; one that could not be judged is read as bad and as good, as
    everywhere. A case that is contradicted no longer passes; one that could not be judged stays as it
    was, and is not known.
    """
    metric = correctness(options.judge)
    scores, reasons = [], []
    for question, answer, reference in _answers(record):
        judged = metric.evaluate(answer, options.references.get(question, reference), question)
        scores.append(judged.score)
        if judged.score != 1.0:
            reasons.append(f"{judged.status}: {judged.reason}")
    why = "; ".join(reasons[:3])
    old_score = {PASSED: 1.0, FAILED: 0.0}.get(result.old_status)
    name = f"case passed -> {METRIC}"
    if not scores:
        change = MetricChange(name, old_score, result.old_status, None, NOT_EVALUATED, False, "no stored answers")
        return replace(result, metrics=(*result.metrics, change))
    decision = decide(combine([of(s) for s in scores]), lambda score: score >= options.threshold, options.incomplete)
    status = {None: NOT_EVALUATED, True: PASSED, False: FAILED}[decision.passed]
    known = decision.passed is not None
    change = MetricChange(name, old_score, result.old_status, decision.score, status, known, why)
    new = FAILED if status == FAILED and result.new_status == PASSED else result.new_status
    return replace(result, metrics=(*result.metrics, change), new_status=new)


def _answers(record: Record) -> Iterator[tuple[str, str, Any]]:
    """Question, answer and reference of each turn."""
    case = record.data
    if record.kind == "deepeval":
        if get(case, "actual_output") is not None:
            yield text(case, "input"), text(case, "actual_output"), get(case, "expected_output")
        return
    for turn in listed(case, "eval_metric_result_per_invocation"):
        actual, expected = get(turn, "actual_invocation"), get(turn, "expected_invocation")
        reference = answer_text(get(expected, "final_response")) if expected is not None else None
        yield answer_text(get(actual, "user_content")), answer_text(get(actual, "final_response")), reference
