"""Audits of metrics whose faults are known."""

from __future__ import annotations

import pytest

from evalfixes.testing import (
    DEAF,
    GREENER,
    KEEPS,
    LOSES,
    SAFE,
    NothingToAuditError,
    Outcome,
    audit_callable,
    classify,
    operator,
)
from evalfixes.testing.report import counterexample, counts, document
from tests.testing.toys import lenient, one_word, strict

BAD, GOOD = Outcome(0.2, False), Outcome(1.0, True)


@pytest.mark.parametrize(
    "base, seen, group, kind",
    [
        (BAD, Outcome(0.3, False), LOSES, GREENER),
        (BAD, Outcome(None, True), LOSES, GREENER),
        (BAD, Outcome(0.9, True), KEEPS, GREENER),
        (BAD, Outcome(0.2, False), KEEPS, SAFE),
        (BAD, Outcome(0.1, False), LOSES, SAFE),
        (BAD, Outcome(0.1, False), KEEPS, DEAF),
        (BAD, Outcome(None, False), LOSES, SAFE),
        (BAD, Outcome(None, False), KEEPS, DEAF),
        (GOOD, Outcome(0.5, False), LOSES, SAFE),
        (GOOD, Outcome(0.5, False), KEEPS, DEAF),
        (GOOD, Outcome(None, False), KEEPS, DEAF),
        (GOOD, Outcome(20.0, True), LOSES, GREENER),
        (GOOD, Outcome(float("inf"), True), LOSES, GREENER),
        (GOOD, Outcome(1.0 + 1e-12, True), LOSES, SAFE),
    ],
)
def test_how_outcomes_are_classified(base: Outcome, seen: Outcome, group: str, kind: str) -> None:
    assert classify(base, seen, group) == kind


def test_a_lenient_metric_is_found_out() -> None:
    found = audit_callable(lenient)
    greener = {finding.mutant.operator for finding in found.of(GREENER)}
    assert greener >= {"drop-item", "drop-all", "drop-key", "unknown-label", "error-object", "cut-off", "bold"}
    with pytest.raises(AssertionError, match=r"lenient: greener by drop-item"):
        found.check()


def test_a_strict_metric_is_not() -> None:
    found = audit_callable(strict)
    assert found.of(GREENER) == []
    found.check()
    assert {finding.mutant.operator for finding in found.of(DEAF)} >= {"bold", "capitals"}
    assert not {"fences", "key-order"} & {finding.mutant.operator for finding in found.of(DEAF)}
    with pytest.raises(AssertionError):
        found.check((GREENER, DEAF))


def test_a_lost_vote_is_seen() -> None:
    found = audit_callable(one_word, operators=[operator("exception"), operator("lost-call")])
    assert {(f.mutant.operator, f.baseline.name) for f in found.of(GREENER)} >= {("exception", "mixed")}
    # Each of three calls is lost once.
    assert {finding.call for finding in found.findings if finding.baseline.name == "mixed"} == {0, 1, 2}


def test_the_counts_add_up() -> None:
    rows = counts(audit_callable(lenient))
    for row in rows:
        assert int(row[2]) == sum(map(int, row[3:]))
    assert [sum(int(row[at]) for row in rows[:-1]) for at in range(2, 6)] == [int(n) for n in rows[-1][2:]]


def test_a_counterexample_says_all_that_is_needed() -> None:
    found = audit_callable(lenient, operators=[operator("drop-all")])
    (smallest,) = found.smallest()
    text = counterexample("lenient", smallest, "evalfixes 0")
    for part in ("lenient: greener by drop-all", "0, not passed", "1, passed", '{"verdicts": []}', "evalfixes 0"):
        assert part in text
    assert "Is each of these points true?" in text
    # The smallest: no other finding of this operator has shorter replies.
    assert smallest.size == min(finding.size for finding in found.of(GREENER))


def test_the_document_names_the_mutant() -> None:
    table = document(audit_callable(lenient, operators=[operator("drop-all"), operator("fences")]))
    assert table["counts"][GREENER] == sum(row[GREENER] for row in table["operators"])
    assert table["counterexamples"][0]["mutant"] == '{"verdicts": []}'


def test_a_metric_without_any_score_cannot_be_audited() -> None:
    def broken(judge: object) -> tuple[float | None, bool]:
        raise KeyError("verdicts")

    with pytest.raises(NothingToAuditError, match=r"broken: no score on any unmutated reply .*KeyError"):
        audit_callable(broken)


def test_what_run_has_to_return_is_said() -> None:
    with pytest.raises(NothingToAuditError, match=r"has to return \(score, passed\)"):
        audit_callable(lambda judge: 0.5)
