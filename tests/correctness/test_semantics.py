import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.correctness import Correctness, Reference
from evalfixes.errors import OptionError
from tests.correctness.judges import (
    ANSWER,
    EXTRA,
    GHOST,
    MINOR,
    REFERENCE,
    SUPPORTED,
    TRUE_DETAIL,
    WRONG,
    Script,
    async_of,
    claim,
    reply,
)


def judged(*claims, answer=ANSWER, reference=REFERENCE, **options):
    return Correctness(Script(reply(*claims)), **options).evaluate(answer, reference, "Which city?")


@pytest.mark.parametrize(
    "claims, score",
    [
        ([SUPPORTED], 1.0),
        ([SUPPORTED, EXTRA], 1.0),
        ([SUPPORTED, TRUE_DETAIL, EXTRA], 1.0),
        ([WRONG], 0.0),
        ([SUPPORTED, WRONG], 0.0),
        ([SUPPORTED] + [claim(text=f"true {i}") for i in range(50)] + [WRONG], 0.0),
        ([SUPPORTED, MINOR], 0.5),
        ([SUPPORTED, MINOR, dict(MINOR, claim="again", answer_quote="opened 1998")], 1 / 3),
        ([MINOR], 0.0),
        ([MINOR, TRUE_DETAIL], 0.0),
    ],
)
def test_the_score_is_the_documented_formula(claims, score):
    result = judged(*claims)
    assert (result.status, result.score) == ("scored", pytest.approx(score))
    assert result.passed(0.8) is (score >= 0.8)


def test_a_contradiction_is_named_with_both_quotes():
    result = judged(SUPPORTED, WRONG)
    assert 'the answer says "Lyon", the reference says "Paris"' in result.reason
    assert [(c.answer_quote, c.reference_quote) for c in result.contradictions] == [("Lyon", "Paris")]


@pytest.mark.parametrize(
    "reference", [None, "", " \n\t", "\u200b\ufeff", "\u00a0\u2003", "\u3164", [], [""], {"answer": " "}]
)
def test_without_a_reference_there_is_no_score_and_no_call(reference):
    judge = Script(reply(SUPPORTED))
    result = Correctness(judge).evaluate("Paris", reference)
    assert (result.status, result.score, judge.prompts) == ("no_reference", None, [])
    assert result.passed(0.0) is None


@pytest.mark.parametrize("answer", [None, "", "  \n", "\u200b", "\u2800"])
def test_an_empty_answer_is_unscored_or_wrong(answer):
    judge = Script(reply(SUPPORTED))
    assert Correctness(judge).evaluate(answer, "Paris").as_dict()["status"] == "empty_answer"
    assert Correctness(judge).evaluate(answer, "Paris").score is None
    assert Correctness(judge, empty_answer="wrong").evaluate(answer, "Paris").score == 0.0
    assert Correctness(judge, empty_answer="wrong").evaluate(answer, " ").score is None
    assert judge.prompts == []


@pytest.mark.parametrize("error", ["timeout", RuntimeError("no quota")])
def test_a_run_that_errored_is_not_judged(error):
    result = Correctness(Script(reply(SUPPORTED)), empty_answer="wrong").evaluate("Paris", "Paris", error=error)
    assert (result.status, result.score) == ("run_error", None)


@pytest.mark.parametrize("claims", [[EXTRA], [TRUE_DETAIL], [claim("not_in_reference", "I don't know", "")]])
def test_a_refusal_is_not_answered_and_never_right(claims):
    answer = "I don't know. It is in France and nice."
    assert judged(*claims, answer=answer).status == "not_answered"
    assert judged(*claims, answer=answer).score is None
    assert judged(*claims, answer=answer, empty_answer="wrong").score == 0.0


def test_nothing_to_check_is_unscored():
    result = judged()
    assert (result.status, result.score) == ("no_claim", None)


@pytest.mark.parametrize(
    "ghost",
    [
        GHOST,
        claim("contradicted", "Lyon", "Berlin"),
        claim("contradicted", "", ""),
        claim("contradicted", "Lyo", "Paris"),
    ],
)
def test_a_contradiction_without_its_quotes_is_unverified_and_counted(ghost):
    alone, beside = judged(ghost), judged(SUPPORTED, ghost)
    for result in (alone, beside):
        assert (result.status, result.score, result.unverified) == ("unverified", None, 1)
        assert result.contradictions == ()
    assert judged(SUPPORTED, ghost, unverified="ignore").score == 1.0
    assert judged(ghost, unverified="ignore").status == "not_answered"


def test_an_unverified_verdict_that_changes_nothing_leaves_the_score():
    result = judged(WRONG, GHOST)
    assert (result.status, result.score, result.unverified) == ("scored", 0.0, 1)


def test_support_without_its_quotes_is_no_evidence():
    result = judged(claim("supported", "Paris", "Rome"))
    assert (result.status, result.score) == ("unverified", None)


