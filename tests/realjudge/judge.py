"""A judge behind HTTP that records what a model says, or says again what was recorded.

`Judge` is a server on a loopback port that speaks the part of the OpenAI protocol that judges need.
The name of the model in a request says which evaluation asks: ``metric.case.side``. A recording is found
by metric, case, prompt and how often this side has asked it before; so upstream and evalfixes, which
put the same prompt first, get the same reply.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import urllib.request
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from evalfixes.fixes.google_adk._harness import response_of, segments, split

SEED = 15
TOKENS = 112
"""The longest reply, in tokens."""
REPEATS = 3
"""A small model often says one thing for ever: after so many repetitions the connection is closed."""
TEMPERATURE = 0.2
"""For metrics that set none."""
MODELS = ("gemma3", "smollm2")
STOP = {"smollm2": [], "gemma3": ["\n**", "\n# ", "\n## ", "<user_prompt>", "\n\n\n"]}
"""A base model does not end by itself: where its completion begins another example, it is cut off."""
BEGUN = {
    "gemma3": {
        "segment": "<sentence>",
        "validate": "sentence:",
        "match": '{\n  "reasoning": "',
        "rubric": "ID:",
        "claims of correctness": '{"reference_checkable": true, "claims": [{"claim": "',
        "violations": '{\n  "role_violations": [',
        "verdicts": '{\n  "verdicts": [\n    {\n      "verdict": "',
        "truths": '{\n  "truths": ["',
        "claims": '{\n  "claims": ["',
        "score": '{\n  "score":',
    }
}
"""Base models, whose prompts are completed as they are: a reply is begun with the first word of the form asked for."""
RECORDINGS = Path(__file__).resolve().parent / "recordings"

_SEEN = 400
_CIRCLE = re.compile(rf"(.{{12,}}?)\1{{{REPEATS},}}\Z", re.DOTALL)
_TOKEN = re.compile(r"\b[0-9a-f]{24}\b")

Key = tuple[str, str, str, int]


class Judge:
    """The server; used as a context manager.

    Args:
        model: The model, a key of `STOP` and the name of its file of recordings.
        address: Where the model is served; without one, only recordings are given.
        folder: Where the recordings are; None for a judge that has none.

    Attributes:
        base_url: The address for OpenAI clients.
        asked: The keys of all requests so far, in order.
        refused: Requests that no recording answers, where no model is served.
        queues: Replies in their order by label, whatever the prompts; the last one again and again.
    """

    def __init__(self, model: str, address: str = "", folder: Path | None = RECORDINGS) -> None:
        self.model = model
        self.asked: list[Key] = []
        self.refused: list[Key] = []
        self._address = address
        self._path = folder / f"{model}.jsonl" if folder is not None else None
        self.replies = load(self._path) if self._path is not None else {}
        self.queues: dict[str, list[str]] = {}
        self._rounds: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        judge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = judge.answer(body)
                status = 404 if reply is None else 200  # clients ask again after a 503
                said: dict[str, Any] = {"error": {"message": "not recorded"}}
                if reply is not None:
                    said = completion(body["model"], reply)
                data = json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Judge:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def begin(self, label: str) -> None:
        """An evaluation begins: what was asked under this label before does not count."""
        for known in [known for known in self._rounds if known[0] == label]:
            del self._rounds[known]

    def answer(self, body: Mapping[str, Any]) -> str | None:
        """The reply to a request; None if there is no recording and no model."""
        label = str(body["model"])
        metric, case, _ = label.split(".")
        prompt = text_of(body["messages"])
        with self._lock:
            digest = digest_of(prompt)
            count = self._rounds.get((label, digest), 0)
            self._rounds[label, digest] = count + 1
            key = (metric, case, digest, count)
            self.asked.append(key)
            if metric.endswith("_segments_given") and kind(prompt) == "segment":
                return segments(*split(response_of(prompt)))
            if queue := self.queues.get(label):
                return queue.pop(0) if len(queue) > 1 else queue[0]
            if key in self.replies:
                return self.replies[key]
            if not self._address or self._path is None:
                self.refused.append(key)
                return None
            reply = self._ask(body, prompt, count)
            self.replies[key] = reply
            row = {"metric": metric, "case": case, "prompt": digest, "n": count, "kind": kind(prompt), "reply": reply}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            return reply

    def _ask(self, body: Mapping[str, Any], prompt: str, count: int) -> str:
        begun = BEGUN.get(self.model, {}).get(kind(prompt), "")
        if self.model in BEGUN:
            path, put = "completions", {"prompt": f"{prompt}\n{begun}"}
        else:
            path, put = "chat/completions", {"messages": [{"role": "user", "content": prompt}]}
        request = {
            **put,
            "max_tokens": TOKENS,
            "temperature": body.get("temperature", TEMPERATURE),
            "seed": SEED + count,
            "stop": STOP[self.model],
            "cache_prompt": True,
            "stream": True,
        }
        sent = urllib.request.Request(
            f"{self._address}/v1/{path}",
            json.dumps(request).encode(),
            {"Content-Type": "application/json"},
        )
        reply = begun
        with urllib.request.urlopen(sent, timeout=300) as answer:
            for line in answer:
                if not line.startswith(b"data: {"):
                    continue
                choices = json.loads(line[6:])["choices"]
                if choices:
                    reply += choices[0].get("text") or choices[0].get("delta", {}).get("content") or ""
                if loops(reply):
                    break
        return reply


def loops(reply: str) -> bool:
    """Whether a reply ends with the same line, or the same words, again and again."""
    lines = [line.strip() for line in reply.split("\n") if line.strip()]
    if len(lines) > REPEATS and len(set(lines[-REPEATS - 1 : -1])) == 1:
        return True
    return _CIRCLE.search(reply[-_SEEN:]) is not None


KINDS = {
    "segment": "segment the response into sentences",
    "validate": "**Sentences Begin**",
    "match": "is_the_agent_response_valid",
    "rubric": "<properties>",
    "claims of correctness": "reference_checkable",
    "violations": "'role_violations' key",
    "verdicts": "'verdicts' key",
    "truths": '"truths" key',
    "claims": '"claims" key',
    "score": "evaluation steps",
}
"""Kinds of prompts, by a text that stands in each, whatever its capitals."""


def kind(prompt: str) -> str:
    """What a prompt asks for; empty if it is none of `KINDS`."""
    folded = prompt.casefold()
    return next((name for name, text in KINDS.items() if text.casefold() in folded), "")


def load(path: Path) -> dict[Key, str]:
    """The replies of a file of recordings."""
    return {(row["metric"], row["case"], row["prompt"], row["n"]): row["reply"] for row in rows(path)}


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of recordings; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def digest_of(prompt: str) -> str:
    """What a prompt is known by; random fences of correctness_v1 do not count."""
    return hashlib.sha256(_TOKEN.sub("token", prompt).encode()).hexdigest()[:16]


def text_of(messages: list[Mapping[str, Any]]) -> str:
    """The text of a request."""
    texts = []
    for message in messages:
        content = message["content"]
        texts.append(content if isinstance(content, str) else "".join(part.get("text", "") for part in content))
    return "\n".join(texts)


def completion(model: str, reply: str) -> dict[str, Any]:
    """A response of the protocol."""
    return {
        "id": "recorded",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }
