"""What can be audited: a callable, and metrics of deepeval and google-adk by name or class."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evalfixes.errors import EvalfixesError
from evalfixes.testing.harness import Answers, Audit, audit
from evalfixes.testing.judges import Exchange, Replay
from evalfixes.testing.operators import OPERATORS, Operator
from evalfixes.testing.shapes import MOODS, Scripted

NOT_IN_TEXT = ("draft-in-thought",)
"""Operators for judges whose replies have parts; one that gives a text has no thought part to put a draft in."""


class TargetError(EvalfixesError, ValueError):
    """A target that is not there, or is nothing that can be audited.

    Attributes:
        target: As it was given.
    """

    def __init__(self, target: str, reason: str) -> None:
        self.target = target
        super().__init__(f"{target}: {reason}")


@dataclass(frozen=True)
class Target:
    """A metric with the honest judges to start from.

    Attributes:
        name: As it was given.
        answers: The judges.
        dist: The distribution that it is of; empty for a callable.
        parts: Whether its judge's replies may have thought parts.
    """

    name: str
    answers: tuple[Answers, ...]
    dist: str = ""
    parts: bool = False

    def audit(self, operators: Iterable[Operator] = OPERATORS, watch: Callable[[int], None] | None = None) -> Audit:
        """Mutates every reply; see `evalfixes.testing.audit`."""
        chosen = [one for one in operators if self.parts or not set(one.name.split("+")) & set(NOT_IN_TEXT)]
        return audit(self.name, self.answers, chosen, watch)


def scripted_answers(run: Callable[[Any], Any]) -> tuple[Answers, ...]:
    """Judges for a callable that answer each shape of prompt that they know, in all moods."""
    return tuple(Answers(mood, _scripted(run, mood)) for mood in MOODS)


def _scripted(run: Callable[[Any], Any], mood: str) -> Callable[[Any], Any]:
    return lambda tap: run(tap.judge(Scripted(mood)))


def audit_callable(
    run: Callable[[Any], Any],
    exchanges: Sequence[Exchange] = (),
    operators: Iterable[Operator] = OPERATORS,
    name: str = "",
) -> Audit:
    """Audits a metric of your own.

    Args:
        run: Takes a judge, a function of a prompt and optionally a schema that gives a text, evaluates one
            case with it, and returns ``(score, passed)``.
        exchanges: Recordings of a real judge; without any, the judge is scripted.
        operators: The mutation operators.
        name: The metric's name in the report.

    Raises:
        NothingToAuditError: It gave no score on any unmutated reply.
    """
    shown = name or getattr(run, "__name__", "metric")
    return Target(shown, _answers(run, exchanges)).audit(operators)


def _answers(run: Callable[[Any], Any], exchanges: Sequence[Exchange]) -> tuple[Answers, ...]:
    if not exchanges:
        return scripted_answers(run)
    return (Answers("recorded", lambda tap: run(tap.judge(Replay(exchanges)))),)


def resolve(name: str, exchanges: Sequence[Exchange] = ()) -> Target:
    """The target of a name.

    Args:
        name: ``deepeval:Class``, ``google-adk:metric_name``, or ``module:attribute``: a metric class of
            deepeval, an evaluator class of google-adk, or a function ``run(judge) -> (score, passed)``.
        exchanges: Recordings that the judge answers from.

    Raises:
        TargetError: There is none of that name, or it is nothing of that kind.
    """
    home, colon, attribute = name.partition(":")
    if not colon or not home or not attribute:
        raise TargetError(name, "name it as deepeval:CLASS, google-adk:METRIC or MODULE:FUNCTION")
    if home == "deepeval":
        from evalfixes.testing.targets import deepeval

        return deepeval.named(name, attribute, exchanges)
    if home == "google-adk":
        from evalfixes.testing.targets import google_adk

        return google_adk.named(name, attribute, exchanges)
    found = _imported(name, home, attribute)
    if isinstance(found, type):
        for base, module in (("deepeval.metrics.base_metric", "deepeval"), ("google.adk.evaluation", "google_adk")):
            if any(cls.__module__.startswith(base) for cls in found.__mro__):
                of = import_module(f"evalfixes.testing.targets.{module}")
                made: Target = of.classed(name, found, exchanges)
                return made
        raise TargetError(name, "is a class, but no metric of deepeval and no evaluator of google-adk")
    if not callable(found):
        raise TargetError(name, f"is {type(found).__name__}, not a function run(judge) -> (score, passed)")
    return Target(name, _answers(found, exchanges))


def _imported(name: str, home: str, attribute: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:  # as `python -m` has it
        sys.path.insert(0, here)
    try:
        found: Any = import_module(home)
    except Exception as error:
        raise TargetError(name, f"{home} cannot be imported ({type(error).__name__}: {error})") from error
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetError(name, f"{home} has no {attribute}") from None
    return found