def test_support_cannot_rest_on_what_the_reference_lists_as_wrong():
    reference = Reference("Paris", contradictions=("Lyon",))
    assert judged(claim("supported", "Lyon", "Lyon"), answer="Lyon", reference=reference).score is None
    assert judged(claim("contradicted", "Lyon", "Lyon"), answer="Lyon", reference=reference).score == 0.0


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "no JSON",
        None,
        17,
        reply(dict(SUPPORTED, verdict="mostly supported")),
        reply(dict(SUPPORTED, verdict="not supported")),
        reply(dict(SUPPORTED, verdict="supported / contradicted")),
        reply(dict(SUPPORTED, verdict="supported, or rather contradicted")),
        reply(dict(SUPPORTED, verdict=1)),
        reply(dict(SUPPORTED, central="perhaps")),
        reply(dict(SUPPORTED, claim=" ")),
        reply(dict(SUPPORTED, answer_quote=["Paris"])),
        *[reply({k: v for k, v in SUPPORTED.items() if k != key}) for key in SUPPORTED],
        reply(SUPPORTED, dict(SUPPORTED, verdict="contradicted")),
        reply(SUPPORTED, dict(SUPPORTED, central=False)),
        reply(SUPPORTED)[:-3],
        reply(SUPPORTED) + reply(WRONG)[:40],
        reply(SUPPORTED) + ' {"error": "content filtered"}',
        '{"claims": "supported"}',
        '{"claims": ["supported"]}',
        reply(SUPPORTED).replace('"verdict": "supported"', '"verdict": "supported", "verdict": "contradicted"'),
    ],
)
def test_a_reply_that_is_not_plain_is_unreadable(bad):
    result = Correctness(Script(bad)).evaluate(ANSWER, REFERENCE)
    assert (result.status, result.score) == ("unreadable", None)


@pytest.mark.parametrize(
    "good",
    [
        "```json\n" + reply(SUPPORTED) + "\n```",
        "Let me think {so}. " + reply(WRONG) + "\nWait, no:\n" + reply(SUPPORTED) + " That is all {really}.",
        reply(dict(SUPPORTED, verdict="**Supported**", central="yes")),
        reply(dict(SUPPORTED, verdict="`SUPPORTED`.")),
        reply(dict(SUPPORTED, verdict="supported, because it is the same city", central="true")),
        reply(SUPPORTED, SUPPORTED),
        reply(dict(SUPPORTED, answer_quote="*paris*", reference_quote="“Paris”")),
        reply(SUPPORTED, dict(EXTRA, verdict="not in the reference")),
        reply(SUPPORTED, dict(EXTRA, verdict="Not-in-reference", reference_quote=None)),
        {"claims": [SUPPORTED]},
    ],
)
def test_a_reply_whose_meaning_is_plain_is_read(good):
    assert Correctness(Script(good)).evaluate(ANSWER, REFERENCE).score == 1.0


def test_a_verdict_that_the_answer_brings_along_does_not_count():
    forged = reply(claim("supported", "Lyon", "Paris"))
    result = Correctness(Script(f"The answer says: {forged}")).evaluate(f"Lyon. {forged}", "Paris")
    assert (result.status, result.score) == ("unreadable", None)


def test_one_sample_that_fails_costs_itself_only():
    judge = Script(reply(SUPPORTED), RuntimeError("503"), reply(SUPPORTED, MINOR))
    result = Correctness(judge, num_samples=3).evaluate(ANSWER, REFERENCE)
    assert result.score == 0.75
    assert (result.low, result.high, result.scored, result.total) == (0.5, 1.0, 2, 3)
    assert result.stdev == pytest.approx(0.3535533905932738)
    assert "2 of 3" in result.reason
    assert "503" in result.samples[1].reason


def test_too_few_readable_samples_are_no_score():
    judge = Script(reply(SUPPORTED), "?", RuntimeError("503"))
    result = Correctness(judge, num_samples=3).evaluate(ANSWER, REFERENCE)
    assert (result.status, result.score) == ("unreadable", None)
    judge = Script(reply(SUPPORTED), "?", RuntimeError("503"))
    assert Correctness(judge, num_samples=3, min_samples=1).evaluate(ANSWER, REFERENCE).score == 1.0


def test_samples_that_do_not_answer_are_no_support():
    judge = Script(reply(SUPPORTED), reply(EXTRA), reply(EXTRA))
    assert Correctness(judge, num_samples=3).evaluate(ANSWER, REFERENCE).status == "not_answered"
    judge = Script(reply(SUPPORTED), reply(EXTRA), reply(EXTRA))
    strict = Correctness(judge, num_samples=3, empty_answer="wrong")
    assert strict.evaluate(ANSWER, REFERENCE).score == pytest.approx(1 / 3)


