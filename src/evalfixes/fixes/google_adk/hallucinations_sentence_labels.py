"""hallucinations_v1 averages the labels it could use, however many sentences it asked about."""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Callable, Sequence
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.fixes.google_adk._evidence import decided
from evalfixes.fixes.google_adk._hallucinations import CLASS, METRIC, MODULE, passes, steps, where
from evalfixes.runtime import ledger, options
from evalfixes.verdicts.aggregate import combine, of
from evalfixes.verdicts.sentences import Reading, read


class _Cell:
    """What one call of ``_evaluate_nl_response`` asked and was told.

    Attributes:
        ask: The sentences to ask about in place of the segmenter's; None in the first round.
        sentences: The sentences asked about.
        reply: The validator's reply; None until it was read.
        reading: What the reply says.
    """

    def __init__(self, ask: list[str] | None = None) -> None:
        self.ask = ask
        self.sentences: list[str] = []
        self.reply: str | None = None
        self.reading: Reading | None = None


_cell: ContextVar[_Cell | None] = ContextVar("evalfixes_hallucinations_cell", default=None)


def _build_parse_sentences(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _parse_sentences(response_text: str) -> list[str]:
        cell = _cell.get()
        if cell is not None and cell.ask is not None:
            cell.sentences = cell.ask
            return cell.ask
        sentences: list[str] = original(response_text)
        if cell is not None:
            cell.sentences = sentences
        return sentences

    return _parse_sentences


def _build_parse_results(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _parse_validation_results(response_text: str) -> list[dict[str, str | None]]:
        results: list[dict[str, str | None]] = original(response_text)
        cell = _cell.get()
        if cell is None or not cell.sentences:
            return results
        cell.reply = response_text
        cell.reading = read(response_text, cell.sentences)
        scores = [answer.score for answer in cell.reading.answers]
        if cell.reading.complete and sorted(_upstream_scores(results, module)) == sorted(map(str, scores)):
            return results
        return [{"sentence": answer.sentence, "label": answer.label} for answer in cell.reading.answers]

    return _parse_validation_results


def _upstream_scores(results: list[dict[str, str | None]], module: ModuleType) -> list[str]:
    """The scores that upstream would average."""
    labels = [(result.get("label") or "").strip().lower() for result in results]
    known = module._POSITIVE_LABELS | module._NEGATIVE_LABELS
    return [str(int(label in module._POSITIVE_LABELS)) for label in labels if label in known]


def _build_evaluate(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_nl_response(self: Any, nl_response: str, context: str) -> tuple[float | None, str]:
        running = steps.get()
        mark = running.mark() if running is not None else 0
        cell = _Cell()
        token = _cell.set(cell)
        try:
            score, reason = await original(self, nl_response, context)
        finally:
            _cell.reset(token)
        reading, replies = cell.reading, [cell.reply or ""]
        if reading is None:
            unjudged = len(cell.sentences) or 1
            ledger.record(METRIC, unjudged, ["not judged"] * unjudged, where=where(), why=reason)
            return score, reason
        for _ in range(options.current.rejudge):
            if reading.complete:
                break
            again = _Cell([answer.sentence for answer in reading.missing])
            token = _cell.set(again)
            try:
                await original(_asking_again(self), nl_response, context)
            finally:
                _cell.reset(token)
            if again.reading is None:
                break
            reading = reading.completed_by(again.reading)
            replies.append(again.reply or "")
        _report(reading, replies)
        if len(replies) == 1 and reading.complete:
            return score, reason
        part = combine([of(answer.score) for answer in reading.answers])
        if running is not None:
            running.replace(mark, part)
        return decided(part, passes(self, module)).score, _reason(reading)

    return _evaluate_nl_response


def _asking_again(evaluator: Any) -> Any:
    """A copy of the evaluator whose judge is not asked for the segments a second time."""
    again = copy.copy(evaluator)
    again._judge_model = _SegmentsKnown(evaluator._judge_model)
    return again


class _SegmentsKnown:
    """Stands before a judge model: the first request, the segmenter's, is answered without it."""

    def __init__(self, judge_model: Any) -> None:
        self._judge_model = judge_model
        self._asked = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._judge_model, name)

    def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
        if self._asked:
            answers: AsyncGenerator[Any, None] = self._judge_model.generate_content_async(llm_request)
            return answers
        self._asked = True
        return self._segments()

    async def _segments(self) -> AsyncGenerator[Any, None]:
        from google.adk.models.llm_response import LlmResponse
        from google.genai import types

        # The text is not read: `_parse_sentences` gives the sentences that are asked again.
        part = types.Part(text="<sentence>-</sentence>")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def _report(reading: Reading, replies: Sequence[str]) -> None:
    missing = [answer.missing for answer in reading.missing]
    why = "; ".join(
        f"{answer.sentence.strip()[:80]!r} {answer.missing}" + (f" ({answer.said[:40]!r})" if answer.said else "")
        for answer in reading.missing[:3]
    )
    ledger.record(METRIC, len(reading.answers), missing, where=where(), why=why, reply=replies[-1])
    if reading.extra:
        ledger.tell(
            "%s%s: ignored %d blocks for sentences that nobody asked about, the first: %.80r",
            METRIC,
            f" ({where()})" if where() else "",
            len(reading.extra),
            reading.extra[0],
        )


def _reason(reading: Reading) -> str:
    import json

    rows = [
        {"sentence": answer.sentence, "label": answer.label}
        | ({"missing": answer.missing, "said": answer.said} if answer.missing else {})
        for answer in reading.answers
    ]
    return json.dumps(rows, indent=2)


def evaluate(case: Case) -> Outcome:
    """Runs a case through the evaluator; see `_harness`."""
    return harness.evaluate(case)


_A = "Paris is the capital of France."
_B = "The Eiffel Tower is 50 meters tall."
_GOOD = harness.block(_A, "supported", "Paris is the capital", "null")
_BAD = harness.block(_B, "contradictory", "null", "330 meters tall")
_WRONG: Outcome = {"score": 1.0, "status": "PASSED"}
_HALF: Outcome = {"score": 0.5, "status": "FAILED"}
_NONE: Outcome = {"score": None, "status": "NOT_EVALUATED"}


def case_of(reply: Any, threshold: float = 0.8, sentences: Sequence[str] = (_A, _B)) -> Case:
    """One turn of some sentences, and the validator's reply (or replies)."""
    return {
        "metric": METRIC,
        "threshold": threshold,
        "turns": [{"user": "Tell me about Paris.", "answer": "\n".join(sentences)}],
        "judge": {
            "segment": [harness.segments(*sentences)],
            "validate": reply if isinstance(reply, list) else [reply],
        },
    }


def _odd(name: str, second: str, wrong: Outcome = _WRONG, right: Outcome = _HALF) -> Scenario:
    return Scenario(name, case_of(f"{_GOOD}\n{second}"), right, wrong)


_TWO_TURNS: Case = {
    "metric": METRIC,
    "threshold": 0.8,
    "turns": [{"answer": f"{_A}\n{_B}\nIt is old.\nIt is new."}, {"answer": "It is big."}],
    "judge": {
        "validate:<sentence>It is big.": [harness.block("It is big.", "supported")],
        "validate": [harness.blocks((_A, "unsupported"), (_B, "supported"), ("It is old.", "unsupported"))],
    },
}

FIX = Fix(
    id="adk-hallucinations-sentence-labels",
    dist="google-adk",
    title="hallucinations_v1 drops the sentences that its judge did not label",
    before="The score is the mean of the labels that could be used; their number is never compared with the number of "
    "sentences. A contradicted sentence whose label is left out, in backticks or without an excerpt line is dropped, "
    "and the rest scores 1.",
    after="Every sentence needs exactly one label. Plain labels in odd form are read; what is missing is asked again "
    "once, then decides nothing in favour: the score stands only if the missing labels cannot change the verdict.",
    replacements=(
        Replacement(f"{MODULE}:_parse_sentences", _build_parse_sentences),
        Replacement(f"{MODULE}:_parse_validation_results", _build_parse_results),
        Replacement(f"{MODULE}:{CLASS}._evaluate_nl_response", _build_evaluate),
    ),
    watches=(f"{MODULE}:_POSITIVE_LABELS", f"{MODULE}:_NEGATIVE_LABELS"),
    evaluate=evaluate,
    requires=("adk-hallucinations-steps", "adk-unscored-invocations", "adk-gate-unscored"),
    loads=(MODULE, "google.adk.evaluation.eval_metrics", "google.adk.models.registry"),
    scenarios=(
        _odd("label in backticks", _BAD.replace("contradictory\n", "`contradictory`\n")),
        _odd("label in bold", _BAD.replace("contradictory\n", "**contradictory**\n")),
        _odd("label with a full stop", _BAD.replace("contradictory\n", "contradictory.\n")),
        _odd("no contradicting excerpt line", _BAD.rpartition("\n")[0]),
        _odd("fields in another order", f"sentence: {_B}\nrationale: r\nlabel: contradictory"),
        Scenario("sentence left out", case_of(_GOOD), _NONE, _WRONG),
        Scenario("sentence left out, verdict decided", case_of(_GOOD, 0.4), {"score": 0.5, "status": "PASSED"}, _WRONG),
        _odd("empty label", _BAD.replace("contradictory\n", "\n"), right=_NONE),
        _odd("unknown label", _BAD.replace("contradictory\n", "partially supported\n"), right=_NONE),
        Scenario("a sentence answered twice, the other never", case_of(f"{_GOOD}\n{_GOOD}"), _NONE, _WRONG),
        Scenario(
            "two labels for one sentence",
            case_of(f"{_GOOD}\n{_GOOD.replace('label: supported', 'label: disputed')}", 0.5, [_A]),
            _NONE,
            {"score": 0.5, "status": "PASSED"},
        ),
        Scenario(
            "blocks for invented sentences",
            case_of("\n".join([_GOOD, _BAD, *(harness.block(f"Extra {n}.", "supported") for n in range(3))])),
            _HALF,
            {"score": 0.8, "status": "PASSED"},
        ),
        Scenario(
            "a turn that must not drop out of the mean",
            _TWO_TURNS,
            {"score": 0.625, "status": "FAILED"},
            {"score": 2 / 3, "status": "FAILED"},
        ),
        Scenario("control: complete reply", case_of(f"{_GOOD}\n{_BAD}"), {**_HALF, "calls": 2}),
        Scenario("control: complete reply, empty lines", case_of(f"{_GOOD}\n\n{_BAD}\n"), {**_HALF, "calls": 2}),
        Scenario("control: all supported", case_of(_GOOD, sentences=[_A]), {**_WRONG, "calls": 2}),
        Scenario(
            "control: a sentence that stands twice",
            case_of(f"{_GOOD}\n{_GOOD.replace('label: supported', 'label: disputed')}", sentences=[_A, _A]),
            _HALF,
        ),
        Scenario("control: no usable reply", case_of("I cannot do that."), _NONE, releases="1.17.0.."),
    ),
    risks="Runs that passed on dropped sentences fail or are not evaluated; an incomplete reply costs one more call.",
)
