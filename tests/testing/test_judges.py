"""The judges: answers by shape, recordings, and what stands between them and a metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalfixes.testing import (
    MOODS,
    Exchange,
    JudgeFailedError,
    RecordingError,
    Replay,
    Reply,
    Scripted,
    Tap,
    UnknownPromptError,
    audit_callable,
    recorder,
    recordings,
)
from tests.testing.toys import lenient, strict


@pytest.mark.parametrize(
    "prompt, good, bad",
    [
        ('Answer {"verdict": "yes"}', {"verdict": "yes"}, {"verdict": "no"}),
        ('Answer {"verdict": "yes" or "no", "reason": "..."}', {"verdict": "yes"}, {"verdict": "no"}),
        ('JSON: {"score": <number>}, a number from 1 to 5', {"score": 5}, {"score": 1}),
        ('{"valid": true}', {"valid": True}, {"valid": False}),
        ('Return [{"label": "supported|unsupported"}]', [{"label": "supported"}] * 2, [{"label": "unsupported"}] * 2),
    ],
)
def test_an_example_in_the_prompt_is_followed(prompt: str, good: Any, bad: Any) -> None:
    def known(value: Any) -> Any:
        if isinstance(value, list):
            return [known(entry) for entry in value]
        return {key: inner for key, inner in value.items() if key != "reason"}

    assert known(json.loads(Scripted("good")(prompt))) == good
    assert known(json.loads(Scripted("bad")(prompt))) == bad


def test_other_shapes() -> None:
    assert Scripted("bad")("End with GRADE: C or GRADE: I").endswith("GRADE: I")
    assert Scripted("good")("Give a number from 0 to 10.") == "10"
    assert Scripted("bad")("Is it right? Yes or no.") == "no"
    with pytest.raises(UnknownPromptError, match="--recordings FILE"):
        Scripted("good")("Tell me a story.")


def test_a_schema_is_followed() -> None:
    schema = {
        "type": "object",
        "properties": {
            "verdicts": {"type": "array", "items": {"$ref": "#/$defs/V"}},
            "score": {"type": "integer", "minimum": 1, "maximum": 5},
            "ok": {"type": "boolean"},
        },
        "$defs": {
            "V": {"type": "object", "properties": {"verdict": {"enum": ["TP", "FP"]}, "reason": {"type": "string"}}}
        },
    }
    table = json.loads(Scripted("bad")("?", schema))
    assert [entry["verdict"] for entry in table["verdicts"]] == ["FP", "FP"]
    assert (table["score"], table["ok"]) == (1, False)
    assert len({Scripted(mood)("?", schema) for mood in MOODS}) == len(MOODS)


def test_the_tap_replaces_one_call_and_keeps_all() -> None:
    tap = Tap({1: Reply("no")})
    judge = tap.judge(lambda prompt: "yes")
    assert [judge("a"), judge("b"), judge("c")] == ["yes", "no", "yes"]
    assert tap.exchanges[1] == Exchange("b", Reply("no"))
    for lost in (Reply(error="503"), Reply(lost=True)):
        with pytest.raises(JudgeFailedError):
            Tap({0: lost}).judge(lambda prompt: "yes")("a")


def test_recordings_of_a_real_judge_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    calls = iter(['{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}'] * 2)
    live = recorder(lambda prompt: next(calls), path)
    assert lenient(live) == strict(live) == (0.5, False)
    read = recordings(path)
    assert len(read) == 2
    found = audit_callable(lenient, read[:1])
    assert {finding.baseline.name for finding in found.findings} == {"recorded"}
    assert found.smallest()[0].exchange.reply.text == read[0].reply.text


def test_replies_to_one_prompt_come_in_their_order() -> None:
    replay = Replay([Exchange("a", Reply("1")), Exchange("a", Reply("2")), Exchange("question of b?", Reply("3"))])
    assert [replay("a"), replay("a"), replay("a"), replay("question of x?")] == ["1", "2", "2", "3"]


@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "holds no recording"),
        ("{", "line 1 is no JSON"),
        ('{"prompt": "a"}', 'line 1 needs "prompt" and "reply"'),
        ('\n{"prompt": "a", "reply": 1}', 'line 2 needs "prompt" and "reply"'),
    ],
)
def test_what_is_wrong_with_recordings_is_said(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(RecordingError, match=problem):
        recordings(path)
    with pytest.raises(RecordingError, match="cannot be read"):
        recordings(tmp_path / "none.jsonl")
