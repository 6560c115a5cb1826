from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.critique import label, read

KEY, INVERTED = "is_the_agent_response_valid", "is_the_agent_response_invalid"
V, I = (f'{{"reasoning": "r", "{KEY}": "{word}"}}' for word in ("valid", "invalid"))


def verdict(reply: str) -> bool | None:
    return read(reply, KEY, INVERTED)


def odd(value: str, key: str = KEY) -> str:
    return f'{{"reasoning": "r", "{key}": {value}}}'


@pytest.mark.parametrize(
    "reply",
    [V, odd('"Valid"'), odd("true"), odd("True"), odd("valid"), odd("[valid]"), odd('["valid"]'), odd('"valid."'),
     odd('"**valid**"'), V.replace('"', "'"), f"```json\n{V}\n```", f"Here you are:\n{V}", f"{I}\nNo, wait.\n{V}",
     odd("false", INVERTED), odd('"valid"', INVERTED), odd('"valid, because it matches"'), f'{{"result": {V}}}',
     f"{KEY}: valid", f"**{KEY}**: **valid**", f'{{"reasoning": [the "x" is], "{KEY}": [valid],\n}}',
     f'{{"{KEY}": "valid", "reasoning": "had it said \\"{KEY}\\": \\"invalid\\" …"}}', f'{{"{KEY}": "valid", "{INVERTED}": false}}',
     V.replace("is_the", "Is_The"), V.replace("_", "\\_")],
)  # fmt: skip
def test_valid(reply: str) -> None:
    assert verdict(reply) is True


@pytest.mark.parametrize(
    "reply",
    [I, odd('"INVALID"'), odd("false"), odd("False"), odd('"partially valid"'), odd('"partially_valid"'), odd('"almost"'),
     odd('"not valid"'), odd('"invalid!"'), I.replace('"', "'"), f"{V}\nBut London is wrong.\n{I}", f"{V}\n{I}",
     odd('"True"', INVERTED), odd('"partially_valid"', INVERTED), f'{{"{KEY}" : "invalid"}}', f"{KEY} = invalid"],
)  # fmt: skip
def test_invalid(reply: str) -> None:
    assert verdict(reply) is False


@pytest.mark.parametrize(
    "reply",
    ["", "garbage", "valid", odd('"dunno"'), odd('"yes"'), odd("[valid or invalid]"), odd("null"), odd("1"), odd('""'),
     odd('"unknown"', INVERTED), odd('"yes"', INVERTED), odd('"almost"', INVERTED), odd('"not invalid"'), odd('"valid?"'),
     f'{{"{KEY}": "valid", "{KEY}": "invalid"}}', f"[{V}, {I}]", odd('["valid", "invalid"]'), f"{V}\n{odd('dunno')}",
     f'{{"{KEY}": "valid", "{INVERTED}": true}}', odd('"valid, no wait, invalid"'), odd('"mostly valid"'),
     f"{KEY}: valid\n{KEY}: invalid", V[:-1], V[:-2], f'{{"{KEY}": "val', odd('"valid, but not quite"')],
)  # fmt: skip
def test_no_verdict(reply: str) -> None:
    assert verdict(reply) is None


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert verdict(text) in (True, False, None)
    assert label(text) in (True, False, None)


@given(st.sampled_from(["valid", "invalid"]), st.text(), st.booleans(), st.integers(0, 4))
def test_whatever_the_reasoning_says_the_field_counts(word: str, reasoning: str, first: bool, indent: int) -> None:
    fields = {"reasoning": f"{V} {reasoning} {I}", KEY: word}
    reply = json.dumps(dict(sorted(fields.items(), reverse=first)), indent=indent or None)
    assert verdict(reply) is (word == "valid")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ", max_size=12))
def test_unknown_words_are_no_verdict(word: str) -> None:
    known = {"valid", "true", "invalid", "false", "almost", "partially", "partially valid", "not valid"}
    if " ".join(word.split()) not in known and "because" not in word and "since" not in word:
        assert label(word) is None
