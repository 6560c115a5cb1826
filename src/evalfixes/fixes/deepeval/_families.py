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


def broken(mark: str) -> str:
    """The mark of the same stand-in where upstream would have raised an error."""
    return MARK_ALL_BROKEN if mark in UNCOUNTED else MARK_BROKEN


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
        items: What is asked about, up to 4.2.3: an attribute of the metric or a parameter of its method.
        since: The first release that has the metric in working order.
        low: Whether up to 4.1.10 a low score is the one that passes.
    """

    name: str
    cls: str
    bad: str
    counted: bool = True
    ranked: bool = False
    turns: bool = False
    items: str = ""
    since: str = "3.2.5"
    low: bool = False

    @property
    def module(self) -> str:
        """The module that defines the class."""
        return f"deepeval.metrics.{self.name}.{self.name}"

    @property
    def asks(self) -> str:
        """The method that asks for the verdicts; its asynchronous counterpart has ``_a`` in front."""
        return "_generate_alignment_verdicts" if self.name == "summarization" else "_generate_verdicts"

    @property
    def good(self) -> str:
        """The verdict that speaks for passing."""
        return "no" if self.bad == "yes" else "yes"


_NODES = "retrieval_context"

LISTS = (
    Family("answer_relevancy", "AnswerRelevancyMetric", "no", items="statements"),
    Family("argument_correctness", "ArgumentCorrectnessMetric", "no", items="tools_called", since="3.3.4"),
    Family("bias", "BiasMetric", "yes", items="opinions", low=True),
    Family("contextual_precision", "ContextualPrecisionMetric", "no", ranked=True, items=_NODES),
    Family("contextual_recall", "ContextualRecallMetric", "no", counted=False),
    Family("contextual_relevancy", "ContextualRelevancyMetric", "no", counted=False),
    Family("faithfulness", "FaithfulnessMetric", "no", items="claims"),
    Family("hallucination", "HallucinationMetric", "no", items="contexts", low=True),
    Family("misuse", "MisuseMetric", "yes", items="misuses", since="3.2.8", low=True),
    Family("non_advice", "NonAdviceMetric", "yes", items="advices"),
    Family("pii_leakage", "PIILeakageMetric", "yes", items="extracted_pii"),
    Family("prompt_alignment", "PromptAlignmentMetric", "no", items="prompt_instructions"),
    Family("role_violation", "RoleViolationMetric", "yes", items="role_violations"),
    Family("summarization", "SummarizationMetric", "no", items="claims"),
    Family("toxicity", "ToxicityMetric", "yes", items="opinions", low=True),
    Family("transcription_accuracy", "TranscriptionAccuracyMetric", "no", since="4.2.9"),
    Family(
        "turn_contextual_precision",
        "TurnContextualPrecisionMetric",
        "no",
        ranked=True,
        turns=True,
        items=_NODES,
        since="3.7.6",
    ),
    Family(
        "turn_contextual_recall",
        "TurnContextualRecallMetric",
        "no",
        counted=False,
        turns=True,
        items=_NODES,
        since="3.7.6",
    ),
    Family(
        "turn_contextual_relevancy",
        "TurnContextualRelevancyMetric",
        "no",
        counted=False,
        turns=True,
        items=_NODES,
        since="3.7.6",
    ),
    Family("turn_faithfulness", "TurnFaithfulnessMetric", "no", turns=True, items="claims", since="3.7.6"),
)
"""Metrics that get a list of verdicts in one reply."""

SINGLES = (
    Family("conversation_completeness", "ConversationCompletenessMetric", "no", counted=False),
    Family("knowledge_retention", "KnowledgeRetentionMetric", "yes", counted=False),
    Family("turn_relevancy", "TurnRelevancyMetric", "no", counted=False, since="3.3.5"),
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
