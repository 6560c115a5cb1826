"""On a cluster of processes: the same results, also when a worker is killed midway."""

import json
import os
import signal

import pytest

from evalfixes.rescoring import rescore
from tests.rescoring.stored import answered, content, history

pytest.importorskip("nltk")
distributed = pytest.importorskip("distributed")

GOOD = answered(content("Paris"), content("Paris"), 1.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_is_killed_and_nothing_is_lost_or_counted_twice(tmp_path):
    from evalfixes.rescoring.cluster import rescore_on

    for index in range(120):
        cases = [{**GOOD, "eval_id": f"{index}-{number}"} for number in range(5)]
        (tmp_path / f"{index:03}.json").write_text(json.dumps(history(*cases, "damaged")))
    rows = "".join(json.dumps({"question": str(n), "answer": "a", "reference": "a"}) + "\n" for n in range(2_000))
    (tmp_path / "z.jsonl").write_text(rows)
    expected = list(rescore([str(tmp_path)]))
    assert len(expected) == 120 * 6 + 2_000
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = []
        killed = None
        for outcome in rescore_on(client, [str(tmp_path)]):
            found.append(outcome)
            if len(found) == 60:
                killed = min(client.run(os.getpid).values())
                os.kill(killed, signal.SIGKILL)
        assert killed is not None
        assert found == expected
