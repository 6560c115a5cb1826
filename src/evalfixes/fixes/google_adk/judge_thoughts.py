"""The judge's own thoughts are read as its verdict."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.fixes.google_adk._content import text_reader, visible_reply, visible_text
from evalfixes.verdicts.thoughts import answer_only

_PACKAGE = "google.adk.evaluation."
_reading_reply: ContextVar[bool] = ContextVar("evalfixes_reading_reply", default=False)


def _build_rubrics(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def convert_auto_rater_response_to_score(self: Any, auto_rater_response: Any) -> Any:
        return original(self, visible_reply(auto_rater_response))

    return convert_auto_rater_response_to_score


def _build_match(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def convert_auto_rater_response_to_score(self: Any, llm_response: Any) -> Any:
        return original(self, visible_reply(llm_response))

    return convert_auto_rater_response_to_score


def _build_simulator(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def _convert_llm_response_to_score(self: Any, auto_rater_response: Any) -> Any:
        return original(self, visible_reply(auto_rater_response))

    return _convert_llm_response_to_score


def _build_hallucinations(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    # From here to its end, the method reads no other content than its judge's two replies.
    async def _evaluate_nl_response(self: Any, nl_response: str, context: str) -> Any:
        token = _reading_reply.set(True)
        try:
            return await original(self, nl_response, context)
        finally:
            _reading_reply.reset(token)

    return _evaluate_nl_response


def _build_text(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    def read(content: Any, text: Callable[[Any], Any]) -> Any:
        if not _reading_reply.get() or not getattr(content, "parts", None):
            return text(content)
        found = visible_text(content, text)
        return answer_only(found) if found else found

    return text_reader(original, read)


_ROWS = {"a": "The answer is short.", "b": "The answer is correct."}


def _rubrics(a: str, b: str) -> str:
    return _harness.rubric_verdicts(("a", _ROWS["a"], a), ("b", _ROWS["b"], b))


def _match_case(*reply: Any) -> dict[str, Any]:
    turns = [{"user": "Capital of France?", "answer": "London", "expected": "Paris"}]
    return {"metric": "final_response_match_v2", "threshold": 0.8, "turns": turns, "judge": {"match": [list(reply)]}}


def _rubric_case(*reply: Any) -> dict[str, Any]:
    return {
        "metric": "rubric_based_final_response_quality_v1",
        "threshold": 0.8,
        "criterion": {"rubrics": [{"id": key, "text": text} for key, text in _ROWS.items()]},
        "turns": [{"answer": "London"}],
        "judge": {"rubric": [list(reply)]},
    }


def _hallucination_case(*reply: Any) -> dict[str, Any]:
    return {
        "metric": "hallucinations_v1",
        "threshold": 0.5,
        "turns": [{"answer": "Oslo is big. Oslo is old."}],
        "judge": {"validate": [list(reply)]},
    }


_S1, _S2 = "Oslo is big.", "Oslo is old."
_FALSE = _harness.blocks((_S1, "unsupported"), (_S2, "contradictory"))
_TRUE = _harness.blocks((_S1, "supported"), (_S2, "supported"))
_NO = {"score": 0.0, "status": "FAILED"}
_YES = {"score": 1.0, "status": "PASSED"}
_HALF = {"score": 0.5, "status": "PASSED"}
_OPEN = {"score": None, "status": "NOT_EVALUATED"}
_VALID, _INVALID = _harness.verdict("valid"), _harness.verdict("invalid")

FIX = Fix(
    id="adk-judge-thoughts",
    dist="google-adk",
    title="the judge's own thoughts are read as its verdict",
    before="Judge replies are joined from all parts, thoughts included: a draft verdict of a reasoning judge is found "
    "first, or counted beside the final one, in hallucinations_v1, final_response_match_v2, the rubric metrics and the "
    "user simulator's metric.",
    after="Only the judge's answer is read; a reply that never came to an answer is no verdict.",
    replacements=(
        Replacement(
            f"{_PACKAGE}rubric_based_evaluator:RubricBasedEvaluator.convert_auto_rater_response_to_score",
            _build_rubrics,
            optional=True,
        ),
        Replacement(
            f"{_PACKAGE}final_response_match_v2:FinalResponseMatchV2Evaluator.convert_auto_rater_response_to_score",
            _build_match,
        ),
        Replacement(
            f"{_PACKAGE}simulation.per_turn_user_simulator_quality_v1:"
            "PerTurnUserSimulatorQualityV1._convert_llm_response_to_score",
            _build_simulator,
            optional=True,
        ),
        Replacement(
            f"{_PACKAGE}hallucinations_v1:HallucinationsV1Evaluator._evaluate_nl_response",
            _build_hallucinations,
            optional=True,
        ),
        Replacement(f"{_PACKAGE}llm_as_judge_utils:get_text_from_content", _build_text),
    ),
    evaluate=_harness.evaluate,
    loads=(
        _PACKAGE + "final_response_match_v2",
        _PACKAGE + "hallucinations_v1",
        _PACKAGE + "rubric_based_final_response_quality_v1",
    ),
    requires=(
        "adk-gate-unscored",
        "adk-unscored-invocations",
        "adk-hallucinations-sentence-labels",
        "adk-judge-samples",
        "adk-rubric-answers",
    ),
    scenarios=(
        Scenario(
            "draft valid, answer invalid",
            _match_case({"thought": f"Draft: {_VALID}\nbut wait, London is wrong.\n"}, _INVALID),
            _NO,
            _YES,
        ),
        Scenario(
            "nothing but a draft", _match_case({"thought": f"Draft: {_VALID}\n"}), _OPEN, _YES, releases="2.3.0..2.13.0"
        ),
        Scenario(
            "draft in a reasoning block", _match_case(f"<think>Draft: {_VALID}\n</think>\n{_INVALID}\n"), _NO, _YES
        ),
        Scenario(
            "drafts counted beside the rubrics' verdicts",
            _rubric_case({"thought": _rubrics("yes", "yes") * 2}, _rubrics("yes", "no")),
            {"score": 0.5, "status": "FAILED"},
            {"score": 1.0, "status": "PASSED"},
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "drafts counted beside the sentences' labels",
            _hallucination_case({"thought": _TRUE + "\n"}, _FALSE),
            _NO,
            _HALF,
            releases="1.16.0..2.13.0",
        ),
        Scenario(
            "the segmenter's draft becomes sentences",
            {
                **_hallucination_case(),
                "threshold": 0.6,
                "judge": {
                    "segment": [[{"thought": _harness.segments(_S1) + "\n"}, _harness.segments(_S1, _S2)]],
                    f"validate:{_harness.segments(_S1, _S1)}": [
                        _harness.blocks((_S1, "supported"), (_S1, "supported"), (_S2, "contradictory"))
                    ],
                    "validate": [_harness.blocks((_S1, "supported"), (_S2, "contradictory"))],
                },
            },
            {"score": 0.5, "status": "FAILED"},
            {"score": 2 / 3, "status": "PASSED"},
            releases="1.16.0..2.13.0",
        ),
        Scenario("control: no thought, invalid", _match_case(_INVALID), _NO),
        Scenario("control: no thought, valid", _match_case(_VALID), _YES),
        Scenario("control: a thought without a verdict", _match_case({"thought": "Hm."}, _INVALID), _NO),
        Scenario("control: labels", _hallucination_case(_TRUE), _YES, releases="1.16.0..2.13.0"),
        Scenario("control: rubrics", _rubric_case(_rubrics("yes", "yes")), _YES, releases="1.16.0..2.13.0"),
    ),
)
