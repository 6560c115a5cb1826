from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalfixes.verdicts.pairing import (
    Answers,
    Item,
    Pairing,
    Round,
    Shown,
    answer_rounds,
    distinct_ids,
    first_come,
    mark,
    marked,
    match_spans,
    pair,
)


def names_of(calls, outputs):
    """`pair` on ``id:name`` strings, as readings per call and those of no call."""
    items = [[Item(*(part or None for part in text.split(":"))) for text in side] for side in (calls, outputs)]
    found = pair(*items)
    return [list(answers) for answers in found.outputs], list(found.unpaired)


def test_by_id_whatever_the_order():
    assert names_of(["c1:w", "c2:w"], ["c2:w", "c1:w"]) == ([[1], [0]], [])


def test_foreign_id_of_the_same_tool():
    assert names_of(["c1:w"], ["x9:w"]) == ([[0]], [])


def test_foreign_id_of_another_tool_is_kept_unpaired():
    assert names_of(["c1:w"], ["x9:other"]) == ([[]], [0])


def test_call_without_id_and_output_with_one():
    assert names_of([":w"], ["x9:w"]) == ([[0]], [])


def test_equal_ids_in_order():
    assert names_of(["c1:w", "c1:w"], ["c1:w", "c1:w"]) == ([[0], [1]], [])


def test_equal_ids_with_an_output_missing_are_not_guessed():
    assert names_of(["c1:w", "c1:w"], ["c1:w"]) == ([[], []], [0])


def test_equal_ids_of_two_tools_go_by_name():
    assert names_of(["c1:w", "c1:v"], ["c1:v"]) == ([[], [0]], [])


def test_no_ids_and_two_tools_swapped():
    assert names_of([":w", ":v"], [":v", ":w"]) == ([[1], [0]], [])


def test_no_ids_and_an_output_missing_are_not_guessed():
    assert names_of([":w", ":w"], [":w"]) == ([[], []], [0])


def test_output_without_id_goes_to_the_call_without_id():
    assert names_of(["c1:w", ":w"], [":w"]) == ([[], [0]], [])


def test_of_several_outputs_of_one_id_the_last_stays_with_the_call():
    assert names_of(["c1:w", "c2:w"], ["c1:w", "c2:w", "c1:w"]) == ([[2], [1]], [0])


def test_no_call_at_all():
    assert names_of([], ["x1:w"]) == ([], [0])


def test_an_id_does_not_pair_across_names():
    assert names_of(["call_0:w"], ["call_0:v"]) == ([[]], [0])


def test_nameless_output_with_one_open_call():
    assert names_of(["c1:w"], ["x1:"]) == ([[0]], [])
    assert names_of(["c1:w", "c2:v"], ["x1:"]) == ([[], []], [0])


def test_marked_outputs_stay_unpaired():
    assert names_of([":w"], ["unpaired:w"]) == ([[]], [0])
    assert [marked(id_) for id_ in (mark(None), mark("c1"), "unpairedly", None)] == [True, True, False, False]
    assert mark(mark("c1")) == mark("c1")


_IDS = st.sampled_from([None, "", "a", "b", "c"])
_NAMES = st.sampled_from([None, "w", "v"])
_ITEMS = st.lists(st.builds(Item, _IDS, _NAMES), max_size=7)


@settings(max_examples=2000, deadline=None)
@given(_ITEMS, _ITEMS)
def test_nothing_is_lost_doubled_or_put_under_another_name(calls, outputs):
    found = pair(calls, outputs)
    placed = [j for answers in found.outputs for j in answers]
    assert sorted([*placed, *found.unpaired]) == list(range(len(outputs)))
    for call, answers in zip(calls, found.outputs, strict=True):
        for j in answers:
            assert not call.name or not outputs[j].name or call.name == outputs[j].name


@st.composite
def _recorded_calls(draw, ids):
    """Calls with the truth of which were answered, and the answers in any order."""
    count = draw(st.integers(1, 6))
    names = draw(st.lists(st.sampled_from(["w", "v"]), min_size=count, max_size=count))
    calls = [Item(ids(draw, n), name) for n, name in enumerate(names)]
    answered = [n for n in range(count) if draw(st.booleans())]
    return calls, draw(st.permutations(answered))


