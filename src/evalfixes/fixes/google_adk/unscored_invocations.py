"""Turns that could not be judged drop out of the mean of their case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from evalfixes.fix import Case, Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness as harness
from evalfixes.fixes.google_adk._evidence import behind_result, carry, decided, status_of
from evalfixes.fixes.google_adk._hallucinations import CLASS, METRIC, MODULE
from evalfixes.verdicts.aggregate import Decision, Part, combine

_PACKAGE = "google.adk.evaluation."
_MATCH = f"{_PACKAGE}final_response_match_v2"
_RUBRIC = f"{_PACKAGE}rubric_based_evaluator"
_VERTEX = f"{_PACKAGE}vertex_ai_eval_facade"


def _complete(result: Any, passes: Callable[[float], bool], metric: str, weights: Any = None) -> Any:
    """Corrects the overall score of an ``EvaluationResult`` whose turns are not all judged.

    Args:
        result: What upstream made of the turns.
        passes: Upstream's comparison with the threshold.
        metric: The metric's name, which tells the scale.
        weights: Gives the number of parts that a turn's result stands for, or None for one each.

    Returns:
        The same result.
    """
    turns = result.per_invocation_results
    parts = [behind_result(turn, metric) for turn in turns]
    if not parts or all(part.complete for part in parts):
        return result
    for turn, part in zip(turns, parts, strict=True):
        if not part.complete:
            carry(turn, metric, part)
    decision = decided(_weighted(parts, [weights(turn) for turn in turns] if weights else None), passes)
    result.overall_score = decision.score
    result.overall_eval_status = status_of(decision)
    return result


def _weighted(parts: Sequence[Part], weights: Sequence[int] | None) -> Part:
    counts = weights or [1] * len(parts)
    return combine([part for part, count in zip(parts, counts, strict=True) for _ in range(max(count, 1))])


def _single(module: ModuleType, score: float, **fields: Any) -> Any:
    """A turn's result with nothing but a score, for upstream's own aggregation to compare."""
    failing = status_of(Decision(score, passed=False, complete=True))
    return module.PerInvocationResult.model_construct(score=score, eval_status=failing, **fields)


_PASSING = Decision(1.0, passed=True, complete=True)


def _build_hallucinations(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _aggregate_invocation_results(self: Any, per_invocation_results: list[Any]) -> Any:
        def passes(score: float) -> bool:
            return bool(original(self, [_single(module, score)]).overall_eval_status == status_of(_PASSING))

        return _complete(original(self, per_invocation_results), passes, METRIC)

    return _aggregate_invocation_results


def _build_match(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def aggregate_invocation_results(self: Any, per_invocation_results: list[Any]) -> Any:
        def passes(score: float) -> bool:
            return bool(original(self, [_single(module, score)]).overall_eval_status == status_of(_PASSING))

        result = original(self, per_invocation_results)
        return _complete(result, passes, self._eval_metric.metric_name)

    return aggregate_invocation_results


def _build_rubric(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def aggregate_invocation_results(self: Any, per_invocation_results: list[Any]) -> Any:
        result = original(self, per_invocation_results)
        if type(self._invocation_results_summarizer) is not module.MeanInvocationResultsSummarizer:
            return result  # somebody's own summary of the turns

        def passes(score: float) -> bool:
            rubric_score = module.RubricScore(rubric_id="", score=score)
            single = _single(module, score, rubric_scores=[rubric_score])
            return bool(original(self, [single]).overall_eval_status == status_of(_PASSING))

        def weight(turn: Any) -> int:
            answered = [score for score in turn.rubric_scores or () if score.score is not None]
            own = getattr(turn.actual_invocation, "rubrics", None) or ()
            kind = getattr(self, "_rubric_type", None)
            asked = len(self._rubrics) + sum(1 for rubric in own if not kind or getattr(rubric, "type", None) == kind)
            return len(answered) if turn.score is not None and answered else asked

        return _complete(result, passes, self._eval_metric.metric_name, weight)

    return aggregate_invocation_results


def _build_vertex(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def evaluate_invocations(
        self: Any,
        actual_invocations: list[Any],
        expected_invocations: list[Any] | None = None,
        conversation_scenario: Any = None,
    ) -> Any:
        return complete(self, original(self, actual_invocations, expected_invocations, conversation_scenario))

    def evaluate_invocations_of_pairs(self: Any, actual_invocations: list[Any], expected_invocations: list[Any]) -> Any:
        return complete(self, original(self, actual_invocations, expected_invocations))

    def complete(self: Any, result: Any) -> Any:
        if result is None:  # since 1.27 the base class only declares it
            return None

        def passes(score: float) -> bool:
            return bool(self._get_eval_status(score) == status_of(_PASSING))

        return _complete(result, passes, _vertex_name(self._metric_name))

    # Up to 1.21 there is no third parameter, and the second must be given.
    scenarios = "conversation_scenario" in inspect.signature(original).parameters
    return evaluate_invocations if scenarios else evaluate_invocations_of_pairs


def _vertex_name(metric: Any) -> str:
    """The metric of google-adk that a metric of Vertex stands for."""
    name = str(getattr(metric, "name", None) or metric).lower()
    if "safety" in name:
        return "safety_v1"
    return "response_evaluation_score" if "coherence" in name else name


def evaluate(case: Case) -> Outcome:
    """Runs a case through the evaluator of its metric; see `_harness`.

    With the metric ``vertex_single_turn``, ``judge`` is what Vertex answers per turn: a score or None.
    """
    return _evaluate_vertex(case) if case["metric"] == "vertex_single_turn" else harness.evaluate(case)


def _evaluate_vertex(case: Case) -> Outcome:
    from types import SimpleNamespace

    from google.adk.evaluation import vertex_ai_eval_facade as facade

    base = getattr(facade, "_SingleTurnVertexAiEvalFacade", facade._VertexAiEvalFacade)
    scores = iter(case["judge"])

    class Scripted(base):  # type: ignore[misc, valid-type]
        """Answers without Vertex."""

        def __init__(self) -> None:
            self._threshold = case["threshold"]
            self._metric_name = SimpleNamespace(name=case.get("vertex_metric", "SAFETY"))
            self._expected_invocations_required = False

        def _perform_eval(self, dataset: Any = None, metrics: Any = None) -> Any:
            return SimpleNamespace(summary_metrics=[SimpleNamespace(mean_score=next(scores))])

    evaluator = Scripted()
    actual, expected = harness.invocations(case["turns"])
    static = isinstance(facade._VertexAiEvalFacade.__dict__["_perform_eval"], staticmethod)
    kept = facade._VertexAiEvalFacade.__dict__["_perform_eval"]
    if static:  # up to 1.26 it is called on the class
        facade._VertexAiEvalFacade._perform_eval = staticmethod(lambda dataset, metrics: evaluator._perform_eval())
    try:
        return harness.outcome(evaluator.evaluate_invocations(actual, actual if expected is None else expected))
    finally:
        if static:
            facade._VertexAiEvalFacade._perform_eval = kept


def turns_of(count: int) -> list[dict[str, str]]:
    """Turns with answers of their own."""
    return [{"user": f"Question {n}?", "answer": f"Answer {n}.", "expected": f"Reference {n}."} for n in range(count)]


def case_of(metric: str, replies: Sequence[Any], threshold: float = 0.8) -> Case:
    """One turn per reply; a reply is True, False, or what the judge says in its place."""
    judge: dict[str, list[Any]] = {}
    for number, reply in enumerate(replies):
        answer = f"Answer {number}."
        if metric == METRIC:
            said = harness.block(answer, "supported" if reply is True else "unsupported")
        elif metric == "final_response_match_v2":
            said = harness.verdict("valid" if reply is True else "invalid")
        else:
            said = harness.rubric_verdicts(("r", "Is right.", "yes" if reply is True else "no"))
        kind = {METRIC: "validate", "final_response_match_v2": "match"}.get(metric, "rubric")
        judge[f"{kind}:{answer}"] = [said if isinstance(reply, bool) else reply]
    case: dict[str, Any] = {"metric": metric, "threshold": threshold, "turns": turns_of(len(replies)), "judge": judge}
    if metric.startswith("rubric_"):
        case["criterion"] = {"rubrics": [{"id": "r", "text": "Is right."}]}
    return case


_DOWN = {"raise": "503"}
_PASSED: Outcome = {"score": 1.0, "status": "PASSED"}
_NONE: Outcome = {"score": None, "status": "NOT_EVALUATED"}
_SINCE = "1.16.0.."  # hallucinations_v1, and the rubric metrics as they are
_QUALITY = "rubric_based_final_response_quality_v1"
_VERTEX_CASE: Case = {"metric": "vertex_single_turn", "threshold": 0.8, "turns": turns_of(2), "judge": [1.0, None]}

FIX = Fix(
    id="adk-unscored-invocations",
    dist="google-adk",
    title="turns that could not be judged drop out of the mean of their case",
    before="hallucinations_v1, final_response_match_v2, the rubric metrics and the single-turn Vertex metrics average "
    "the turns that have a score. One good turn and one that the judge never answered, or in which the agent's model "
    "failed, score 1 and pass.",
    after="A turn without a score keeps its place: the case stands only if that turn cannot change its verdict.",
    replacements=(
        Replacement(f"{MODULE}:{CLASS}._aggregate_invocation_results", _build_hallucinations, optional=True),
        Replacement(f"{_MATCH}:FinalResponseMatchV2Evaluator.aggregate_invocation_results", _build_match),
        Replacement(f"{_RUBRIC}:RubricBasedEvaluator.aggregate_invocation_results", _build_rubric, optional=True),
        Replacement(f"{_VERTEX}:_SingleTurnVertexAiEvalFacade.evaluate_invocations", _build_vertex, optional=True),
        Replacement(f"{_VERTEX}:_VertexAiEvalFacade.evaluate_invocations", _build_vertex, optional=True),
    ),
    watches=(f"{_RUBRIC}:MeanInvocationResultsSummarizer.summarize",),
    evaluate=evaluate,
    requires=("adk-gate-unscored",),
    loads=(MODULE, _MATCH, _RUBRIC, "google.adk.evaluation.eval_metrics", "google.adk.models.registry"),
    scenarios=(
        Scenario(
            "match: reply cannot be parsed", case_of("final_response_match_v2", [True, "garbage"]), _NONE, _PASSED
        ),
        Scenario(
            "match: turn missing, undecided",
            case_of("final_response_match_v2", [True, False, "garbage"], 0.5),
            _NONE,
            {"score": 0.5, "status": "PASSED"},
        ),
        Scenario(
            "match: turn missing, passes anyway",
            case_of("final_response_match_v2", [True, "garbage"], 0.5),
            {"score": 0.5, "status": "PASSED"},
            _PASSED,
        ),
        Scenario(
            "hallucinations: judge fails in the second turn",
            case_of(METRIC, [True, _DOWN]),
            _NONE,
            _PASSED,
            releases=_SINCE,
        ),
        Scenario(
            "hallucinations: the agent gave no answer in the second turn",
            {**case_of(METRIC, [True]), "turns": [*turns_of(1), {"user": "blocked", "answer": None}]},
            _NONE,
            _PASSED,
            releases=_SINCE,
        ),
        Scenario("rubrics: reply cannot be parsed", case_of(_QUALITY, [True, "hm"]), _NONE, _PASSED, releases=_SINCE),
        Scenario("vertex: no score in the second turn", _VERTEX_CASE, _NONE, _PASSED),
        Scenario(
            "control: match, all turns judged",
            case_of("final_response_match_v2", [True, False, True]),
            {"score": 2 / 3, "status": "FAILED"},
        ),
        Scenario(
            "control: hallucinations, all turns judged",
            case_of(METRIC, [True, False, True]),
            {"score": 2 / 3, "status": "FAILED"},
            releases=_SINCE,
        ),
        Scenario(
            "control: rubrics, all turns judged",
            case_of(_QUALITY, [True, False]),
            {"score": 0.5, "status": "FAILED"},
            releases=_SINCE,
        ),
        Scenario(
            "control: vertex, all turns judged",
            {**_VERTEX_CASE, "judge": [1.0, 0.5]},
            {"score": 0.75, "status": "FAILED"},
        ),
        Scenario(
            "control: no turn judged",
            case_of("final_response_match_v2", ["garbage", "garbage"]),
            _NONE,
            releases="2.5.0..",  # before, it divides by zero
        ),
    ),
    risks="A case with one turn that the judge never answered is not evaluated, unless that turn cannot change it.",
)
