"""The metrics of deepeval that score a list of yes/no verdicts, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MARK = "evalfixes: the judge gave no usable verdict on this"
"""The reason of a verdict that stands in for a missing one. It is told by it, since upstream copies
verdicts into other classes and keeps only the word and the reason."""

MARK_ALL = "evalfixes: the judge gave no usable verdict, and how many were due is not known"
"""The same, where it stands in for a number of verdicts that nobody knows."""

MARK_BROKEN = "evalfixes: the judge's reply on this is invalid"
"""The same, where upstream would have raised an error over the reply: it never becomes a pass."""

MARK_ALL_BROKEN = "evalfixes: the judge's reply is invalid, and how many verdicts were due is not known"
"""Both of the latter."""

MARKS = (MARK, MARK_ALL, MARK_BROKEN, MARK_ALL_BROKEN)

UNCOUNTED = (MARK_ALL, MARK_ALL_BROKEN)
"""Marks of stand-ins for a number of verdicts that nobody knows."""

BROKEN = (MARK_BROKEN, MARK_ALL_BROKEN)
"""Marks of stand-ins that never become a pass."""


@dataclass(frozen=True)
class Family:
    """One metric.

    Attributes:
        name: The package below ``deepeval.metrics``, and its module.
        cls: The class.
        bad: The verdict that speaks against passing.
        counted: Whether the items that the judge is asked about are known exactly. Where they are
            only a split into sentences, or the judge is asked item by item, they are not.
        ranked: Whether the score depends on the order of the verdicts, and is not monotone in them.
        turns: Whether windows of a conversation are scored one by one, then averaged.
    """

    name: str
    cls: str
    bad: str
    counted: bool = True
    ranked: bool = False
    turns: bool = False

    @property
    def module(self) -> str:
        """The module that defines the class."""
        return f"deepeval.metrics.{self.name}.{self.name}"

    @property
    def good(self) -> str:
        """The verdict that speaks for passing."""
        return "no" if self.bad == "yes" else "yes"


LISTS = (
    Family("answer_relevancy", "AnswerRelevancyMetric", "no"),
    Family("argument_correctness", "ArgumentCorrectnessMetric", "no"),
    Family("bias", "BiasMetric", "yes"),
    Family("contextual_precision", "ContextualPrecisionMetric", "no", ranked=True),
    Family("contextual_recall", "ContextualRecallMetric", "no", counted=False),
    Family("contextual_relevancy", "ContextualRelevancyMetric", "no", counted=False),
    Family("faithfulness", "FaithfulnessMetric", "no"),
    Family("hallucination", "HallucinationMetric", "no"),
    Family("misuse", "MisuseMetric", "yes"),
    Family("non_advice", "NonAdviceMetric", "yes"),
    Family("pii_leakage", "PIILeakageMetric", "yes"),
    Family("prompt_alignment", "PromptAlignmentMetric", "no"),
    Family("role_violation", "RoleViolationMetric", "yes"),
    Family("summarization", "SummarizationMetric", "no"),
    Family("toxicity", "ToxicityMetric", "yes"),
    Family("transcription_accuracy", "TranscriptionAccuracyMetric", "no"),
    Family("turn_contextual_precision", "TurnContextualPrecisionMetric", "no", ranked=True, turns=True),
    Family("turn_contextual_recall", "TurnContextualRecallMetric", "no", counted=False, turns=True),
    Family("turn_contextual_relevancy", "TurnContextualRelevancyMetric", "no", counted=False, turns=True),
    Family("turn_faithfulness", "TurnFaithfulnessMetric", "no", turns=True),
)
"""Metrics that get a list of verdicts in one reply."""

SINGLES = (
    Family("conversation_completeness", "ConversationCompletenessMetric", "no", counted=False),
    Family("knowledge_retention", "KnowledgeRetentionMetric", "yes", counted=False),
    Family("turn_relevancy", "TurnRelevancyMetric", "no", counted=False),
)
"""Metrics that ask for one verdict per reply."""

_BY_CLASS = {family.cls: family for family in (*LISTS, *SINGLES)}


def of(metric: Any) -> Family | None:
    """The family of a metric object; None for a metric that deepeval does not bring along."""
    for cls in type(metric).__mro__:
        family = _BY_CLASS.get(cls.__name__)
        if family is not None and cls.__module__ == family.module:
            return family
    return None


def is_mark(verdict: Any) -> bool:
    """Whether a verdict stands in for a missing one."""
    return getattr(verdict, "reason", None) in MARKS