@settings(max_examples=500, deadline=None)
@given(_recorded_calls(lambda draw, n: f"c{n}"))
def test_distinct_ids_always_decide(case):
    calls, answered = case
    found = pair(calls, [calls[n] for n in answered])
    assert not found.unpaired
    for n, answers in enumerate(found.outputs):
        assert [answered[j] for j in answers] == ([n] if n in answered else [])


@settings(max_examples=1000, deadline=None)
@given(_recorded_calls(lambda draw, n: draw(st.sampled_from([None, "a", f"c{n}"]))))
def test_outputs_in_order_are_right_or_unpaired_but_never_elsewhere(case):
    calls, answered = case
    answered = sorted(answered)
    found = pair(calls, [calls[n] for n in answered])
    for n, answers in enumerate(found.outputs):
        assert [answered[j] for j in answers] in ([], [n])


def test_distinct_ids():
    assert distinct_ids([None]) == [None]
    assert distinct_ids(["a", "b"]) == ["a", "b"]
    assert distinct_ids(["a", "a", None]) == ["a#1", "a#2", "call#3"]
    assert len(set(distinct_ids(["a", "a", "a#1", "a#2"]))) == 4


@given(st.lists(st.sampled_from([None, "", "a", "a#1", "call#2"]), min_size=2, max_size=6))
def test_distinct_ids_are_distinct_and_keep_what_is(ids):
    out = distinct_ids(ids)
    assert len(set(out)) == len(ids)
    counts = Counter(ids)
    assert all(new == old for new, old in zip(out, ids, strict=True) if old and counts[old] == 1)


def shown(id_, name, content, earlier=False):
    return Shown(Item(id_, name), content, earlier)


def test_rounds_with_ids_that_start_anew():
    first, second = shown("call_0", "w", "Oslo"), shown("call_0", "w", "Rome")
    rounds = [
        Round((), (Item("call_0", "w"),)),
        Round((first,), (Item("call_0", "w"),)),
        Round((first, second), ()),
    ]
    found = answer_rounds(rounds)
    assert found.of_call == (((1, 0),), ((2, 1),))
    assert found.unpaired == ()


def test_a_first_round_that_was_never_answered_does_not_take_the_second_rounds_output():
    rounds = [Round((), (Item("call_0", "w"),)), Round((), (Item("call_0", "w"),)), Round((shown("call_0", "w", "r"),))]
    assert answer_rounds(rounds).of_call == ((), ((2, 0),))


def test_equal_outputs_of_two_rounds_are_two():
    same = shown("call_0", "w", "ok")
    rounds = [Round((), (Item("call_0", "w"),)), Round((same,), (Item("call_0", "w"),)), Round((same, same))]
    assert answer_rounds(rounds).of_call == (((1, 0),), ((2, 1),))


def test_outputs_of_earlier_turns_answer_nothing():
    old, new = shown("call_0", "w", "old", earlier=True), shown("call_0", "w", "new")
    found = answer_rounds([Round((old,), (Item("call_0", "w"),)), Round((old, new))])
    assert found.of_call == (((1, 1),),)
    assert found.unpaired == ()


def test_an_output_whose_call_was_not_recorded_is_kept():
    assert answer_rounds([Round((shown("call_0", "w", "r"),))]).unpaired == ((0, 0),)


def test_a_later_output_of_an_answered_call_belongs_to_it():
    pending, final = shown("c1", "w", "pending"), shown("c1", "w", "done")
    rounds = [Round((), (Item("c1", "w"),)), Round((pending,)), Round((pending, final))]
    assert answer_rounds(rounds).of_call == (((1, 0), (2, 1)),)


@st.composite
def _conversation(draw):
    """A turn whose model calls repeat the history, with the truth; ids distinct or anew per round."""
    anew = draw(st.booleans())
    history, rounds, truth, serial = [], [], [], 0
    asked = []
    for _ in range(draw(st.integers(1, 4))):
        count = draw(st.integers(0, 3))
        names = draw(st.lists(st.sampled_from(["w", "v"]), min_size=count, max_size=count))
        asked = [Item(f"call_{n}" if anew else f"call_{serial + n}", name) for n, name in enumerate(names)]
        rounds.append(Round(tuple(history), tuple(asked)))
        for item in asked:
            answered = draw(st.booleans())
            truth.append(f"output {serial}" if answered else None)
            if answered:
                history.append(Shown(item, f"output {serial}"))
            serial += 1
    rounds.append(Round(tuple(history)))
    return rounds, truth