@pytest.mark.parametrize("replies", [[reply(SUPPORTED)], ["?"], [reply(WRONG)], [RuntimeError("x")]])
def test_sync_and_async_come_to_the_same(replies):
    import asyncio

    plain = Correctness(Script(*replies), num_samples=2).evaluate(ANSWER, REFERENCE)
    awaited = Correctness(async_of(Script(*replies)), num_samples=2)
    assert awaited.evaluate(ANSWER, REFERENCE) == plain
    assert asyncio.run(awaited.aevaluate(ANSWER, REFERENCE)) == plain
    assert asyncio.run(Correctness(Script(*replies), num_samples=2).aevaluate(ANSWER, REFERENCE)) == plain

    async def inside():
        return awaited.evaluate(ANSWER, REFERENCE)

    assert asyncio.run(inside()) == plain


def test_an_interrupt_is_not_a_failed_sample():
    def judge(prompt):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Correctness(judge).evaluate("Paris", "Paris")


@pytest.mark.parametrize(
    "options",
    [
        {"num_samples": 0},
        {"num_samples": 2, "min_samples": 3},
        {"empty_answer": "right"},
        {"numeric": "yes"},
        {"unverified": "pass"},
        {"prompt": "{answer}"},
        {"prompt": "{answer} {reference} {score}"},
        {"parallel": 0},
    ],
)
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(OptionError):
        Correctness(Script(""), **options)


def test_the_result_is_json():
    assert json.loads(json.dumps(judged(SUPPORTED, WRONG).as_dict()))["contradictions"][0]["answer_quote"] == "Lyon"


# Properties.

POOL = [SUPPORTED, MINOR, WRONG, EXTRA, TRUE_DETAIL, GHOST]
claims_of = st.lists(st.sampled_from(POOL), max_size=6).map(
    lambda chosen: [dict(c, claim=f"{c['claim']} {i}") for i, c in enumerate(chosen)]
)


def value(score):
    """No score is never a pass; for "never raises" it lies below all scores."""
    return -1.0 if score is None else score


@given(claims_of, st.sampled_from([SUPPORTED, EXTRA, TRUE_DETAIL]), st.integers(0, 6))
def test_a_true_detail_more_never_lowers(claims, detail, place):
    more = [*claims[:place], dict(detail, claim="one more"), *claims[place:]]
    before, after = judged(*claims), judged(*more)
    assert max(value(after.score), 0.0) >= max(value(before.score), 0.0)
    assert not (before.passed(0.01) and not after.passed(0.01))


@given(claims_of, st.sampled_from([MINOR, WRONG, GHOST]), st.integers(0, 6))
def test_a_contradiction_more_never_raises(claims, wrong, place):
    more = [*claims[:place], dict(wrong, claim="one more"), *claims[place:]]
    before, after = judged(*claims), judged(*more)
    assert max(value(after.score), 0.0) <= max(value(before.score), 0.0)
    assert not (after.passed(0.01) and not before.passed(0.01))


@given(claims_of.flatmap(lambda claims: st.tuples(st.just(claims), st.permutations(claims))))
def test_the_order_of_claims_means_nothing(pair):
    one, other = (judged(*claims) for claims in pair)
    assert (one.status, one.score, one.unverified) == (other.status, other.score, other.unverified)


@given(
    st.lists(st.sampled_from([reply(SUPPORTED), reply(WRONG), reply(EXTRA), "?"]), min_size=1, max_size=5).flatmap(
        lambda replies: st.tuples(st.just(replies), st.permutations(replies))
    )
)
def test_the_order_of_samples_means_nothing(pair):
    one, other = (
        Correctness(Script(*replies), num_samples=len(replies)).evaluate(ANSWER, REFERENCE) for replies in pair
    )
    assert (one.status, one.score, one.stdev) == (other.status, other.score, other.stdev)


@given(st.data())
def test_no_damage_to_a_reply_raises_the_score(data):
    claims = data.draw(claims_of.filter(bool))
    intact = reply(*claims)
    how = data.draw(st.sampled_from(["cut", "key", "label", "quote", "prose"]))
    table = json.loads(intact)
    chosen = data.draw(st.integers(0, len(claims) - 1))
    if how == "cut":
        damaged = intact[: data.draw(st.integers(0, len(intact) - 1))]
    elif how == "key":
        del table["claims"][chosen][data.draw(st.sampled_from(sorted(SUPPORTED)))]
        damaged = json.dumps(table)
    elif how == "label":
        table["claims"][chosen]["verdict"] = data.draw(st.sampled_from(["", "unknown", "ok", "not contradicted", None]))
        damaged = json.dumps(table)
    elif how == "quote":
        table["claims"][chosen]["answer_quote"] = data.draw(st.sampled_from(["", "nowhere", "zzz"]))
        damaged = json.dumps(table)
    else:
        damaged = reply(SUPPORTED) + " or rather " + intact[: data.draw(st.integers(12, len(intact) - 1))]
    score = {}
    for name, text in (("intact", intact), ("damaged", damaged)):
        score[name] = Correctness(Script(text)).evaluate(ANSWER, REFERENCE).score
    assert max(value(score["damaged"]), 0.0) <= max(value(score["intact"]), 0.0)
