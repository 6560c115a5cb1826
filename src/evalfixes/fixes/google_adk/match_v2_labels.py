"""final_response_match_v2 misreads its judge's label."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Outcome, Replacement, Scenario
from evalfixes.fixes.google_adk import _harness
from evalfixes.verdicts import critique

_MODULE = "google.adk.evaluation.final_response_match_v2"
_KEY, _INVERTED = "is_the_agent_response_valid", "is_the_agent_response_invalid"


def _build(original: Callable[..., Any], module: ModuleType) -> Callable[..., Any]:
    label: Any = module.Label

    def _parse_critique(response: str) -> Any:
        verdict = critique.read(response, _KEY, _INVERTED)
        if verdict is None:
            return label.NOT_FOUND
        return label.VALID if verdict else label.INVALID

    return _parse_critique


def _case(*replies: str, threshold: float = 0.8) -> dict[str, Any]:
    return {
        "metric": "final_response_match_v2",
        "threshold": threshold,
        "samples": len(replies),
        "turns": [{"user": "Capital of France?", "answer": "London", "expected": "Paris"}],
        "judge": {"match": list(replies)},
    }


def _odd(value: str, key: str = _KEY) -> dict[str, Any]:
    return _case(f'{{"reasoning": "because", "{key}": {value}}}')


_VALID: Outcome = {"score": 1.0, "status": "PASSED"}
_INVALID: Outcome = {"score": 0.0, "status": "FAILED"}
_NONE: Outcome = {"score": None, "status": "NOT_EVALUATED"}
# Up to 2.2 a case of which nothing was scored divides by zero.
_DIVIDED: Outcome = {"score": None, "status": "ERROR"}
_SCORED_NOTHING = "2.3.0..2.13.0"


def _lost(name: str, case: dict[str, Any], right: Outcome) -> Scenario:
    return Scenario(name, case, right, _NONE, wrong_in={"1.6.1..2.2.0": _DIVIDED})


_V, _I = _harness.verdict("valid"), _harness.verdict("invalid")

FIX = Fix(
    id="adk-response-match-v2-labels",
    dist="google-adk",
    title="final_response_match_v2 takes unknown labels and drafts for valid",
    before="Under the inverted key any unknown word reads as valid; of two verdicts the first, the draft, wins; "
    "capitals, booleans, single quotes, `not valid` and `partially valid` are lost, and with them the vote against.",
    after="The last verdict counts, in any plain form; an unknown word, or several different verdicts at the end, are "
    "no verdict.",
    replacements=(Replacement(f"{_MODULE}:_parse_critique", _build, calls_original=False),),
    evaluate=_harness.evaluate,
    loads=(_MODULE,),
    requires=("adk-gate-unscored", "adk-unscored-invocations", "adk-judge-samples"),
    scenarios=(
        Scenario("inverted key, unknown word", _odd('"unknown"', _INVERTED), _NONE, _VALID, releases=_SCORED_NOTHING),
        Scenario("inverted key, yes", _odd('"yes"', _INVERTED), _NONE, _VALID, releases=_SCORED_NOTHING),
        Scenario("inverted key, capital True", _odd('"True"', _INVERTED), _INVALID, _VALID),
        Scenario("inverted key, partially valid", _odd('"partially_valid"', _INVERTED), _INVALID, _VALID),
        Scenario("draft valid, then invalid", _case(f"{_V}\nNo, London is wrong.\n{_I}"), _INVALID, _VALID),
        Scenario("draft invalid, then valid", _case(f"{_I}\nNo, wait.\n{_V}"), _VALID, _INVALID),
        Scenario(
            "draft valid, then an unknown word",
            _case(f"{_V}\nOr:\n{_harness.verdict('dunno')}"),
            _NONE,
            _VALID,
            releases=_SCORED_NOTHING,
        ),
        Scenario(
            "two different verdicts in one object",
            _case(f'{{"{_KEY}": "valid", "{_KEY}": "invalid"}}'),
            _NONE,
            _VALID,
            releases=_SCORED_NOTHING,
        ),
        Scenario(
            "both keys disagree",
            _case(f'{{"{_KEY}": "valid", "{_INVERTED}": true}}'),
            _NONE,
            _VALID,
            releases=_SCORED_NOTHING,
        ),
        _lost("capital", _odd('"Invalid"'), _INVALID),
        _lost("capitals", _odd('"VALID"'), _VALID),
        _lost("Python's False", _odd("False"), _INVALID),
        _lost("partially valid", _odd('"partially valid"'), _INVALID),
        _lost("not valid", _odd('"not valid"'), _INVALID),
        _lost("single quotes", _case(f"{{'reasoning': 'because', '{_KEY}': 'invalid'}}"), _INVALID),
        _lost("space before the colon", _case(f'{{"{_KEY}" : "invalid"}}'), _INVALID),
        _lost("full stop", _odd('"invalid."'), _INVALID),
        Scenario("control: valid", _case(_V), _VALID),
        Scenario("control: invalid", _case(_I), _INVALID),
        Scenario("control: boolean", _odd("false"), _INVALID),
        Scenario("control: bracketed", _odd("[valid]"), _VALID),
        Scenario("control: inverted key, false", _odd("false", _INVERTED), _VALID),
        Scenario("control: inverted key, true", _odd('"true"', _INVERTED), _INVALID),
        Scenario("control: unknown word", _odd('"dunno"'), _NONE, releases=_SCORED_NOTHING),
        Scenario(
            "control: the prompt's own choice repeated", _odd("[valid or invalid]"), _NONE, releases=_SCORED_NOTHING
        ),
    ),
    risks="Forms that used to be lost now count, so scores change in both directions.",
)
