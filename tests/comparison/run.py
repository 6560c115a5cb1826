"""Runs the same scripted cases through correctness metrics of several libraries, and prints a table.

    python tests/comparison/run.py [--json FILE] [LIBRARY ...]

Libraries that are not installed are left out. No network: every judge is scripted. The exit code is 1
if correctness_v1 itself is wrong on a case.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.metadata
import io
import json
import logging
import os
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]
for _name, _value in (
    ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES"),
    ("DEEPEVAL_DISABLE_DOTENV", "1"),
    ("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "1"),
    ("RAGAS_DO_NOT_TRACK", "true"),
    ("LANGSMITH_TRACING", "false"),
    ("OPENAI_API_KEY", "none"),
):
    os.environ.setdefault(_name, _value)

from tests.comparison.cases import CASES, Case  # noqa: E402

Score = float | None


def spoken(case: Case, good: str, bad: str, odd: str) -> str:
    """What the judge says in a form of which it knows three words."""
    words = {"good": good, "good+": good, "bad": bad, "refused": bad, "mixed": bad, "odd": odd}
    if case.says == "two":
        return f"A first thought: {good}\nOn reflection: {bad}"
    if case.says == "echo":
        return f"The answer says: {good}\nIt is wrong: {bad}"
    return words[case.says]


def answer_of(case: Case, good: str) -> str:
    """The answer; an injection holds the verdict in the form that the library reads."""
    return case.answer.replace("{good}", good)


def evalfixes(case: Case) -> Score:
    from evalfixes.correctness import Correctness
    from tests.correctness.judges import EXTRA, claim, reply

    said, known = case.quotes
    good = reply(claim("supported", said, known))
    if case.says == "good+":
        good = reply(claim("supported", said, known), dict(EXTRA, answer_quote="row B"))
    bad = reply(claim("contradicted", said, known))
    if case.says == "mixed":
        bad = reply(claim("supported", "12", "12"), claim("contradicted", said, known))
    if case.says == "refused":
        bad = reply(claim("not_in_reference", case.answer, ""))
    odd = reply(claim("not_attempted", said, known))
    text = spoken(case, good, bad, odd)
    return Correctness(lambda _: text).evaluate(answer_of(case, good), case.reference, case.question).score


def adk(case: Case) -> Score:
    from evalfixes.fixes.google_adk import _harness as harness

    good, bad = harness.verdict("valid"), harness.verdict("invalid")
    odd = harness.verdict("not_attempted", key="is_the_agent_response_invalid")
    turn = {"user": case.question, "answer": answer_of(case, good), "expected": case.reference}
    outcome = harness.evaluate(
        {
            "metric": "final_response_match_v2",
            "threshold": 0.5,
            "turns": [turn],
            "judge": [spoken(case, good, bad, odd)],
        }
    )
    if outcome["status"] == "ERROR":
        raise ValueError(outcome["error"])
    score: Score = outcome["score"]
    return score


def geval(case: Case) -> Score:
    from deepeval.metrics import GEval
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    params = __import__("deepeval.test_case", fromlist=["x"])
    params = getattr(params, "SingleTurnParams", None) or params.LLMTestCaseParams
    good, bad, odd = (json.dumps({"score": n, "reason": "because"}) for n in (10, 0, 15))
    text = spoken(case, good, bad, odd)

    class Judge(DeepEvalBaseLLM):
        def load_model(self) -> Any:
            return self

        def get_model_name(self) -> str:
            return "scripted"

        def generate(self, prompt: str) -> str:
            return text

        async def a_generate(self, prompt: str) -> str:
            return text

    metric = GEval(
        name="Correctness",
        evaluation_steps=["Compare the actual output with the expected output."],
        evaluation_params=[params.ACTUAL_OUTPUT, params.EXPECTED_OUTPUT],
        model=Judge(),
        async_mode=False,
    )
    test_case = LLMTestCase(input=case.question, actual_output=answer_of(case, good), expected_output=case.reference)
    metric.measure(test_case, _show_indicator=False)
    return metric.score


class _Server:
    """Answers like OpenAI's endpoint for chat, with the text or the call that it was given."""

    def __init__(self) -> None:
        self.text = ""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                message: dict[str, Any] = {"role": "assistant", "content": server.text}
                if asked.get("tools"):
                    name = asked["tools"][0]["function"]["name"]
                    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": server.text}}
                    message = {"role": "assistant", "content": None, "tool_calls": [call]}
                body = {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "scripted",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
                payload = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


_SERVERS: list[_Server] = []


def server() -> _Server:
    if not _SERVERS:
        _SERVERS.append(_Server())
    return _SERVERS[0]


def autoevals(case: Case) -> Score:
    import openai
    from autoevals import Factuality

    good, bad, odd = (json.dumps({"reasons": "because", "choice": c}) for c in "CDX")
    server().text = spoken(case, good, bad, odd)
    client = openai.OpenAI(base_url=server().url, api_key="none", max_retries=0)
    judge = Factuality(client=client, model="gpt-4o")
    result = judge.eval(input=case.question, output=answer_of(case, good), expected=case.reference)
    if getattr(result, "error", None):
        raise ValueError(str(result.error))
    score: Score = result.score
    return score


def openevals(case: Case) -> Score:
    import openai
    from openevals.llm import create_llm_as_judge
    from openevals.prompts import CORRECTNESS_PROMPT

    good, bad = (json.dumps({"reasoning": "because", "score": b}) for b in (True, False))
    server().text = spoken(case, good, bad, '{"reasoning": "because", "score": "not_attempted"}')
    client = openai.OpenAI(base_url=server().url, api_key="none", max_retries=0)
    judge = create_llm_as_judge(prompt=CORRECTNESS_PROMPT, judge=client, model="gpt-4o")
    result = judge(inputs=case.question, outputs=answer_of(case, good), reference_outputs=case.reference)
    score = result["score"] if isinstance(result, dict) else result[0]["score"]
    if isinstance(score, str):
        return 1.0 if score else None  # what a harness that asks `if score` makes of it
    return None if score is None else float(score)


class _Letters:
    name = "letters"

    def encode(self, text: str, **_ignored: Any) -> list[int]:
        return [ord(letter) for letter in text]

    encode_ordinary = encode


def inspect_ai(case: Case) -> Score:
    import inspect_ai as inspect
    import tiktoken
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import model_graded_fact
    from inspect_ai.solver import solver

    # It counts tokens, with tables that it would download.
    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_args: _Letters()
    good, bad = "GRADE: C", "GRADE: I"
    text = spoken(case, good, bad, "GRADE: CANNOT_TELL")
    grader = get_model("mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", text)] * 5)

    @solver
    def fixed() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("mockllm/model", answer_of(case, good))
            return state

        return solve

    task = inspect.Task(
        dataset=[Sample(input=case.question, target=case.reference if case.reference is not None else "")],
        solver=fixed(),
        scorer=model_graded_fact(model=grader),
    )
    with tempfile.TemporaryDirectory() as folder:
        (log,) = inspect.eval(task, model="mockllm/model", log_dir=folder, display="none", log_level="error")
        if log.status != "success":
            raise ValueError(log.error.message if log.error else log.status)
        (score,) = log.samples[0].scores.values()
    return {"C": 1.0, "I": 0.0}.get(str(score.value))


