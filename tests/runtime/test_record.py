"""Which fixes scored a result: the side file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evalfixes
from evalfixes.runtime import record
from tests.runtime.toy import Toy


def test_the_record(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    monkeypatch.setenv("EVALFIXES_RECORD", str(path))
    monkeypatch.setattr(record.atexit, "register", lambda function: None)  # type: ignore[attr-defined]
    monkeypatch.setattr(record, "_arranged", False)
    evalfixes.apply(rejudge=0)
    record.write()
    assert not path.exists(), "nothing of an upstream was imported"
    import toyeval.metric  # type: ignore[import-not-found]  # noqa: F401

    record.write()
    record.write()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 2
    assert (lines[0]["evalfixes"], lines[0]["fixes"]) == (evalfixes.__version__, ["toy-score"])
    assert lines[0]["releases"] == {"toyeval": "1.0.0"}
    assert lines[0]["options"]["rejudge"] == 0
    assert record.stamp("other") == {"version": evalfixes.__version__, "fixes": []}


def test_a_file_that_cannot_be_written_harms_nothing(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVALFIXES_RECORD", str(tmp_path))
    monkeypatch.setattr(record.atexit, "register", lambda function: None)  # type: ignore[attr-defined]
    monkeypatch.setattr(record, "_arranged", False)
    evalfixes.apply()
    import toyeval.metric  # noqa: F401

    record.write()
    assert f"EVALFIXES_RECORD={str(tmp_path)!r} cannot be written" in capsys.readouterr().err


def test_the_log_names_what_is_put_in_place(toy: Toy, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "evalfixes"):
        evalfixes.apply()
        import toyeval.metric  # noqa: F401
    assert caplog.messages == [f"evalfixes {evalfixes.__version__} repairs toyeval.metric: toy-score"]
