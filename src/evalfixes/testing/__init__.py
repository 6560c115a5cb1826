"""Mutation testing for metrics that an LLM judges: does damage to the judge's reply make the outcome better?

`audit` runs a metric on replies to which one thing has happened (`operators`) and classifies each outcome
as greener, deaf or safe. The command ``evalfixes audit`` does the same from a shell. Nothing here imports
an upstream, and only `evalfixes.testing.strategies` needs hypothesis.
"""

from __future__ import annotations

from evalfixes.testing.harness import Answers, Audit, Baseline, Finding, NothingToAuditError, audit
from evalfixes.testing.judges import (
    Exchange,
    JudgeFailedError,
    RecordingError,
    Replay,
    Tap,
    recorder,
    recordings,
)
from evalfixes.testing.operators import KEEPS, LOSES, OPERATORS, Mutant, Operator, operator
from evalfixes.testing.outcome import DEAF, GREENER, SAFE, Outcome, classify
from evalfixes.testing.reply import Reply
from evalfixes.testing.shapes import MOODS, Scripted, UnknownPromptError
from evalfixes.testing.targets import audit_callable, scripted_answers

__all__ = [
    "DEAF",
    "GREENER",
    "KEEPS",
    "LOSES",
    "MOODS",
    "OPERATORS",
    "SAFE",
    "Answers",
    "Audit",
    "Baseline",
    "Exchange",
    "Finding",
    "JudgeFailedError",
    "Mutant",
    "NothingToAuditError",
    "Operator",
    "Outcome",
    "RecordingError",
    "Replay",
    "Reply",
    "Scripted",
    "Tap",
    "UnknownPromptError",
    "audit",
    "audit_callable",
    "classify",
    "operator",
    "recorder",
    "recordings",
    "scripted_answers",
]