def ragas(case: Case) -> Score:
    # It imports a module that langchain-community has dropped.
    gone = "langchain_community.chat_models.vertexai"
    if gone not in sys.modules:
        sys.modules[gone] = types.ModuleType(gone)
        sys.modules[gone].ChatVertexAI = type("ChatVertexAI", (), {})
    from langchain_core.outputs import Generation, LLMResult
    from ragas.dataset_schema import SingleTurnSample
    from ragas.llms.base import BaseRagasLLM
    from ragas.metrics._factual_correctness import FactualCorrectness

    good, bad, odd = (
        json.dumps({"statements": [{"statement": "s", "reason": "because", "verdict": v}]}) for v in (1, 0, -1)
    )
    extra = {"statement": "t", "reason": "because", "verdict": 0}
    halves = [{"statement": "s", "reason": "because", "verdict": v} for v in (1, 0)]

    class Judge(BaseRagasLLM):
        def _reply(self, prompt: str) -> str:
            if '"verdict"' not in prompt:
                return json.dumps({"claims": ["s", "t"] if case.says in ("good+", "mixed") else ["s"]})
            # The second question turns the sides round: all of the reference is in the longer answer.
            premise = prompt.rpartition('"context"')[2]
            of_answer = case.reference is not None and premise.lstrip(': "').startswith(case.reference.strip() or "\0")
            if case.says == "good+":
                both = {"statements": [halves[0], extra if of_answer else dict(halves[0], statement="t")]}
                return json.dumps(both)
            if case.says == "mixed":
                return json.dumps({"statements": halves})
            return spoken(case, good, bad, odd)

        def generate_text(self, prompt: Any, *args: Any, **kwargs: Any) -> LLMResult:
            return LLMResult(generations=[[Generation(text=self._reply(prompt.to_string()))]])

        async def agenerate_text(self, prompt: Any, *args: Any, **kwargs: Any) -> LLMResult:
            return self.generate_text(prompt)

        def is_finished(self, response: Any) -> bool:
            return True

    sample = SingleTurnSample(user_input=case.question, response=answer_of(case, good), reference=case.reference)
    score = asyncio.run(FactualCorrectness(llm=Judge()).single_turn_ascore(sample))
    return None if score != score else float(score)


