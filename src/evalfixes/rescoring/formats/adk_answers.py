"""google-adk's answers and rubrics: ROUGE without thoughts, and rubrics that nobody answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalfixes.rescoring.fields import get, listed, number
from evalfixes.rescoring.formats.stored import JUDGED, Stored
from evalfixes.rescoring.records import FAILED, PASSED, MetricChange
from evalfixes.rescoring.rouge import TOKENIZERS, rouge_1
from evalfixes.verdicts.aggregate import combine, decide, known, missing

_THOUGHTS = "adk-response-match-thoughts"
_RUBRICS = "adk-rubric-answers"
_TYPES = {
    "rubric_based_final_response_quality_v1": "FINAL_RESPONSE_QUALITY",
    "rubric_based_tool_use_quality_v1": "TOOL_USE_QUALITY",
    "rubric_based_multi_turn_trajectory_quality_v1": "TRAJECTORY_QUALITY",
}


def answer_text(content: Any, thoughts: bool = False) -> str:
    """The text of a stored content as upstream joins it.

    Args:
        content: The content, or None.
        thoughts: Whether private thoughts are taken along, as upstream does.
    """
    if not content:
        return ""
    parts = [part for part in listed(content, "parts") if part]
    return "\n".join(part["text"] for part in parts if get(part, "text") and (thoughts or not get(part, "thought")))


def _has_thought(content: Any) -> bool:
    return bool(content) and any(get(part, "thought") for part in listed(content, "parts") if part)


def response_match(stored: Stored, turns: Sequence[Any], rows: Sequence[Any]) -> MetricChange:
    """ROUGE over the stored texts.

    The tokenizer is told by which of them gives the stored scores again.
    """
    told, seen = [], []  # with the thoughts, and what the user saw
    thoughts = False
    for turn in turns:
        expected = get(turn, "expected_invocation")
        if expected is None:
            return stored.keep("the file does not hold the expected answers")
        answer, due = (get(invocation, "final_response") for invocation in (get(turn, "actual_invocation"), expected))
        thoughts = thoughts or _has_thought(answer) or _has_thought(due)
        told.append((answer_text(answer, thoughts=True), answer_text(due, thoughts=True)))
        seen.append((answer_text(answer), answer_text(due)))
    scores = [None if row is None else number(row, "score") for row in rows]
    if all(score is None for score in scores):
        scores = [stored.score] if len(told) == 1 else [None]
    if None in scores:
        return stored.keep("the file does not hold the score of each turn")
    candidates: dict[float, bool] = {}
    for tokenizer in TOKENIZERS:
        old = [rouge_1(answer, due, tokenizer) for answer, due in told]
        new = [rouge_1(answer, due, tokenizer) for answer, due in seen] if thoughts else old
        given = all(score in (o, n) for score, o, n in zip(scores, old, new, strict=True))
        if given and _average(scores) == stored.score:
            candidates[_average(new)] = True
        if all(answer.isascii() and due.isascii() for answer, due in told):
            break  # the tokenizers agree
    if not candidates:
        return stored.keep("the stored texts do not give the stored score, with either tokenizer of google-adk")
    if len(candidates) > 1 and len({stored.passes(score) for score in candidates}) > 1:
        return stored.keep("the two tokenizers of google-adk give different scores, and both fit what is stored")
    score = min(candidates)
    if score == stored.score and stored.status == (PASSED if stored.passes(score) else FAILED):
        return stored.keep("", known=True)
    if score == stored.score:
        return stored.to(score, "the stored status is not what score and threshold give")
    return stored.to(score, "private thoughts were compared as if they were the answer", _THOUGHTS)


def _average(scores: Sequence[float | None]) -> float:
    """As upstream adds them up."""
    total = 0.0
    for score in scores:
        total += score or 0.0
    return total / len(scores)


def rubrics(stored: Stored, result: Any, turns: Sequence[Any], rows: Sequence[Any]) -> MetricChange:
    """A rubric metric: which rubrics were asked, and which of them have an answer."""
    if stored.name.startswith("rubric_based_multi_turn_"):
        turns, rows = turns[-1:], rows[-1:]
    criterion = get(result, "criterion")
    common = _ids(listed(criterion, "rubrics")) if criterion is not None else []
    parts, unanswered = [], []
    for index, (turn, row) in enumerate(zip(turns, rows, strict=True)):
        own = listed(get(turn, "actual_invocation") or {}, "rubrics")
        kind = _TYPES.get(stored.name)
        asked = dict.fromkeys([*common, *_ids([rubric for rubric in own if get(rubric, "type") == kind])])
        details = None if row is None else get(row, "details")
        if not asked or (details is None and row is not None and number(row, "score") is not None):
            return stored.keep("the file does not hold the rubrics, or not their answers")
        answers: dict[str, set[float | None]] = {}
        for score in listed(details or {}, "rubric_scores"):
            answers.setdefault(str(get(score, "rubric_id")), set()).add(number(score, "score"))
        for rubric_id in asked:
            given = answers.get(rubric_id, set())
            value = next(iter(given)) if len(given) == 1 else None
            parts.append(missing() if value is None else known(value))
            if value is None:
                unanswered.append(f"{rubric_id} in turn {index + 1}")
    if not unanswered:
        return stored.keep(JUDGED)
    decision = decide(combine(parts), stored.passes, stored.policy)
    shown = ", ".join(unanswered[:3]) + (f" and {len(unanswered) - 3} more" if len(unanswered) > 3 else "")
    why = f"{len(unanswered)} of {len(parts)} rubrics were never answered ({shown}) and were left out of the mean"
    return stored.to(decision.score, why, _RUBRICS, decision.passed)


def _ids(found: Sequence[Any]) -> list[str]:
    return [str(get(rubric, "rubric_id")) for rubric in found]
