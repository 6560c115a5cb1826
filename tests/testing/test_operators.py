"""The operators: what they do to replies of every form, and that they keep to their group's rule."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalfixes.testing import KEEPS, LOSES, OPERATORS, Mutant, Operator, Reply, operator
from evalfixes.testing.reply import form, labels
from evalfixes.testing.strategies import damaged, mutants

JSON = '{"verdicts": [{"verdict": "yes", "reason": "r"}, {"verdict": "no", "reason": "r"}]}'
BLOCKS = "ID: a\nProperty: It is short.\nVerdict: yes\n\nID: b\nProperty: It is true.\nVerdict: no\n"
TAGS = "<sentence>One.</sentence>\n<sentence>Two.</sentence>"


def texts(name: str, reply: str) -> list[str]:
    return [mutant.reply.text for mutant in operator(name).mutants(Reply(reply))]


def words(text: str) -> list[object]:
    found = form(text)
    assert found is not None, text
    return [label for _, label in labels(found.value)]


@pytest.mark.parametrize(
    "name, reply, expected",
    [
        ("drop-item", JSON, [["no"], ["yes"]]),
        ("drop-item", BLOCKS, [["no"], ["yes"]]),
        ("duplicate-item", JSON, [["yes", "yes", "no"], ["yes", "no", "no"]]),
        (
            "contradict-item",
            BLOCKS,
            [["no", "yes", "no"], ["yes", "no", "no"], ["yes", "yes", "no"], ["yes", "no", "yes"]],
        ),
        ("swap-items", BLOCKS, [["no", "yes"]]),
        ("capitals", JSON, [["YES", "NO"]]),
        ("key-order", JSON, [["yes", "no"]]),
    ],
)
def test_the_labels_that_are_left(name: str, reply: str, expected: list[list[str]]) -> None:
    seen = [words(text) for text in texts(name, reply)]
    assert [one for one in seen if one in expected] == seen
    assert all(one in seen for one in expected if one != ["yes", "no"] or name in ("key-order", "swap-items"))


def test_each_form_is_read_and_written_as_it_was() -> None:
    for text in (JSON, BLOCKS.strip(), TAGS, "yes", f"Here it is:\n```json\n{JSON}\n```"):
        found = form(text)
        assert found is not None
        assert "".join(found.write(found.value).split()) == "".join(text.split())


@pytest.mark.parametrize("prose", ["", "I cannot say.", "Note: nothing\nis structured here", "{not json", "- a\n- b"])
def test_prose_has_no_structure(prose: str) -> None:
    assert form(prose) is None


def test_what_is_asked_later_is_no_answer() -> None:
    assert texts("drop-item", TAGS) == []
    assert texts("drop-asked", TAGS) == ["<sentence>Two.</sentence>", "<sentence>One.</sentence>"]
    assert texts("empty-asked", '{"claims": ["a", "b"]}') == ['{"claims": []}']
    assert texts("drop-asked", JSON) == []


def test_answers_without_a_name_are_not_swapped() -> None:
    assert texts("swap-items", JSON) == []


def test_fields_of_lines_keep_their_order() -> None:
    assert texts("key-order", BLOCKS) == []


def test_labels_of_all_kinds() -> None:
    (draft,) = texts("draft-before", '{"score": 2, "reason": "yes"}')
    assert draft.startswith('{"score": 4, "reason": "yes"}')
    (draft,) = texts("draft-in-think", '{"valid": false}')
    assert draft == '<think>\n{"valid": true}\n</think>\n{"valid": false}'
    assert "NaN" in "".join(texts("out-of-range", '{"score": 0.5}'))
    assert texts("out-of-range", JSON) == []


def test_a_key_is_given_twice() -> None:
    assert texts("contradict-key", '{"score": 2, "reason": "r"}') == [
        '{"score": 4, "score": 2, "reason": "r"}',
        '{"score": 2, "score": 4, "reason": "r"}',
    ]
    assert '{"verdicts": [{"verdict": "no", "verdict": "yes"}]}' in texts(
        "contradict-key", '{"verdicts": [{"verdict": "yes"}]}'
    )
    assert texts("contradict-key", '{"claims": ["a"]}') == [
        '{"claims": [], "claims": ["a"]}',
        '{"claims": ["a"], "claims": []}',
    ]
    for without_keys in (BLOCKS, TAGS, '["yes"]', "yes"):
        assert texts("contradict-key", without_keys) == []


def test_a_draft_in_a_thought_part_leaves_the_answer() -> None:
    (mutant,) = operator("draft-in-thought").mutants(Reply("GRADE: C"))
    assert mutant.reply == Reply("GRADE: C", thought="GRADE: I\n")


def test_calls_that_bring_nothing_have_no_mutants() -> None:
    for reply in (Reply(error="503"), Reply(lost=True)):
        assert all(one.mutants(reply) == [] for one in OPERATORS)


def test_two_operators_in_a_row() -> None:
    both = operator("drop-item+fences")
    assert (both.name, both.group) == ("drop-item+fences", LOSES)
    assert operator("fences+crlf").group == KEEPS
    assert {mutant.reply.text for mutant in both.mutants(Reply(JSON))} >= {
        '```json\n{"verdicts": [{"verdict": "no", "reason": "r"}]}\n```'
    }


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"'drop'; there are: drop-item, drop-all"):
        operator("drop")


@pytest.mark.parametrize("one", OPERATORS, ids=lambda one: one.name)
def test_every_operator_has_a_site_somewhere(one: Operator) -> None:
    replies = (JSON, BLOCKS, TAGS, '{"score": 0.5, "reason": "r"}', "yes")
    assert any(one.mutants(Reply(text)) for text in replies)


REPLIES = st.one_of(
    st.sampled_from([JSON, BLOCKS, TAGS, "yes", ""]),
    st.text(max_size=60),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(["yes", "no", "text"])),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["verdict", "reason", "verdicts"]), inner)
        ),
        max_leaves=8,
    ).map(json.dumps),
)


@settings(max_examples=100, deadline=None)
@given(REPLIES)
def test_mutants_of_any_reply_differ_from_it_and_are_the_same_again(text: str) -> None:
    for one in OPERATORS:
        made = one.mutants(Reply(text))
        assert Reply(text) not in [mutant.reply for mutant in made]
        assert len({mutant.reply for mutant in made}) == len(made)
        assert [str(mutant) for mutant in one.mutants(Reply(text))] == [str(mutant) for mutant in made]


@settings(max_examples=100, deadline=None)
@given(mutants(JSON, [one for one in OPERATORS if one.group == KEEPS]))
def test_what_keeps_the_meaning_keeps_every_label(mutant: Mutant) -> None:
    found = form(mutant.reply.text)
    assert found is not None
    kept = [str(entry["verdict"]).lower().strip("*`.").partition(",")[0] for entry in found.value["verdicts"]]
    assert kept == ["yes", "no"]


@given(damaged(JSON, [operator("drop-item"), operator("cut-off")], most=2))
def test_damage_in_a_row_never_grows(reply: Reply) -> None:
    assert len(reply.text) <= len(JSON)


def test_a_strategy_needs_a_site() -> None:
    with pytest.raises(ValueError, match="no operator has a site"):
        mutants("prose", [operator("drop-item")])