@settings(max_examples=1000, deadline=None)
@given(_conversation())
def test_every_round_is_answered_by_its_own(case):
    rounds, truth = case
    found = answer_rounds(rounds)
    assert [
        rounds[answers[-1][0]].shown[answers[-1][1]].content if answers else None for answers in found.of_call
    ] == truth
    assert found.unpaired == ()


_SHOWN = st.builds(Shown, st.builds(Item, _IDS, _NAMES), st.sampled_from("xyz"), st.booleans())


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.builds(Round, st.lists(_SHOWN, max_size=4).map(tuple), _ITEMS.map(tuple)), max_size=4))
def test_no_output_of_this_turn_is_lost(rounds):
    found = answer_rounds(rounds)
    places = [place for group in found.of_call for place in group] + list(found.unpaired)
    assert len(places) == len(set(places))
    kept = {(rounds[n].shown[m].item, rounds[n].shown[m].content) for n, m in places}
    history = {(s.item, s.content) for s in rounds[0].shown if s.earlier} if rounds else set()
    everything = {(s.item, s.content) for round_ in rounds for s in round_.shown}
    assert everything - history <= kept


def test_spans_and_parts_match_by_arguments():
    assert match_spans([(None, "w", "rome"), (None, "w", "oslo")], [(None, "w", "oslo"), (None, "w", "rome")]) == {
        0: 1,
        1: 0,
    }
    # By id where the arguments agree, and never against them.
    assert match_spans([("c1", "w", "oslo"), ("c1", "w", "rome")], [("c1", "w", "rome")]) == {1: 0}
    assert match_spans([("c1", "w", "oslo")], [("c1", "w", "rome")]) == {}
    assert match_spans([(None, "w", "oslo")], [(None, "w", "rome")]) == {}
    # By name at last, where one side has no arguments.
    assert match_spans([(None, "w", None)], [("c1", "w", "oslo")]) == {0: 0}
    assert match_spans([(None, "w", None), (None, "w", "oslo")], [(None, "w", "oslo")]) == {1: 0}
    assert match_spans([(None, "w", None)], [(None, "v", None)]) == {}


_RECORDED = st.lists(
    st.tuples(st.sampled_from([None, "c0", "c1"]), st.sampled_from("wv"), st.sampled_from([None, "oslo", "rome"])),
    max_size=5,
)


@given(_RECORDED, _RECORDED)
def test_matches_never_contradict_each_other(spans, parts):
    found = match_spans(spans, parts)
    assert len(set(found.values())) == len(found)
    for span, part in found.items():
        assert None in (spans[span][2], parts[part][2]) or spans[span][2] == parts[part][2]


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c"]), st.just("w"), st.sampled_from([None, "oslo"])),
        unique_by=lambda c: c[0],
    )
)
def test_distinct_ids_are_matched_as_upstream_does(calls):
    assert match_spans(calls, calls) == first_come(calls, calls) == {n: n for n in range(len(calls))}


def _shown(id_, content, args=None):
    return Shown(Item(id_, "w", args), content)


@pytest.mark.parametrize("id_", ["call_0", None])
def test_what_a_conversation_shows_before_an_output_tells_its_call(id_):
    """Two agents at work at once, whose ids are the same: the first to ask is the first to be answered."""
    rounds = [
        Round((), (Item(id_, "w", "rome"),)),
        Round((), (Item(id_, "w", "oslo"),)),
        Round((_shown(id_, "T-202", "rome"),)),
        Round((_shown(id_, "T-101", "oslo"),)),
    ]
    assert answer_rounds(rounds) == Answers((((2, 0),), ((3, 0),)), ())


def test_arguments_that_no_call_has_do_not_count():
    rounds = [Round((), (Item("c1", "w", "oslo"),)), Round((_shown("c1", "T-101", "abridged"),))]
    assert answer_rounds(rounds).of_call == (((1, 0),),)


def test_no_name_puts_an_output_under_other_arguments():
    assert pair([Item(None, "w", "oslo")], [Item(None, "w", "rome")]) == Pairing(((),), (0,))
