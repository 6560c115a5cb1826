"""deepeval's list metrics take a reply to their first question that is no list for an empty one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from evalfixes.fix import Fix, Replacement, Scenario
from evalfixes.fixes.deepeval._calls import Build, Call, Conversation, both_ways
from evalfixes.fixes.deepeval._families import LISTS, Family
from evalfixes.fixes.deepeval._harness import evaluate, item
from evalfixes.fixes.deepeval._told import FAILED, PASSED, UNSCORED, told
from evalfixes.fixes.deepeval._unscored import unscored
from evalfixes.runtime import options


@dataclass(frozen=True)
class _Asked:
    """One list that a metric asks its judge for before it asks for verdicts.

    Attributes:
        metric: The package below ``deepeval.metrics``, and its module.
        method: The method that asks; its asynchronous counterpart has ``_a`` in front.
        schema: The schema of the reply.
        key: The list in it.
    """

    metric: str
    method: str
    schema: str
    key: str

    @property
    def family(self) -> Family:
        """The metric."""
        return next(family for family in LISTS if family.name == self.metric)


_ASKED = (
    _Asked("answer_relevancy", "_generate_statements", "Statements", "statements"),
    _Asked("bias", "_generate_opinions", "Opinions", "opinions"),
    _Asked("faithfulness", "_generate_claims", "Claims", "claims"),
    _Asked("faithfulness", "_generate_truths", "Truths", "truths"),
    _Asked("misuse", "_generate_misuses", "Misuses", "misuses"),
    _Asked("non_advice", "_generate_advices", "Advices", "advices"),
    _Asked("pii_leakage", "_extract_pii", "ExtractedPII", "extracted_pii"),
    _Asked("role_violation", "_detect_role_violations", "RoleViolations", "role_violations"),
    _Asked("summarization", "_generate_claims", "Claims", "claims"),
    _Asked("summarization", "_generate_truths", "Truths", "truths"),
    _Asked("summarization", "_generate_assessment_questions", "Questions", "questions"),
    _Asked("toxicity", "_generate_opinions", "Opinions", "opinions"),
    _Asked("turn_faithfulness", "_generate_claims", "Claims", "claims"),
    _Asked("turn_faithfulness", "_generate_truths", "Truths", "truths"),
)


def _build(asked: _Asked) -> Build:
    def converse(original: Callable[..., Any], module: ModuleType) -> Conversation:
        def ask(self: Any, *args: Any, **kwargs: Any) -> Generator[Call, Any, Any]:
            found: Any = None
            cause: Exception | None = None
            for _ in range(options.current.rejudge + 1):
                try:
                    found, cause = (yield lambda: original(self, *args, **kwargs)), None
                except ValueError as error:  # no JSON, or what the schema refuses
                    cause = error
                except KeyError as error:
                    if error.args != (asked.key,):  # not the reply's
                        raise
                    cause = error
                if cause is None and isinstance(found, list):
                    return found
                self.error = None  # upstream leaves a note there when a reply is no JSON
            if cause is None:
                what = f"`{asked.key}` is {found!r:.100}, no list"
            elif isinstance(cause, KeyError):
                what = f"it has no `{asked.key}`"
            else:
                what = " ".join(str(cause).split())[:200]
            unscored(self, f"the judge's reply to what is to be judged is unusable: {what}", cause=cause)

        return ask

    return both_ways(converse)


def _targets() -> Iterator[Replacement]:
    for asked in _ASKED:
        for name in (asked.method, f"_a{asked.method}"):
            # A metric that is younger than the fault is missing from the older releases.
            target = f"{asked.family.module}:{asked.family.cls}.{name}"
            yield Replacement(target, _build(asked), optional=True)


_GREEN = ("bias", "misuse", "non_advice", "pii_leakage", "role_violation", "toxicity", "faithfulness")
"""Metrics that score an empty list as perfect and take anything empty for one."""


def _scenarios() -> Iterator[Scenario]:
    for asked in _ASKED:
        family = asked.family
        if family.name not in _GREEN:
            continue
        # Without the truths the judge has nothing to hold the claims against, and finds nothing against them.
        evidence = asked.key == "truths"
        word, listed = (family.good, PASSED) if evidence else (family.bad, FAILED)

        def case(given: Any, _asked: _Asked = asked, _word: str = word, **more: Any) -> dict[str, Any]:
            return {
                "metric": _asked.family.cls,
                "items": 1,
                "replies": [{"verdicts": [{"verdict": _word, "reason": "r"}]}],
                "extracted": {_asked.schema: {_asked.key: given}},
                **more,
            }

        for mode in ("sync", "async"):
            for how, reply in (("an object", {}), ("an empty text", "")):
                yield from told(
                    family,
                    f"{family.cls}: {how} for the {asked.key}, {mode}",
                    case(reply, mode=mode),
                    right=UNSCORED,
                    wrong=PASSED,
                )
            for path in ("json", "schema"):
                where = f"{path}, {mode}"
                yield from told(
                    family,
                    f"control: {family.cls}: no {asked.key}, {where}",
                    case([], path=path, mode=mode),
                    right=PASSED,
                )
                yield from told(
                    family,
                    f"control: {family.cls}: {asked.key}, {where}",
                    case([item(0)], path=path, mode=mode),
                    right=listed,
                )


FIX = Fix(
    id="deepeval-missing-extractions",
    dist="deepeval",
    title="a reply without the list of what is to be judged counts as an empty list, which scores 1",
    before="Bias, toxicity, misuse, non-advice, PII leakage, role violation and faithfulness ask their judge first "
    'what there is to judge. A reply with anything empty in place of the list (`{"claims": {}}`) scores 1.0.',
    after="Only a list is an answer, the empty one too. Any other reply is missing: asked for once more, then the "
    "metric is unscored.",
    replacements=tuple(_targets()),
    requires=("deepeval-metric-recovers",),
    evaluate=evaluate,
    loads=("deepeval.metrics",),
    scenarios=tuple(_scenarios()),
    risks="A judge that numbers its claims in an object, instead of listing them, has been understood so far.",
)
