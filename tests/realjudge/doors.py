"""The real doors: each metric as its users call it, with a judge behind a base URL.

`DOORS` maps a metric to a function of a case, the name that the judge's model has for it and the
judge's base URL. It returns score and status; an error is the status ``ERROR``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.realjudge.cases import RUBRICS, Case

THRESHOLD = 0.8
Outcome = dict[str, Any]

INSTRUCTIONS = ("State only what the given note says.", "Answer in English.")


@contextlib.contextmanager
def addressed(base_url: str) -> Iterator[None]:
    """Where LiteLLM finds the judge; no key, nothing sent elsewhere."""
    names = {"OPENAI_API_BASE": base_url, "OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "none"}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def turn(case: Case) -> dict[str, Any]:
    """The turn of a case as google-adk records it: a tool call, its output, the answer."""
    call = {"function_call": {"id": "1", "name": "look_up", "args": {"question": case.question}}}
    found = {"function_response": {"id": "1", "name": "look_up", "response": {"note": case.note}}}
    return {
        "id": case.id,
        "user": case.question,
        "answer": case.answer,
        "expected": case.note,
        "agents": {"root": {"instructions": "Answer with what look_up finds."}},
        "events": [{"author": "root", "content": [call]}, {"author": "root", "content": [found]}],
    }


def known_to_adk(model: str) -> str:
    """The model's name for google-adk; releases that do not find LiteLlm by it are told."""
    from google.adk.models.registry import LLMRegistry

    try:
        LLMRegistry.resolve(f"openai/{model}")
    except ValueError:
        from google.adk.models.lite_llm import LiteLlm

        class Named(LiteLlm):
            @classmethod
            def supported_models(cls) -> list[str]:
                return ["openai/.*"]

        LLMRegistry.register(Named)
    return f"openai/{model}"


def adk(metric: str, **criterion: Any) -> Callable[[Case, str, str], Outcome]:
    """A metric of google-adk through its LiteLlm."""

    def door(case: Case, model: str, base_url: str) -> Outcome:
        from evalfixes.fixes.google_adk import _harness as harness

        table = {"metric": metric, "threshold": THRESHOLD, "criterion": criterion}
        actual, expected = harness.invocations([turn(case)])
        evaluator = harness.evaluator_class(metric)(eval_metric=harness.metric(table, known_to_adk(model)))
        with addressed(base_url):
            try:
                result = asyncio.run(harness.call(evaluator, actual, expected))
            except Exception as error:  # older releases divide by zero where no reply was read
                return {"score": None, "status": "ERROR", "error": f"{type(error).__name__}: {error}"[:200]}
        return {"score": result.overall_score, "status": result.overall_eval_status.name}

    return door


def correctness(case: Case, model: str, base_url: str) -> Outcome:
    """correctness_v1 as a custom metric of google-adk."""
    from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric

    from evalfixes.evaluators.google_adk import correctness_v1
    from evalfixes.fixes.google_adk import _harness as harness

    options = {"judge_model": f"openai/{model}", "num_samples": 1}
    criterion = BaseCriterion.model_validate({"threshold": THRESHOLD, "judge_model_options": options})
    actual, expected = harness.invocations([turn(case)])
    with addressed(base_url):
        metric = EvalMetric(metric_name="correctness_v1", criterion=criterion)
        result = asyncio.run(correctness_v1(metric, actual, expected))
    return {"score": result.overall_score, "status": result.overall_eval_status.name}


def deepeval(name: str, **options: Any) -> Callable[[Case, str, str], Outcome]:
    """A metric of deepeval with its own class for models behind a base URL."""

    def door(case: Case, model: str, base_url: str) -> Outcome:
        import deepeval.metrics as metrics
        import deepeval.test_case as cases
        from deepeval.models import LocalModel

        judge = LocalModel(model=model, base_url=base_url, api_key="none")
        settings = dict(options)
        if name == "RoleViolationMetric":
            settings["role"] = f"a clerk who says nothing but this: {case.note}"
        if name == "PromptAlignmentMetric":
            settings["prompt_instructions"] = [f"State only what this note says: {case.note}", INSTRUCTIONS[1]]
        if name == "GEval":
            params = getattr(cases, "SingleTurnParams", None) or cases.LLMTestCaseParams
            settings |= {"name": "agreement", "evaluation_params": [params.ACTUAL_OUTPUT, params.EXPECTED_OUTPUT]}
            settings["evaluation_steps"] = ["Check that no claim of the actual output contradicts the expected output."]
        else:
            settings["include_reason"] = False
        metric = getattr(metrics, name)(model=judge, threshold=THRESHOLD, async_mode=False, **settings)
        test = cases.LLMTestCase(
            input=case.question,
            actual_output=case.answer,
            expected_output=case.note,
            retrieval_context=[case.note],
        )
        try:
            metric.measure(test, _show_indicator=False)
        except Exception as error:
            return {"score": None, "status": "ERROR", "error": f"{type(error).__name__}: {error}"[:200]}
        if metric.error is not None or metric.score is None:
            return {"score": None, "status": "ERROR", "error": str(metric.error)[:200]}
        return {"score": float(metric.score), "status": "PASSED" if metric.is_successful() else "FAILED"}

    return door


def agentevals(metric: str) -> Callable[[Case, str, str], Outcome]:
    """A metric through `agentevals run` on a recorded trace."""

    def door(case: Case, model: str, base_url: str) -> Outcome:
        from agentevals.cli import main
        from click.testing import CliRunner

        from evalfixes.fixes.agentevals import _harness as harness

        call = {"name": "look_up", "id": "1", "args": {"question": case.question}, "output": {"note": case.note}}
        turns = [{"user": case.question, "final": case.answer, "rounds": [[call]]}]
        golden = [{"user": case.question, "final": case.note, "rounds": [[call]]}]
        table = {"turns": turns, "golden": golden, "metrics": [metric], "threshold": THRESHOLD}
        handlers, disabled = list(logging.root.handlers), logging.root.manager.disable
        with tempfile.TemporaryDirectory() as folder, addressed(base_url):
            arguments = harness.write_inputs(table, Path(folder))
            arguments[arguments.index("-j") + 1] = f"openai/{model}"
            logging.disable(logging.CRITICAL)
            try:
                result = CliRunner().invoke(main, arguments)
            finally:
                logging.disable(disabled)
                logging.root.handlers[:] = handlers
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        outcome = harness.outcome_of(harness.read_report(result.stdout), result.exit_code)
        return {"score": outcome["score"], "status": outcome["metric_status"], "exit": outcome["exit"]}

    return door


DOORS: dict[str, Callable[[Case, str, str], Outcome]] = {
    "hallucinations_v1": adk("hallucinations_v1"),
    "hallucinations_v1 segments given": adk("hallucinations_v1"),
    "final_response_match_v2": adk("final_response_match_v2"),
    "rubric_based_final_response_quality_v1": adk(
        "rubric_based_final_response_quality_v1", rubrics=[{"id": name, "text": text} for name, text in RUBRICS]
    ),
    "correctness_v1": correctness,
    "PromptAlignmentMetric": deepeval("PromptAlignmentMetric"),
    "RoleViolationMetric": deepeval("RoleViolationMetric"),
    "FaithfulnessMetric": deepeval("FaithfulnessMetric"),
    "GEval": deepeval("GEval"),
    "agentevals run": agentevals("hallucinations_v1"),
}
"""Metrics by name. Where the segments are given, the segmenter's part is done without the model: one call."""