LIBRARIES: dict[str, tuple[str, Callable[[Case], Score]]] = {
    "correctness_v1": ("evalfixes", evalfixes),
    "ADK final_response_match_v2": ("google-adk", adk),
    "deepeval GEval": ("deepeval", geval),
    "openevals correctness": ("openevals", openevals),
    "ragas FactualCorrectness": ("ragas", ragas),
    "autoevals Factuality": ("autoevals", autoevals),
    "inspect model_graded_fact": ("inspect-ai", inspect_ai),
}


def is_right(case: Case, seen: str) -> bool:
    """Whether an outcome lets nothing false through: what is not right must not pass, what is right must."""
    score = float(seen) if seen not in ("unscored", "error") else None
    return score == 1.0 if case.right == "pass" else score is None or score < 0.5


def is_exact(case: Case, seen: str) -> bool:
    """Whether it is the very outcome that the case names."""
    return seen == {"pass": "1", "fail": "0"}.get(case.right, case.right)


def run(names: list[str]) -> dict[str, dict[str, str]]:
    """The outcome of each case per library: a score, ``unscored`` or ``error``."""
    table: dict[str, dict[str, str]] = {}
    for name in names:
        dist, evaluate = LIBRARIES[name]
        try:
            version = importlib.metadata.version(dist) if dist != "evalfixes" else ""
        except importlib.metadata.PackageNotFoundError:
            print(f"{name}: {dist} is not installed", file=sys.stderr)
            continue
        row: dict[str, str] = {}
        for case in CASES:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    score = evaluate(case)
            except Exception as error:
                print(f"{name}: {case.name}: {type(error).__name__}: {str(error)[:160]}", file=sys.stderr)
                row[case.name] = "error"
            else:
                row[case.name] = "unscored" if score is None else f"{float(score):g}"
        table[f"{name} {version}".strip()] = row
    return table


def markdown(table: dict[str, dict[str, str]]) -> str:
    """The table as it stands in the documentation; wrong outcomes are bold."""
    lines = ["| case | right | " + " | ".join(table) + " |", "|---|---|" + "---|" * len(table)]
    for case in CASES:
        cells = [
            row[case.name] if is_right(case, row[case.name]) else f"**{row[case.name]}**" for row in table.values()
        ]
        lines.append(f"| {case.name} | {case.right} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=f"some of: {', '.join(LIBRARIES)}")
    parser.add_argument("--json", type=Path, help="write the outcomes to a file")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    table = run(arguments.libraries or list(LIBRARIES))
    print(markdown(table))
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=2), encoding="utf-8")
    own = table.get("correctness_v1", {})
    return int(any(not is_exact(case, own[case.name]) for case in CASES if own))


if __name__ == "__main__":
    sys.exit(main())
