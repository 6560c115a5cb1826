"""A rubric that the judge did not answer drops out of the score."""

from __future__ import annotations

import copy
import statistics
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.fixes.google_adk._evidence import carry, decided, status_of
from evalfixes.runtime import ledger, options
from evalfixes.verdicts import rubrics
from evalfixes.verdicts.aggregate import combine, decide, of
from evalfixes.verdicts.samples import majority

_PACKAGE = "google.adk.evaluation."
_MODULE = f"{_PACKAGE}rubric_based_evaluator"

_said: ContextVar[list[tuple[str, dict[str, rubrics.Answer]]] | None] = ContextVar(
    "evalfixes_rubric_said", default=None
)
"""What the judge said in the sample that runs in this context, and how it was read."""


def _effective(evaluator: Any) -> list[Any]:
    """The rubrics asked about; before 1.23 there are only those of the criterion."""
    if hasattr(evaluator, "get_effective_rubrics_list"):
        found: list[Any] = evaluator.get_effective_rubrics_list()
        return found
    return list(evaluator._rubrics)


def _build_convert(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def convert_auto_rater_response_to_score(self: Any, auto_rater_response: Any) -> Any:
        asked = {rubric.rubric_id: rubric for rubric in _effective(self)}
        text = module.get_text_from_content(auto_rater_response.content)
        # Before 2.3 an empty reply raised out of the parser, and the metric was lost for all turns.
        result = original(self, auto_rater_response) if text else None
        given: dict[str, list[Any]] = {}
        for score in (result.rubric_scores if result is not None else None) or []:
            given.setdefault(score.rubric_id, []).append(score)
        if type(self._auto_rater_response_parser) is module.DefaultAutoRaterResponseParser:
            answers = rubrics.read(text or "", [(i, r.rubric_content.text_property) for i, r in asked.items()])
        else:
            answers = {rubric_id: _only(given.get(rubric_id, [])) for rubric_id in asked}
        said = _said.get()
        if said is not None:
            said.append((text or "", answers))
        if result is not None and set(given) == set(asked) and _agree(given, answers):
            return result
        scores = [_rubric_score(module, rubric_id, answers[rubric_id]) for rubric_id in asked]
        return module.AutoRaterScore(score=_mean(scores), rubric_scores=scores)

    return convert_auto_rater_response_to_score


def _agree(given: dict[str, list[Any]], answers: dict[str, rubrics.Answer]) -> bool:
    """Whether upstream read one answer per rubric, the same as we."""
    return all(len(s) == 1 and s[0].score is not None and s[0].score == answers[i].score for i, s in given.items())


def _mean(scores: Sequence[Any]) -> float | None:
    """The mean of rubric scores, None while any is missing."""
    known = [score.score for score in scores]
    return None if None in known or not known else statistics.mean(known)


def _only(scores: Sequence[Any]) -> rubrics.Answer:
    """The answer of a parser that is not upstream's, if it gave exactly one."""
    values = {score.score for score in scores}
    if len(values) == 1:
        return rubrics.Answer(scores[0].score, scores[0].rationale)
    return rubrics.Answer(None, problem="answered twice, differently" if values else "left out")


def _rubric_score(module: Any, rubric_id: str, answer: rubrics.Answer) -> Any:
    rationale = answer.rationale
    if answer.score is None:
        rationale = f"Unscored: {answer.problem}." + (f" The judge wrote: {rationale}" if rationale else "")
    return module.RubricScore(rubric_id=rubric_id, score=answer.score, rationale=rationale)


def _build_vote(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def aggregate_per_invocation_samples(self: Any, per_invocation_samples: list[Any]) -> Any:
        result = original(self, per_invocation_samples)
        if type(self._per_invocation_results_aggregator) is not module.MajorityVotePerInvocationResultsAggregator:
            return result  # somebody's own vote
        ids = dict.fromkeys(s.rubric_id for sample in per_invocation_samples for s in sample.rubric_scores or [])
        table = {rubric_id: [_find(sample, rubric_id) for sample in per_invocation_samples] for rubric_id in ids}
        if all(score is not None and score.score is not None for row in table.values() for score in row):
            return result
        scores = [_vote(row, options.current.incomplete) for row in table.values()]
        part = combine([of(score.score) for score in scores])
        decision = decided(part, _passes(self))
        result = result.model_copy(
            update={"score": decision.score, "eval_status": status_of(decision), "rubric_scores": scores}
        )
        if not part.complete:
            carry(result, self._eval_metric.metric_name, part)
        return result

    return aggregate_per_invocation_samples


def _passes(evaluator: Any) -> Callable[[float], bool]:
    """Upstream's comparison; the threshold moved from the metric to the evaluator in 2.7."""
    threshold = getattr(evaluator, "_threshold", None)
    limit: float = evaluator._eval_metric.threshold if threshold is None else threshold
    return lambda score: score >= limit


def _find(sample: Any, rubric_id: str) -> Any:
    return next((score for score in sample.rubric_scores or [] if score.rubric_id == rubric_id), None)


def _vote(row: Sequence[Any], policy: str) -> Any:
    """One rubric's score from all samples: the first that agrees with the majority, or one without a score."""
    votes = [None if score is None or score.score is None else score.score == 1.0 for score in row]
    verdict = majority(votes, policy)
    for score, vote in zip(row, votes, strict=True):
        if score is not None and vote is verdict:
            return score
    present = next(score for score in row if score is not None)
    if verdict is None:
        said = sum(vote is not None for vote in votes)
        reason = f"Unscored: {said} of {len(row)} samples answered, and they do not decide it."
        return present.model_copy(update={"score": None, "rationale": reason})
    return present.model_copy(update={"score": 1.0 if verdict else 0.0})


def _build_summary(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def aggregate_invocation_results(self: Any, per_invocation_results: list[Any]) -> Any:
        result = original(self, per_invocation_results)
        scores = [score for turn in per_invocation_results for score in turn.rubric_scores or []]
        missing_ids = {score.rubric_id for score in scores if score.score is None}
        if not missing_ids:
            return result
        changed: dict[str, Any] = {
            "overall_rubric_scores": [
                score.model_copy(update={"score": None}) if score.rubric_id in missing_ids else score
                for score in result.overall_rubric_scores or []
            ]
        }
        own = type(self._invocation_results_summarizer) is not module.MeanInvocationResultsSummarizer
        if not own and all(turn.rubric_scores for turn in per_invocation_results):
            decision = decided(combine([of(score.score) for score in scores]), _passes(self))
            changed |= {"overall_score": decision.score, "overall_eval_status": status_of(decision)}
        # Where a turn has no rubrics at all, their number is not known here; what it requires counted them.
        return result.model_copy(update=changed)

    return aggregate_invocation_results


def _build_sample(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    async def _evaluate_single_sample(self: Any, llm_request: Any, actual: Any, expected: Any) -> Any:
        if not hasattr(self, "get_effective_rubrics_list"):
            return await original(self, llm_request, actual, expected)
        said: list[tuple[str, dict[str, rubrics.Answer]]] = []
        token = _said.set(said)
        try:
            result = await original(self, llm_request, actual, expected)
            for _ in range(options.current.rejudge):
                left_out = {score.rubric_id for score in result.rubric_scores or [] if score.score is None}
                if not left_out:
                    break
                result = await _ask_again(original, self, (llm_request, actual, expected), result, left_out)
        finally:
            _said.reset(token)
        _report(self._eval_metric.metric_name, actual, result, said)
        return result

    return _evaluate_single_sample


def _report(metric: str, actual: Any, result: Any, said: list[tuple[str, dict[str, rubrics.Answer]]]) -> None:
    if not said:
        return
    problems = {rubric_id: answer.problem for _, answers in said for rubric_id, answer in answers.items()}
    missing = [score.rubric_id for score in result.rubric_scores or [] if score.score is None]
    reasons = [problems.get(rubric_id) or "left out" for rubric_id in missing]
    why = "; ".join(
        f"rubric {rubric_id!r} {reason}" for rubric_id, reason in list(zip(missing, reasons, strict=True))[:3]
    )
    name = getattr(actual, "invocation_id", "")
    where = f"invocation {name}" if name else ""
    ledger.record(metric, len(said[0][1]), reasons, where=where, why=why, reply=said[-1][0])


async def _ask_again(
    original: Callable[..., Any], evaluator: Any, arguments: tuple[Any, Any, Any], result: Any, left_out: set[str]
) -> Any:
    """Asks about the missing rubrics alone, and fills in what is answered now."""
    request, actual, expected = arguments
    own = copy.copy(evaluator)
    own.create_effective_rubrics_list = lambda invocation_rubrics: None
    by_id = {rubric.rubric_id: rubric for rubric in [*(actual.rubrics or []), *evaluator._rubrics]}
    own._effective_rubrics_list = [
        by_id[score.rubric_id] for score in result.rubric_scores if score.rubric_id in left_out
    ]
    again = request.model_copy(deep=True)
    again.contents[-1].parts[0].text = own.format_auto_rater_prompt(actual, expected)
    try:
        reply = await original(own, again, actual, expected)
    except Exception:
        return result  # the first reply stands, as incomplete as it is
    answered = {score.rubric_id: score for score in reply.rubric_scores or [] if score.score is not None}
    scores = [answered.get(score.rubric_id, score) for score in result.rubric_scores]
    part = combine([of(score.score) for score in scores])
    decision = decide(part, _passes(evaluator), "unscored")
    return result.model_copy(
        update={"rubric_scores": scores, "score": decision.score, "eval_status": status_of(decision)}
    )


_A, _B = ("a", "The answer is short."), ("b", "The answer is correct.")
_RUBRICS = [{"id": rubric_id, "text": text} for rubric_id, text in (_A, _B)]


def _case(*replies: Any, threshold: float = 0.8, turns: int = 1, samples: int | None = None) -> dict[str, Any]:
    return {
        "metric": "rubric_based_final_response_quality_v1",
        "threshold": threshold,
        "samples": samples or len(replies),
        "criterion": {"rubrics": _RUBRICS},
        "turns": [{"answer": "x"}] * turns,
        "judge": {"rubric": list(replies)},
    }


_verdicts = _harness.rubric_verdicts
_OPEN = {"score": None, "status": "NOT_EVALUATED"}
_PASS = {"score": 1.0, "status": "PASSED"}
_HALF = {"score": 0.5, "status": "FAILED"}
_A_YES = _verdicts((*_A, "yes"))
_B_NO = _verdicts((*_B, "no"))
_YES_YES = _verdicts((*_A, "yes"), (*_B, "yes"))
_YES_NO = _verdicts((*_A, "yes"), (*_B, "no"))
_NO_NO = _verdicts((*_A, "no"), (*_B, "no"))
_KNOWN = "1.16.0..2.13.0"

FIX = Fix(
    id="adk-rubric-answers",
    dist="google-adk",
    title="a rubric without a usable answer drops out of the score",
    before="The mean is taken over the rubrics that were answered: leave out the one that fails, rename it or answer "
    "N/A, and 0.5 becomes 1.0. Verdicts are searched for yes and no anywhere, so `No. Yesterday …` is a yes.",
    after="Every rubric needs one plain yes or no. What is missing is asked again, and then left open: the score "
    "stands only where the missing answers could not change the verdict.",
    replacements=(
        Replacement(f"{_MODULE}:RubricBasedEvaluator.convert_auto_rater_response_to_score", _build_convert),
        Replacement(f"{_MODULE}:RubricBasedEvaluator.aggregate_per_invocation_samples", _build_vote),
        Replacement(f"{_MODULE}:RubricBasedEvaluator.aggregate_invocation_results", _build_summary),
        Replacement(f"{_PACKAGE}llm_as_judge:LlmAsJudge._evaluate_single_sample", _build_sample, optional=True),
    ),
    watches=(
        f"{_MODULE}:DefaultAutoRaterResponseParser.parse",
        f"{_MODULE}:MajorityVotePerInvocationResultsAggregator.aggregate",
        f"{_MODULE}:MeanInvocationResultsSummarizer.summarize",
    ),
    evaluate=_harness.evaluate,
    loads=(_PACKAGE + "rubric_based_final_response_quality_v1",),
    requires=("adk-gate-unscored", "adk-unscored-invocations", "adk-rubric-turns"),
    scenarios=(
        Scenario("the failing rubric is left out", _case(_A_YES), _OPEN, _PASS),
        Scenario(
            "the failing rubric is renamed and paraphrased",
            _case(_A_YES + _verdicts(("2", "The response is right.", "no"))),
            _OPEN,
            _PASS,
        ),
        Scenario("answered as unclear", _case(_A_YES + _verdicts((*_B, "unclear"))), _OPEN, _PASS),
        Scenario("no that mentions yesterday", _case(_A_YES + _verdicts((*_B, "No. It was yesterday."))), _HALF, _PASS),
        Scenario("no doubt", _case(_A_YES + _verdicts((*_B, "No doubt, yes"))), _OPEN, _PASS),
        Scenario("yes|no", _case(_A_YES + _verdicts((*_B, "yes|no"))), _OPEN, _PASS),
        Scenario(
            "twice, differently",
            _case(_YES_NO + _verdicts((*_B, "yes")), threshold=0.6),
            _OPEN,
            _HALF,
        ),
        Scenario(
            "control: one rubric failed, and no answer to the other could make it pass",
            _case(_verdicts((*_A, "no")), threshold=0.8),
            {"score": 0.0, "status": "FAILED"},
        ),
        Scenario(
            "decided: no answer could make it fail",
            _case(_A_YES, threshold=0.5),
            {"score": 0.5, "status": "PASSED"},
            _PASS,
        ),
        Scenario("one sample of five answers the rubric", _case(_YES_YES, *[_A_YES] * 4), _OPEN, _PASS),
        Scenario(
            "control: three of five say no, two leave it out", _case(_YES_NO, _YES_NO, _YES_NO, _A_YES, _A_YES), _HALF
        ),
        Scenario("verdicts in bold", _case(_YES_NO.replace("Verdict:", "**Verdict:**")), _HALF, _OPEN),
        Scenario("control: complete, mixed", _case(_YES_NO), _HALF),
        Scenario("control: complete, all met", _case(_YES_YES), _PASS),
        Scenario("control: complete, none met", _case(_NO_NO), {"score": 0.0, "status": "FAILED"}),
        Scenario("control: majority of three", _case(_YES_NO, _YES_YES, _YES_YES), _PASS),
        Scenario("control: two turns", _case(_YES_YES, turns=2), _PASS),
        Scenario("control: nothing readable", _case("I cannot say."), _OPEN),
    ),
    risks="Judges that answer N/A on purpose leave the metric unscored; phrase such rubrics so that yes or no applies.",
)
