"""`evalfixes rescore`: exit codes, formats, and what it refuses."""

import json
import sys

import pytest

from evalfixes.cli import main
from tests.rescoring.stored import FAILED, answered, content, history, thought

pytest.importorskip("nltk")

GOOD = answered(content("Paris"), content("Paris"), 1.0)
BAD = answered(
    content(thought("Paris of France"), "London"), content(thought("Paris of France"), "Paris"), 0.75, threshold=0.5
)
OTHER = answered(content("London"), content("Paris"), 0.0, FAILED)


@pytest.fixture
def folder(tmp_path):
    def write(*cases):
        target = tmp_path / "app" / ".adk" / "eval_history"
        target.mkdir(parents=True, exist_ok=True)
        (target / "app_s_1.evalset_result.json").write_text(json.dumps(history(*cases)))
        return str(tmp_path / "app")

    return write


def test_nothing_falls(folder, capsys):
    assert main(["rescore", folder(GOOD, OTHER)]) == 0
    assert "2 records, 1 past pass: 0 do not stand, 1 stand, 0 cannot be known" in capsys.readouterr().out


def test_a_pass_that_falls(folder, capsys):
    assert main(["rescore", folder(GOOD, BAD, "rubbish")]) == 1
    out = capsys.readouterr().out
    assert "PASSED -> FAILED" in out
    assert "0.75 PASSED -> 0 FAILED (private thoughts were compared as if they were the answer)" in out
    assert "eval_case_results[2]: is str, not a table" in out


def test_json(folder, capsys):
    assert main(["rescore", folder(GOOD, BAD, "rubbish"), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [c.get("stands", "skipped") for c in document["cases"]] == [True, False, "skipped"]
    assert document["summary"]["passes_that_do_not_stand"] == 1
    assert document["summary"]["skipped"] == 1
    assert document["schema_version"] == 1


def test_json_of_nothing(tmp_path, capsys):
    (tmp_path / "x.json").write_text("{}")
    assert main(["rescore", str(tmp_path), "--format", "json"]) == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["summary"]["records"] == 0
    assert "nothing was rescored" in captured.err


def test_out(folder, tmp_path, capsys):
    assert main(["rescore", folder(GOOD, BAD), "--out", str(tmp_path / "out")]) == 1
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    assert [json.loads(line)["stands"] for line in lines] == [True, False]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["records"] == 2


def test_references_from_a_file(tmp_path, capsys):
    (tmp_path / "r.jsonl").write_text('{"question": "q", "answer": "Lyon", "score": 1}\n')
    for name, text in (("a.json", '{"q": "Paris"}'), ("b.jsonl", '{"question": "q", "reference": "Paris"}\n')):
        (tmp_path / name).write_text(text)
        assert main(["rescore", str(tmp_path / "r.jsonl"), "--refs", str(tmp_path / name)]) == 1


ROWS = "".join(
    json.dumps({"question": f"q{n}", "answer": "Lyon", "reference": "Paris", "score": n, "model": m}) + "\n"
    for n in (0, 1)
    for m in "ab"
)


def test_without_the_extras(folder, tmp_path, capsys, monkeypatch):
    (tmp_path / "r.jsonl").write_text(ROWS)
    for name in ("scipy", "matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["rescore", str(tmp_path / "r.jsonl")]) == 1
    assert "a leaderboard needs scipy: pip install 'evalfixes[report]'" in capsys.readouterr().out
    assert main(["rescore", str(tmp_path / "r.jsonl"), "--format", "html"]) == 3
    assert "needs matplotlib: pip install 'evalfixes[report]'" in capsys.readouterr().err
    for name in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("evalfixes.rescoring.rouge._stemmer", None)
    monkeypatch.setattr("evalfixes.rescoring.rouge._stems", {})
    assert main(["rescore", folder(GOOD)]) == 3
    assert "ROUGE needs the stemmer of nltk" in capsys.readouterr().err


def test_a_judge_beside_the_results(tmp_path, capsys, monkeypatch):
    (tmp_path / "r.jsonl").write_text(ROWS)
    (tmp_path / "judge_of_mine.py").write_text("def ask(prompt):\n    return 'no JSON'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", str(tmp_path))])
    assert main(["rescore", "r.jsonl", "--metric", "correctness_v1", "--judge", "judge_of_mine:ask"]) == 1
    assert "unreadable" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--jobs", "0"], "at least one process"),
        (["--out", "{in}/results"], "lies inside"),
        (["--refs", "{in}/nowhere.json"], "cannot be read"),
        (["--metric", "correctness_v1"], "--judge"),
        (["--metric", "correctness_v1", "--judge", "os:nothing"], "no judge"),
        (["--incomplete", "maybe"], "invalid choice"),
    ],
)
def test_refusals(tmp_path, capsys, arguments, message):
    (tmp_path / "r.jsonl").write_text('{"question": "q", "answer": "Lyon", "reference": "Paris", "score": 1}\n')
    try:
        code = main(["rescore", str(tmp_path), *(a.replace("{in}", str(tmp_path)) for a in arguments)])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 3
    assert message in capsys.readouterr().err
