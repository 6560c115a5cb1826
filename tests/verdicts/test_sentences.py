"""Reading a sentence validator's reply."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.sentences import (
    CONTRADICTED,
    LEFT_OUT,
    NEGATIVE,
    POSITIVE,
    UNREADABLE,
    Reading,
    read,
    read_label,
)

LABELS = sorted(POSITIVE | NEGATIVE)
A = "Paris is the capital of France."
B = "The Eiffel Tower is 50 meters tall."


def block(sentence: str, label: str) -> str:
    """A well-formed block."""
    return (
        f"sentence: {sentence}\nlabel: {label}\nrationale: because\nsupporting_excerpt: null\ncontradicting_excerpt: x"
    )


def labels(reading: Reading) -> list[str | None]:
    """The labels that were read."""
    return [answer.label for answer in reading.answers]


PLAIN = [
    "{}",
    "{}.",
    "`{}`",
    "**{}**",
    "** {}",
    "_{}_",
    "***{}***",
    "'{}'",
    '"{}",',
    "\u201c{}\u201d",
    "[{}]",
    "({})",
    "<{}>",
    "<label>{}</label>",
    "- {}",
    "* {}",
    "\u2022 {}",
    "1. {}",
    "2) {}",
    "label: {}",
    "\n{}\n",
    "{}\n```",
    "**`{}`**.",
    "{}!",
    "{}\u200b",
    "{} - the text says 330 m",
    "{}, because the text says 330 m",
    "{} because the text says 330 m",
    "{} (see the tool output)",
    "{}. The text says 330 m.",
    "{}: see the tool output",
]

UNCLEAR = [
    "",
    "  ",
    "not {}",
    "partially {}",
    "mostly_{}",
    "{}_partially",
    "{}-ish",
    "{}?",
    "{}...",
    "maybe {}",
    "No doubt, {}",
    "~~{}~~",
    "!{}",
    "\u2260{}",
    "\u274c {}",
    "-{}",
    "{0} / {0}",
    "{} or disputed",
    "{} | unsupported",
    "{}, contradictory",
    "{}\ncontradictory",
    "{}, but only in part",
    "{}, although unclear",
    "{} 0.2",
    "{} (0.2)",
    "{} (confidence 0.2)",
    "{}ly",
    "the label is {}",
]

WORDS = ["N/A", "support", "contradiction", "unknown", "null", "true", "yes", "not supported", "partially supported"]


@pytest.mark.parametrize("form", PLAIN)
@pytest.mark.parametrize("label", LABELS)
def test_a_plain_label_is_read_in_any_form(label: str, form: str) -> None:
    for spelling in (label, label.upper(), label.title(), label.replace("_", " "), label.replace("_", "-")):
        assert read_label(form.format(spelling)) == label


@pytest.mark.parametrize("form", UNCLEAR)
@pytest.mark.parametrize("label", LABELS)
def test_an_unclear_label_is_not_guessed(label: str, form: str) -> None:
    assert read_label(form.format(label)) is None


@pytest.mark.parametrize("word", WORDS)
def test_other_words_are_no_labels(word: str) -> None:
    assert read_label(word) is None


@pytest.mark.parametrize(
    "reason", ["not really", "no", "nothing says so", "never mentioned", "the text doesn't say", "without evidence"]
)
def test_support_that_is_denied_is_no_support(reason: str) -> None:
    assert read_label(f"supported - {reason}") is None
    assert read_label("unsupported - not mentioned") == "unsupported"


def test_a_complete_reply() -> None:
    reading = read(block(A, "supported") + "\n\n" + block(B, "contradictory"), [A, B])
    assert labels(reading) == ["supported", "contradictory"]
    assert [answer.score for answer in reading.answers] == [1, 0]
    assert reading.complete
    assert not reading.extra


@pytest.mark.parametrize(
    "reply",
    [
        block(B, "contradictory").replace("\ncontradicting_excerpt: x", ""),
        block(B, "contradictory").replace("\nsupporting_excerpt: null", ""),
        block(B, "contradictory").replace("\nrationale: because", ""),
        f"sentence: {B}\nrationale: r\nlabel: contradictory\nsupporting_excerpt: null\ncontradicting_excerpt: x",
        f"- sentence: {B}\n  label: contradictory\n  rationale: r",
        f"1. **Sentence:** {B}\n   **Label:** `contradictory`\n   **Rationale:** r",
        f"### Sentence 2: {B}\nLABEL: Contradictory",
        f"**Sentence**: {B}\n\n**Label**: contradictory\n\n**Rationale**: r",
        f"Sentence 2:\n{B}\nLabel:\ncontradictory",
        f"sentence: <sentence>{B}</sentence>\nlabel: contradictory",
        f"sentence : {B}\nlabel : contradictory",
        f"* sentence: {B}\n* label: contradictory",
        f"| sentence: {B}\n| label: contradictory",
    ],
)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_odd_blocks_are_read(reply: str, first: bool, ends: str) -> None:
    both = [reply, block(A, "supported")] if first else [block(A, "supported"), reply]
    assert labels(read("\n\n".join(both).replace("\n", ends), [A, B])) == ["supported", "contradictory"]


@pytest.mark.parametrize("order", [["label", "sentence", "rationale"], ["rationale", "label", "sentence"]])
def test_fields_in_another_order(order: list[str]) -> None:
    def odd(sentence: str, label: str) -> str:
        values = {"sentence": sentence, "label": label, "rationale": "r"}
        return "\n".join(f"{name}: {values[name]}" for name in order)

    assert labels(read(f"{odd(A, 'supported')}\n\n{odd(B, 'disputed')}", [A, B])) == ["supported", "disputed"]
    gap = odd(A, "supported").replace("label: supported", "note: none")
    assert labels(read(f"{gap}\n\n{odd(B, 'disputed')}", [A, B]))[0] is None


def test_no_label_is_taken_from_the_next_block() -> None:
    reply = f"label: supported\nsentence: {A}\n\nsentence: {B}\n\nlabel: supported\nsentence: C."
    assert labels(read(reply, [A, B, "C."])) == ["supported", None, "supported"]


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", '{{"results": {}}}'])
def test_json(wrap: str) -> None:
    rows = [{"sentence": A, "label": "Supported"}, {"sentence": B, "label": "contradictory", "rationale": "r"}]
    assert labels(read(wrap.format(json.dumps(rows, indent=1)), [A, B])) == ["supported", "contradictory"]
    lines = "\n".join(json.dumps(row) for row in rows)
    assert labels(read(lines, [A, B])) == ["supported", "contradictory"]
    assert labels(read(wrap.format(json.dumps(rows[:1])), [A, B])) == ["supported", None]
    assert labels(read(json.dumps(rows, indent=1)[:-2] + ",", [A, B])) == ["supported", "contradictory"]


@pytest.mark.parametrize("reply", ["", "I cannot do that.", "[]", "{}", "[1]", "null", "sentence:", "label: supported"])
def test_an_unparsable_reply_answers_nothing(reply: str) -> None:
    reading = read(reply, [A, B])
    assert labels(reading) == [None, None]
    assert {answer.missing for answer in reading.answers} == {LEFT_OUT}


@pytest.mark.parametrize(
    ("reply", "missing", "said"),
    [
        (block(A, "supported"), LEFT_OUT, ""),
        (block(A, "supported") + f"\nsentence: {B}\nrationale: r", LEFT_OUT, ""),
        (block(A, "supported") + "\n" + block(B, ""), UNREADABLE, ""),
        (block(A, "supported") + "\n" + block(B, "perhaps"), UNREADABLE, "perhaps"),
        (
            block(A, "supported") + "\n" + block(B, "supported") + "\n" + block(B, "disputed"),
            CONTRADICTED,
            "supported / disputed",
        ),
        (
            block(A, "supported") + "\n" + block(B, "supported") + "\n" + block(B, "perhaps"),
            CONTRADICTED,
            "supported / perhaps",
        ),
        (
            block(A, "supported") + f"\nsentence: {B}\nlabel: supported\nlabel: disputed",
            UNREADABLE,
            "supported / disputed",
        ),
        (block(A, "supported") + "\n" + block("The Tower is 60 m.", "contradictory"), LEFT_OUT, ""),
    ],
)
def test_why_an_answer_is_missing(reply: str, missing: str, said: str) -> None:
    answer = read(reply, [A, B]).answers[1]
    assert (answer.label, answer.missing, answer.said) == (None, missing, said)


def test_an_equal_number_of_blocks_proves_nothing() -> None:
    assert labels(read("\n".join([block(A, "supported")] * 2), [A, B])) == ["supported", None]


def test_agreeing_blocks_are_one_answer() -> None:
    reply = "\n".join([block(A, "supported"), block(A, "supported").replace("because", "also"), block(B, "disputed")])
    assert labels(read(reply, [A, B])) == ["supported", "disputed"]


def test_a_sentence_that_stands_twice_needs_two_blocks() -> None:
    one, other = block(A, "supported"), block(A, "contradictory")
    assert labels(read(one, [A, A])) == ["supported", None]
    assert labels(read(f"{one}\n{other}", [A, A])) == ["supported", "contradictory"]
    assert labels(read(f"{one}\n{one}\n{one}", [A, A])) == ["supported", "supported"]
    assert labels(read(f"{one}\n{one}\n{other}", [A, A])) == [None, None]


def test_an_empty_label_is_no_second_opinion() -> None:
    assert labels(read(f"{block(A, '')}\n{block(A, 'supported')}", [A])) == ["supported"]


def test_extra_blocks_weigh_nothing() -> None:
    extra = block("Apples are red.", "contradictory")
    reading = read("\n".join([block(A, "supported"), extra]), [A])
    assert labels(reading) == ["supported"]
    assert reading.extra == ("Apples are red.",)


ECHOES = [
    ('He said "yes" today.', "He said \u201cyes\u201d today."),
    ("It isn't big.", "It isn\u2019t big."),
    ("It is  10 % of\nall.", "It is 10% of all."),
    ("* **Apples** are red.", "Apples are red"),
    ("1. Apples are red.", "Apples are red."),
    ("A \u2013 B", "A - B"),
    ("Use `x` now", "Use x now."),
    ("R&D costs", "R&amp;D costs"),
    ("caf\u00e9", "cafe\u0301"),
    ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b | |---|---| | 1 | 2 |"),
]


@pytest.mark.parametrize(("sentence", "echo"), ECHOES)
def test_an_echo_in_another_form_is_understood(sentence: str, echo: str) -> None:
    assert labels(read(block(echo, "disputed") + "\n" + block(B, "supported"), [sentence, B])) == [
        "disputed",
        "supported",
    ]


@pytest.mark.parametrize(
    ("sentence", "echo"),
    [
        ("It is -5 degrees.", "It is 5 degrees."),
        ("It is 2.5 m.", "It is 25 m."),
        ("2*3", "23"),
        ("Is it big?", "Is it big."),
        ("It is big.", "It is not big."),
    ],
)
def test_an_echo_that_says_something_else_is_another_sentence(sentence: str, echo: str) -> None:
    assert labels(read(block(echo, "supported"), [sentence])) == [None]


def test_sentences_alike_but_for_their_form() -> None:
    one, other = "1. Apples.", "2. Apples."
    assert labels(read(block(one, "supported") + "\n" + block(other, "disputed"), [one, other])) == [
        "supported",
        "disputed",
    ]
    assert labels(read("\n".join([block("Apples.", "supported")] * 2), [one, other])) == [None, None]
    assert labels(read(block(one, "supported") + "\n" + block("Apples", "disputed"), [one, other])) == [None, None]
    assert labels(read(block(one, "supported") + "\n" + block("Apples", "supported"), [one, other])) == [
        "supported",
        None,
    ]


def test_quoted_fields_in_an_excerpt_do_not_answer() -> None:
    reply = (
        f"sentence: {A}\nlabel: supported\nrationale: r\nsupporting_excerpt: title: x\nlabel: bug\nsentence: other\n"
        f"contradicting_excerpt: null\n\n{block(B, 'disputed')}"
    )
    assert labels(read(reply, [A, B])) == ["supported", "disputed"]


def test_a_first_sentence_behind_some_words() -> None:
    assert labels(read(f"Here is the first sentence: {A}\nlabel: supported\n" + block(B, "disputed"), [A, B])) == [
        "supported",
        "disputed",
    ]


def test_completed_by_a_second_reply() -> None:
    first = read(block(A, "supported"), [A, B, "C."])
    second = read(block("C.", "disputed"), [answer.sentence for answer in first.missing])
    assert labels(first.completed_by(second)) == ["supported", None, "disputed"]


SENTENCES = st.lists(st.sampled_from([A, B, "C.", "D is 5.", '"D" is 5', "- E", "F\nG"]), min_size=1, max_size=6)


@given(SENTENCES, st.data())
def test_well_formed_replies_are_read_as_upstream_counts(sentences: list[str], data: st.DataObject) -> None:
    told = [data.draw(st.sampled_from(LABELS)) for _ in sentences]
    separator = data.draw(st.sampled_from(["\n", "\n\n"]))
    reading = read(separator.join(map(block, sentences, told)), sentences)
    assert labels(reading) == told


@given(SENTENCES, st.data())
def test_damage_never_adds_a_good_label(sentences: list[str], data: st.DataObject) -> None:
    told = [data.draw(st.sampled_from(LABELS)) for _ in sentences]
    kept = list(map(block, sentences, told))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(kept) - 1))
        match data.draw(st.sampled_from(["drop", "blank", "unclear", "cut"])):
            case "drop":
                kept[place] = ""
            case "blank":
                kept[place] = kept[place].replace("label: ", "label:\nnote: ")
            case "unclear":
                kept[place] = kept[place].replace("label: ", "label: not ")
            case "cut":
                kept[place] = kept[place][: data.draw(st.integers(0, len(kept[place])))]
    reading = read("\n".join(kept), sentences)
    good = sum(label in POSITIVE for label in told)
    bad = sum(label in NEGATIVE for label in told)
    assert sum(answer.score == 1 for answer in reading.answers) <= good
    assert sum(answer.score == 0 for answer in reading.answers) <= bad


@given(st.text(), st.lists(st.text(), max_size=4))
def test_any_text_is_survived(reply: str, sentences: list[str]) -> None:
    assert len(read(reply, sentences).answers) == len(sentences)


REMARKS = ["label: supported", "Label: supported, unsupported, contradictory", "label: supported\nrationale: overall"]


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("parted", ["\n", "\n\n"])
@pytest.mark.parametrize("gone", ["", "first label", "last label"])
def test_a_label_before_the_first_sentence_shifts_no_other(remark: str, parted: str, gone: str) -> None:
    first, last = block(A, "supported"), block(B, "contradictory")
    first = first.replace("label: supported\n", "") if gone == "first label" else first
    last = last.replace("label: contradictory\n", "") if gone == "last label" else last
    found = labels(read(parted.join([remark, first, last]), [A, B]))
    for label, right in zip(found, ["supported", "contradictory"], strict=True):
        assert label in (right, None)
    assert gone or found == ["supported", "contradictory"]
    assert found[0] is None or gone != "first label"


def test_labels_before_their_sentences_are_read() -> None:
    rows = [(A, "contradictory"), (B, "supported")]
    reply = "\n\n".join(f"label: {label}\nsentence: {text}\nrationale: r" for text, label in rows)
    assert labels(read(reply, [A, B])) == ["contradictory", "supported"]


@given(st.integers(0, 2), st.sampled_from(["supported", "disputed", "", "who knows"]), st.booleans())
def test_blocks_nobody_asked_about_change_nothing(place: int, label: str, label_first: bool) -> None:
    blocks = [block(A, "supported"), block(B, "contradictory")]
    extra = block("Nobody asked.", label)
    if label_first:
        lines = extra.split("\n")
        extra = "\n".join([lines[1], lines[0], *lines[2:]])
    blocks.insert(place, extra)
    for label_read, right in zip(
        labels(read("\n\n".join(blocks), [A, B])), ["supported", "contradictory"], strict=True
    ):
        assert label_read == right if not label_first else label_read in (right, None)
