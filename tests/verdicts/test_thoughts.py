from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.thoughts import answer_only


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>a draft</think>answer", "answer"),
        ("\n<THINK>\na draft\n</think>\n\nanswer", "\n\nanswer"),
        ("<thinking>a</thinking>b", "b"),
        ("a draft\n</think>\nanswer", "answer"),
        ("<think>cut off", ""),
        ("<think></think>", ""),
        ("answer", "answer"),
        ("it says </think> somewhere in a line", "it says </think> somewhere in a line"),
        ("answer <think>later</think>", "answer <think>later</think>"),
        ("", ""),
    ],
)
def test_reasoning_in_front_of_an_answer(text: str, answer: str) -> None:
    assert answer_only(text) == answer


@given(st.text(alphabet="ab<>/ \n"))
def test_text_without_the_tags_is_untouched(text: str) -> None:
    assert answer_only(text) == text
