"""Matching a judge's verdicts with the items it was asked about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.lists import Answer, Assignment, assign, at_least

ITEMS = ("It rains.", "It snows.", "It hails.")


def words(*given: str | None) -> list[Answer]:
    return [Answer(word) for word in given]


def test_a_list_of_the_same_length_is_read_in_order():
    assert assign(words("yes", "no", "yes"), ITEMS) == Assignment((0, 1, 2), matched=True)


def test_an_unusable_answer_is_missing_at_its_place():
    found = assign(words("yes", None, "yes"), ITEMS)
    assert found == Assignment((0, None, 2), matched=True)
    assert found.missing == (1,)


def test_another_length_tells_nothing_of_any_item():
    for answers in (words("yes", "no"), words("yes", "no", "yes", "no"), []):
        assert assign(answers, ITEMS) == Assignment((None, None, None), matched=False)


def test_echoes_match_in_any_order_and_number():
    answers = [Answer("no", ("it HAILS",)), Answer("yes", ("It rains.",))]
    assert assign(answers, ITEMS) == Assignment((1, None, 0), matched=True)


def test_two_answers_to_one_item_count_if_they_agree():
    twice = [
        Answer("no", (ITEMS[0],)),
        Answer("no", (ITEMS[0],)),
        Answer("yes", (ITEMS[1],)),
        Answer("yes", (ITEMS[2],)),
    ]
    assert assign(twice, ITEMS).answer_of == (0, 2, 3)
    twice[1] = Answer("yes", (ITEMS[0],))
    assert assign(twice, ITEMS).answer_of == (None, 2, 3)


def test_an_echo_against_the_order_wins():
    answers = [Answer("no", (ITEMS[1],)), Answer("yes", (ITEMS[0],)), Answer("yes", (ITEMS[2],))]
    assert assign(answers, ITEMS).answer_of == (1, 0, 2)


def test_items_of_the_same_text_are_told_apart_by_order_only():
    same = ("It rains.", "It rains.")
    answers = [Answer("no", ("It rains.",)), Answer("yes", ("It rains.",))]
    assert assign(answers, same).answer_of == (0, 1)
    assert not assign(answers[:1], same).matched


def test_texts_that_are_no_item_are_no_echo():
    answers = [Answer("yes", ("the sky",)), Answer("no", ("the sea",)), Answer("no", ())]
    assert assign(answers, ITEMS).answer_of == (0, 1, 2)


def test_at_least():
    assert at_least(["no", "yes"], "no", 3) == 1
    assert at_least(["no", "no", "yes", "yes"], "no", 3) == 1
    assert at_least(["no"] * 4, "no", 3) == 3
    assert at_least(["yes"] * 5, "no", 3) == 0


@given(
    st.lists(
        st.builds(Answer, st.sampled_from(["yes", "no", None]), st.tuples(st.sampled_from([*ITEMS, "else", ""]))),
        max_size=6,
    ),
    st.lists(st.sampled_from(ITEMS), max_size=5),
)
def test_each_item_gets_one_usable_answer_or_none(answers, items):
    found = assign(answers, items)
    assert len(found.answer_of) == len(items)
    given_ones = [i for i in found.answer_of if i is not None]
    assert len(set(given_ones)) == len(given_ones)
    assert all(answers[i].word is not None for i in given_ones)
