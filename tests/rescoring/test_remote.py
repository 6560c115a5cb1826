"""Result files behind URLs: in memory, and on a real object server that runs here."""

import json

import pytest

from evalfixes.rescoring import Problem, rescore
from tests.rescoring.stored import answered, content, history

pytest.importorskip("nltk")
fsspec = pytest.importorskip("fsspec")

GOOD = answered(content("Paris"), content("Paris"), 1.0)
ROW = json.dumps({"question": "q", "answer": "a", "reference": "a"}) + "\n"


def test_memory():
    system = fsspec.filesystem("memory")
    system.pipe("/rescoring/app/.adk/eval_history/a.evalset_result.json", json.dumps(history(GOOD)).encode())
    system.pipe("/rescoring/rows.jsonl", (ROW * 3).encode())
    system.pipe("/rescoring/notes.txt", b"not a result")
    results = list(rescore(["memory://rescoring"]))
    assert [result.kind for result in results] == ["adk", "rows", "rows", "rows"]
    assert all(result.place.file.startswith("memory://") for result in results)
    assert len(list(rescore(["memory://rescoring/rows.jsonl"]))) == 3


def test_what_cannot_be_reached():
    (problem,) = rescore(["nosuchprotocol://bucket/x.json"])
    assert isinstance(problem, Problem)
    assert "cannot be read" in problem.reason


@pytest.fixture(scope="module")
def bucket():
    server = pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    with pytest.MonkeyPatch.context() as environment:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            environment.setenv(name, "testing")
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
        running.start()
        host, port = running.get_host_and_port()
        environment.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        system = fsspec.filesystem("s3")
        system.mkdir("results")
        yield system
        running.stop()


def test_an_object_server(bucket):
    for index in range(3):
        name = f"results/app/.adk/eval_history/{index}.evalset_result.json"
        bucket.pipe(name, json.dumps(history(GOOD, {**GOOD, "eval_id": str(index)})).encode())
    bucket.pipe("results/broken.json", b"{")
    bucket.pipe("results/rows.jsonl", (ROW * 700).encode())
    before = {name: (info["size"], info["ETag"]) for name, info in bucket.find("results", detail=True).items()}
    found = list(rescore(["s3://results"]))
    problems = [outcome for outcome in found if isinstance(outcome, Problem)]
    assert len(found) == 3 * 2 + 700 + 1
    assert [problem.place.file for problem in problems] == ["s3://results/broken.json"]
    bucket.invalidate_cache()
    assert {name: (i["size"], i["ETag"]) for name, i in bucket.find("results", detail=True).items()} == before
