"""Runs a case through `agentevals run`, with a judge that only believes what it was shown."""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from evalfixes.fix import Case, Outcome
from evalfixes.fixes.agentevals import _traces

JUDGE = "evalfixes-scripted-judge"
LOADS = ("agentevals.cli", "agentevals.runner", "agentevals.builtin_metrics", "agentevals.output", "agentevals.config")

_contexts: list[str] = []
_script: Mapping[str, Any] = {}


def claims(sentence: str) -> list[str]:
    """What a sentence claims: its words that hold a digit, and with ``claims: lists`` what a list names."""
    found = [word.strip(".,;:!?()'\"*`") for word in sentence.split() if re.search(r"\d", word)]
    found = [word for word in found if not re.fullmatch(r"\d?", word)]
    named = re.search(r": (\S+)$", sentence.strip()) if _script.get("claims") == "lists" else None
    return [*found, named[1].rstrip(".")] if named else found


def _reply(prompt: str) -> str:
    """Labels a sentence by whether all that it claims stands in the context it is judged in."""
    if "**Context Begin**" not in prompt:
        if "**Response Begin**" not in prompt:
            return str(_script.get("other", '{"is_the_agent_response_valid": "valid"}'))
        said = prompt.rsplit("**Response Begin**", 1)[1].rsplit("**Response End**", 1)[0].strip()
        sentences = [part.strip() for part in re.split(r"\n+|(?<=[.!?])\s+", said) if part.strip()]
        return "\n".join(f"<sentence>{sentence}</sentence>" for sentence in sentences)
    context, _, rest = prompt.rsplit("**Context Begin**", 1)[1].partition("**Context End**")
    _contexts.append(context)
    blocks = []
    for sentence in re.findall(r"<sentence>(.*?)</sentence>", rest, re.S):
        found = claims(sentence)
        label = "supported" if all(word in context for word in found) else "unsupported"
        blocks.append(
            f"sentence: {sentence}\nlabel: {label if found else 'not_applicable'}\nrationale: scripted\n"
            "supporting_excerpt: null\ncontradicting_excerpt: null"
        )
    return "\n\n".join(blocks)


def register_judge() -> None:
    """Makes ADK resolve the model `JUDGE` to the scripted judge; once per process."""
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.models.registry import LLMRegistry
    from google.genai import types

    if getattr(register_judge, "done", False):
        return

    class ScriptedJudge(BaseLlm):
        @classmethod
        def supported_models(cls) -> list[str]:
            return [rf"{JUDGE}.*"]

        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            prompt = llm_request.contents[0].parts[0].text
            script = _script
            fails = script.get("fails_on")
            if fails is not None and any(word in prompt for word in fails):
                if script.get("how") == "mute":
                    text = "I am sorry, I cannot help with that."
                else:
                    raise RuntimeError(script.get("error", "401 UNAUTHENTICATED: API key not valid"))
            else:
                text = _reply(prompt)
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))

    LLMRegistry.register(ScriptedJudge)
    register_judge.done = True  # type: ignore[attr-defined]


def set_script(script: Mapping[str, Any]) -> None:
    """Chooses how the judge behaves from now on, and forgets what it has seen.

    Args:
        script: ``fails_on``: words in whose presence the judge fails (``[""]``: always), ``how``:
            ``error`` or ``mute`` (free text instead of an answer), ``error``: the message, ``claims``:
            ``lists`` to take what stands behind a colon for a claim, ``other``:
            what it answers when asked for anything but hallucinations.
    """
    global _script
    _script = dict(script)
    _contexts.clear()


def contexts() -> list[str]:
    """The contexts that the judge has been shown since `set_script`."""
    return list(_contexts)


def write_inputs(case: Case, folder: Path) -> list[str]:
    """Writes a case's trace and golden files, and returns the arguments of `agentevals run`."""
    form = case.get("form", "jaeger")
    arguments = ["run"]
    for number, turns in enumerate(case.get("traces") or [case["turns"]]):
        path = folder / f"trace-{number}.json"
        path.write_text(json.dumps(_traces.document(turns, form, case.get("dialect", "adk"))), encoding="utf-8")
        arguments.append(str(path))
    arguments += ["-f", f"{form}-json", "-o", "json"]
    for metric in case.get("metrics", ["hallucinations_v1"]):
        arguments += ["-m", metric]
    if case.get("threshold") is not None:
        arguments += ["-t", str(case["threshold"])]
    if case.get("golden") is not None:
        path = folder / "golden.json"
        path.write_text(json.dumps(_traces.golden(case["golden"])), encoding="utf-8")
        arguments += ["-e", str(path)]
    if case.get("config"):
        path = folder / "config.yaml"
        path.write_text(case["config"].replace("{folder}", str(folder)), encoding="utf-8")
        for name, text in case.get("files", {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        return [*arguments, "-c", str(path)]
    return [*arguments, "-j", JUDGE]


def read_report(text: str) -> dict[str, Any]:
    """The JSON report in what the command printed."""
    report: dict[str, Any] = json.loads(text[text.index("{") :])
    return report


def run(case: Case) -> Outcome:
    """Runs `agentevals run` on a case in this process.

    Returns:
        ``exit`` (the exit code), ``score`` and ``metric_status`` of the first metric, ``reason``
        (whether the report says why a metric has no verdict), ``metrics`` (all of them), and
        ``status``: PASSED exactly if the exit code lets a build go on.
    """
    from agentevals.cli import main
    from click.testing import CliRunner

    register_judge()
    set_script(case.get("judge", {}))
    before = logging.root.manager.disable
    root_handlers = list(logging.root.handlers)
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        arguments = write_inputs(case, Path(name))
        logging.disable(logging.CRITICAL)
        try:
            result = CliRunner().invoke(main, arguments)
        finally:
            logging.disable(before)
            logging.root.handlers[:] = root_handlers
            os.chdir(here)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    stdout = getattr(result, "stdout", result.output)
    return outcome_of(read_report(stdout), result.exit_code)


def outcome_of(report: Mapping[str, Any], code: int) -> Outcome:
    """An outcome from a JSON report and the exit code."""
    metrics = sorted(
        (metric for trace in report["traces"] for metric in trace["metrics"]), key=lambda metric: metric["metric_name"]
    )
    first = metrics[0] if metrics else {"score": None, "eval_status": "NOT_EVALUATED"}
    failed = any(metric["eval_status"] == "FAILED" for metric in metrics)
    silent = [
        metric
        for metric in metrics
        if metric["score"] is None and not metric.get("error") and not (metric.get("details") or {}).get("reason")
    ]
    return {
        "score": first["score"],
        "status": "PASSED" if code == 0 else "FAILED" if failed else "NOT_EVALUATED",
        "metric_status": first["eval_status"],
        "exit": code,
        "reason": not silent,
        "metrics": {
            metric["metric_name"]: [metric["score"], metric["eval_status"], metric["per_invocation_scores"]]
            for metric in metrics
        },
        "seen": len(_contexts),
    }
