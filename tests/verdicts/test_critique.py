from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalfixes.verdicts.critique import label, read

KEY, INVERTED = "is_the_agent_response_valid", "is_the_agent_response_invalid"
VALID, INVALID = (f'{{"reasoning": "r", "{KEY}": "{word}"}}' for word in ("valid", "invalid"))


def verdict(reply: str) -> bool | None:
    return read(reply, KEY, INVERTED)


def odd(value: str, key: str = KEY) -> str:
    return f'{{"reasoning": "r", "{key}": {value}}}'


@pytest.mark.parametrize(
    "reply",
    [
        VALID,
        odd('"Valid"'),
        odd("true"),
        odd("True"),
        odd("valid"),
        odd("[valid]"),
        odd('["valid"]'),
        odd('"valid."'),
        odd('"**valid**"'),
        VALID.replace('"', "'"),
        f"```json\n{VALID}\n```",
        f"Here you are:\n{VALID}",
        f"{INVALID}\nNo, wait.\n{VALID}",
        odd("false", INVERTED),
        odd('"valid"', INVERTED),
        odd('"valid, because it matches"'),
        f'{{"result": {VALID}}}',
        f"{KEY}: valid",
        f"**{KEY}**: **valid**",
        f'{{"reasoning": [the "x" is], "{KEY}": [valid],\n}}',
        f'{{"{KEY}": "valid", "reasoning": "had it said \\"{KEY}\\": \\"invalid\\" …"}}',
        f'{{"{KEY}": "valid", "{INVERTED}": false}}',
        VALID.replace("is_the", "Is_The"),
        VALID.replace("_", "\\_"),
    ],
)
def test_valid(reply: str) -> None:
    assert verdict(reply) is True


@pytest.mark.parametrize(
    "reply",
    [
        INVALID,
        odd('"INVALID"'),
        odd("false"),
        odd("False"),
        odd('"partially valid"'),
        odd('"partially_valid"'),
        odd('"almost"'),
        odd('"not valid"'),
        odd('"invalid!"'),
        INVALID.replace('"', "'"),
        f"{VALID}\nBut London is wrong.\n{INVALID}",
        f"{VALID}\n{INVALID}",
        odd('"True"', INVERTED),
        odd('"partially_valid"', INVERTED),
        f'{{"{KEY}" : "invalid"}}',
        f"{KEY} = invalid",
    ],
)
def test_invalid(reply: str) -> None:
    assert verdict(reply) is False


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "garbage",
        "valid",
        odd('"dunno"'),
        odd('"yes"'),
        odd("[valid or invalid]"),
        odd("null"),
        odd("1"),
        odd('""'),
        odd('"unknown"', INVERTED),
        odd('"yes"', INVERTED),
        odd('"almost"', INVERTED),
        odd('"not invalid"'),
        odd('"valid?"'),
        f'{{"{KEY}": "valid", "{KEY}": "invalid"}}',
        f"[{VALID}, {INVALID}]",
        odd('["valid", "invalid"]'),
        f"{VALID}\n{odd('dunno')}",
        f'{{"{KEY}": "valid", "{INVERTED}": true}}',
        odd('"valid, no wait, invalid"'),
        odd('"mostly valid"'),
        f"{KEY}: valid\n{KEY}: invalid",
        VALID[:-1],
        VALID[:-2],
        f'{{"{KEY}": "val',
        odd('"valid, but not quite"'),
    ],
)
def test_no_verdict(reply: str) -> None:
    assert verdict(reply) is None


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert verdict(text) in (True, False, None)
    assert label(text) in (True, False, None)


@given(st.sampled_from(["valid", "invalid"]), st.text(), st.booleans(), st.integers(0, 4))
def test_whatever_the_reasoning_says_the_field_counts(word: str, reasoning: str, first: bool, indent: int) -> None:
    fields = {"reasoning": f"{VALID} {reasoning} {INVALID}", KEY: word}
    reply = json.dumps(dict(sorted(fields.items(), reverse=first)), indent=indent or None)
    assert verdict(reply) is (word == "valid")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ", max_size=12))
def test_unknown_words_are_no_verdict(word: str) -> None:
    known = {"valid", "true", "invalid", "false", "almost", "partially", "partially valid", "not valid"}
    if " ".join(word.split()) not in known and "because" not in word and "since" not in word:
        assert label(word) is None
