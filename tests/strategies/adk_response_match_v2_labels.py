"""Verdicts of final_response_match_v2's judge: well-formed, odd, drafted, ambiguous and damaged."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.google_adk import THRESHOLDS, damaged, match_case

_KEY, _INVERTED = "is_the_agent_response_valid", "is_the_agent_response_invalid"
_REASONS = st.sampled_from(["because", "It says London, not Paris.", "a, b and c", "{x}", "he said so"])
_PLAIN_BAD = ["invalid", "false", "almost", "partially"]
_ODD_GOOD = ["Valid", "VALID", "valid.", "**valid**", "True", "`valid`", " valid ", "valid, because it matches"]
_ODD_BAD = ["Invalid", "INVALID", "partially valid", "Partially_Valid", "not valid", "invalid!", "False", "Almost"]
_UNKNOWN = ["dunno", "yes", "valid or invalid", "mostly valid", "", "n/a", "valid?", "nearly", "not invalid", "correct"]


def reply(value: str, key: str = _KEY, reason: str = "because", last: bool = True) -> str:
    fields = [f'"reasoning": "{reason}"', f'"{key}": {value}']
    return "{\n  " + ",\n  ".join(fields if last else fields[::-1]) + "\n}"


@st.composite
def _clean(draw: st.DrawFn) -> str:
    value = draw(
        st.sampled_from(['"valid"', "[valid]", "valid", '["valid"]', "true", *_PLAIN_BAD, '"invalid"', "[invalid]"])
    )
    text = reply(value, reason=draw(_REASONS), last=draw(st.booleans()))
    return f"```json\n{text}\n```" if draw(st.booleans()) else text


@st.composite
def _well_formed(draw: st.DrawFn) -> Any:
    samples, turns = draw(st.integers(1, 5)), draw(st.integers(1, 2))
    return match_case([draw(_clean()) for _ in range(samples * turns)], draw(THRESHOLDS), samples, turns)


@st.composite
def _verdict(draw: st.DrawFn) -> tuple[str, str]:
    """A reply and what it says in the end: good, bad or open."""
    meaning = draw(st.sampled_from(["good", "bad", "open"]))
    word = draw(st.sampled_from({"good": _ODD_GOOD, "bad": _ODD_BAD, "open": _UNKNOWN}[meaning]))
    key = _KEY
    if meaning == "open" and draw(st.booleans()):
        key, word = _INVERTED, draw(st.sampled_from(["unknown", "yes", "no", "", "maybe", "almost"]))
    quote = draw(st.sampled_from(['"', "'"]))
    text = reply(f"{quote}{word}{quote}", key, draw(_REASONS))
    if quote == "'":
        text = text.replace('"', "'")
    if draw(st.integers(0, 3)) == 0:
        draft = reply(draw(st.sampled_from(['"valid"', '"invalid"'])))
        text = f"{draft}\nNo, let me think again.\n{text}"
    return text, meaning


@st.composite
def _any_reply(draw: st.DrawFn) -> Any:
    votes = [draw(_verdict()) for _ in range(draw(st.integers(1, 3)))]
    good = sum(meaning == "good" for _, meaning in votes)
    return {**match_case([text for text, _ in votes]), "plain": good * 2 > len(votes)}


def justified(case: Any) -> bool:
    """A majority of the judges said valid, in a form that upstream lost."""
    return bool(case["plain"])


@st.composite
def _damage(draw: st.DrawFn) -> tuple[Any, Any]:
    text = draw(_clean())
    return match_case([text]), match_case([draw(damaged(text))])


well_formed = _well_formed()
any_reply = _any_reply()
damage = _damage()
