import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.correctness.quotes import found


@pytest.mark.parametrize(
    "quote, text, there",
    [
        ("Paris", "It is PARIS.", True),
        ("the  city\nof light", "The city of Light!", True),
        ("“don’t”", 'he said "don\'t"', True),
        ("it is … France", "It is a city in France", True),
        ("France ... it is", "It is a city in France", False),
        ("**1.5 GB**", "about 1.5 GB", True),
        ("5", "1.5", False),
        ("1", "1.5", False),
        ("5", "it is -5 degrees", False),
        ("5", "room 5.", True),
        ("valid", "invalid", False),
        ("東京", "首都は東京です", True),
        ("", "anything", False),
        ("...", "anything", False),
        ("!", "!", True),
        ("3 km", "3 miles", False),
        ("15", "15GB", True),
        ("12", "A12", False),
        ("GB", "15GB", True),
        ("1,000", "11,000", False),
    ],
)
def test_quotes(quote, text, there):
    assert found(quote, text) is there


@given(st.lists(st.from_regex(r"[A-Za-z]{1,8}|[0-9]{1,4}", fullmatch=True), min_size=1, max_size=8), st.data())
def test_whole_words_of_a_text_are_found(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert found(" ".join(words[start:end]), " ".join(words))
