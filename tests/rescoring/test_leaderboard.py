"""What the data say of an order, and what they do not: shown on public leaderboards."""

import csv
import itertools
import json
import math
import random

import pytest

from evalfixes.rescoring import Options, rescore
from evalfixes.rescoring.leaderboard import Collected, board, leaderboard
from evalfixes.rescoring.report_text import board_lines
from evalfixes.rescoring.statistics import bca, holm, sign_flip
from evalfixes.rescoring.summary import Summary
from tests.shared import data

pytest.importorskip("scipy")


def boards(path, **options):
    collected = Collected()
    for outcome in rescore([str(path)], Options(**options)):
        collected.add(outcome)
    return leaderboard(collected)


def means(made):
    return {standing.model: standing.mean for standing in made.standings}


def test_a_published_leaderboard_comes_out():
    path = data("netbox_v3_scores.csv")
    published = json.loads(data("netbox_published_tables.json").read_text())["per_model"]
    found = boards(path, old="old_completeness", metric="new_correctness")
    old, new = means(found.old), means(found.new)
    assert len(published) == 9
    for model, (before, after, _) in published.items():
        assert (round(old[model], 3), round(new[model], 3)) == (before, after)
    assert round(found.tau_b, 3) == 0.588
    assert not any(pair.separate for pair in (*found.new.pairs, *found.old.pairs))
    assert len(found.new.pairs) == 36
    assert all(pair.interval is None for pair in found.new.pairs), "6 questions bear no interval"
    assert [len(group) for group in found.new.groups] == [9]
    assert (found.new.standings[3].rank, found.new.standings[4].rank, found.new.standings[5].rank) == (4, 4, 6)


# What a percentile bootstrap would have claimed on the same six questions.
def test_why_there_is_no_bootstrap_at_six():
    np = pytest.importorskip("numpy")
    with data("netbox_v3_scores.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    models = list(dict.fromkeys(row["model"] for row in rows))
    scores = {m: np.array([float(r["new_correctness"]) for r in rows if r["model"] == m]) for m in models}
    every = np.array(list(itertools.product(range(6), repeat=6)))
    claimed = 0
    for first, second in itertools.combinations(models, 2):
        low, high = np.percentile((scores[first] - scores[second])[every].mean(axis=1), [2.5, 97.5])
        claimed += bool(low > 0 or high < 0)
    assert claimed == 11


def test_the_nine_answers_that_had_been_certified():
    summary = Summary()
    for outcome in rescore(
        [str(data("netbox_v3_scores.csv"))], Options(old="old_completeness", metric="new_correctness")
    ):
        summary.add(outcome)
    assert summary.fallen == 9
    assert all(case.metrics[0].old_score >= 0.7 and case.metrics[0].new_score <= 0.5 for case in summary.cases)
    assert summary.exit_code == 1


def test_a_cell_without_a_verdict_raises_nobody():
    path = data("netbox_v4_replicates.csv")
    found = boards(path, old="completeness", metric="correctness")
    scored = {standing.model: (standing.scored, standing.total) for standing in found.new.standings}
    assert sorted(scored.values()) == [(23, 24), (24, 24)]
    assert found.new.runs == 4
    assert set(found.new.intervals) == set(scored)
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    (hole,) = [row for row in rows if row["correctness"] in ("", "None")]
    one_run = Collected()
    for outcome in rescore([str(path)], Options(old="completeness", metric="correctness")):
        if outcome.run == hole["run"]:
            one_run.add(outcome)
    (standing,) = [s for s in board(one_run.new).standings if s.model == hole["model"]]
    assert (standing.scored, standing.total) == (5, 6)
    given = [
        float(r["correctness"])
        for r in rows
        if r["run"] == hole["run"] and r["model"] == hole["model"] and r is not hole
    ]
    assert standing.mean == pytest.approx(sum(given) / 6)
    assert standing.mean <= sum(given) / 5
    assert standing.high == pytest.approx((sum(given) + 1) / 6)


# A step of a mean difference is 1/180 there; the BCa interval lies within one of the published percentiles.
def test_ninety_questions(tmp_path):
    stored = json.loads(data("netbox_v5_scores.json").read_text())
    rows = [
        json.dumps({"model": model, "question": str(index), "judged": score})
        for model, scores in stored["correctness"].items()
        for index, score in enumerate(scores)
    ]
    (tmp_path / "v5.jsonl").write_text("\n".join(rows))
    (pair,) = boards(tmp_path / "v5.jsonl", metric="judged").new.pairs
    assert pair.questions == 90
    assert round(pair.difference, 3) == 0.028
    assert pair.interval == pytest.approx((-0.033, 0.089), abs=1 / 180)
    assert not pair.separate


@pytest.mark.parametrize("name, tau", [("NQ", -0.74), ("TQ", -0.60)])
def test_exact_match_against_people(tmp_path, name, tau):
    answerers = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
    rows = []
    for row in json.loads(data("evouna", f"{name}.json").read_text(encoding="utf-8")):
        if row.get("improper"):
            continue
        reference = row["golden_answer"].split("/")
        for answerer in answerers:
            if row[f"judge_{answerer}"] is not None:
                made = {"model": answerer, "question": row["question"], "reference": reference}
                rows.append(
                    json.dumps({**made, "answer": row[f"answer_{answerer}"], "human": row[f"judge_{answerer}"]})
                )
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    found = boards(tmp_path / "rows.jsonl", old="exact_match", metric="human")
    assert round(found.tau_b, 2) == tau
    closest = found.new.closest
    assert {closest.first, closest.second} == {"gpt4", "newbing"}
    assert not closest.separate
    assert ("gpt4", "newbing") in [tuple(sorted(group)) for group in found.new.groups]
    assert "not separable" in "\n".join(board_lines(found))


def test_sign_flips_are_exact():
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0
    assert sign_flip([1.0] * 6) == pytest.approx(2 / 64)
    assert sign_flip([0.5, 1.0, 0.25]) == pytest.approx(2 / 8)
    assert sign_flip([1.0] * 6 + [0.0] * 100) == pytest.approx(2 / 64)
    assert sign_flip([1.0, 0.5] * 40) < 0.001
    rnd = random.Random(1)
    for _ in range(20):
        found = [rnd.choice([-1, -0.5, 0.25, 0.5, 1]) for _ in range(9)]
        flipped = [
            sum(d * s for d, s in zip(found, signs, strict=True)) for signs in itertools.product((1, -1), repeat=9)
        ]
        assert sign_flip(found) == pytest.approx(sum(abs(f) >= abs(sum(found)) - 1e-9 for f in flipped) / 512)
    odd = [math.pi * n for n in (1, 2, -3, 5)]
    assert sign_flip(odd) == pytest.approx(sign_flip([1, 2, -3, 5]))


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_no_interval_below_twenty():
    assert bca([0.0, 1.0] * 9) is None
    assert bca([0.0, 1.0] * 10) is not None
    assert bca([0.5] * 30) is None
