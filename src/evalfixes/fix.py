"""What a fix is, as data. A fix module under `evalfixes.fixes` defines one `Fix` named ``FIX``.

Fix modules are imported while an upstream module is being imported, so they import nothing of any
upstream at their top level; scenario code imports upstream inside its functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

Case = Mapping[str, Any]
"""An input of a scenario: JSON-able, so that it can be sent to another process."""

Outcome = Mapping[str, Any]
"""What a metric made of a case: JSON-able. ``status`` is ``PASSED`` exactly where a gate goes green;
``score`` is a number or None (unscored). Further keys are the fix's own."""


@dataclass(frozen=True)
class Replacement:
    """One upstream function or method, and what stands in its place.

    Attributes:
        target: ``module:qualname``, the exact module that defines it.
        build: Makes the replacement of ``(original, module)``: a plain function with the signature
            and async kind of the original. Name, qualname, docstring and ``__wrapped__`` are set by
            the engine. For static and class methods it sees and returns the plain function.
        calls_original: Whether the replacement calls the original. One that does not is never put
            over a function that somebody else has already replaced.
        inherited: The class does not define the attribute itself, it inherits it; the replacement
            is added to the class, and removed by revert.
        optional: Not every affected release has the target; where it is missing, the fix does
            without.
        unless: A name that, where the module has it, tells that this release needs the fix's other
            replacements and not this one.
    """

    target: str
    build: Callable[[Callable[..., Any], ModuleType], Callable[..., Any]]
    calls_original: bool = True
    inherited: bool = False
    optional: bool = False
    unless: str = ""

    @property
    def module(self) -> str:
        """The module that defines the target."""
        return self.target.partition(":")[0]

    def needless(self, module: ModuleType) -> bool:
        """Whether this release, told by the live module, does without."""
        return bool(self.unless) and hasattr(module, self.unless)

    @property
    def qualname(self) -> str:
        """The target's dotted name inside its module."""
        return self.target.partition(":")[2]


@dataclass(frozen=True)
class Scenario:
    """A fixed input with the value that the faulty release gives and the one that is right.

    Attributes:
        name: Short, unique within its fix.
        case: The input, as `Fix.evaluate` takes it.
        right: The right outcome; only the keys named here are compared.
        wrong: The outcome with the fault present; None marks a control, an input on which upstream
            is right and must stay exactly as it is.
        wrong_in: Other wrong outcomes, by range of releases (``"1.16.0..1.16.0"``).
        releases: The range of releases in which the scenario can be run; empty for all affected.
    """

    name: str
    case: Case
    right: Outcome
    wrong: Outcome | None = None
    wrong_in: Mapping[str, Outcome] = field(default_factory=dict)
    releases: str = ""

    @property
    def control(self) -> bool:
        """Whether upstream is right on this input."""
        return self.wrong is None


@dataclass(frozen=True)
class Fix:
    """One repaired fault.

    Its facts about upstream (links, affected range, variants) are in ``upstream/<dist>.toml``.

    Attributes:
        id: The fix id, such as ``adk-response-match-thoughts``.
        dist: The distribution on PyPI.
        title: The fault in one line, without a full stop.
        before: What upstream does, and what that lets through.
        after: What is right instead.
        replacements: What is replaced.
        evaluate: Runs one case through the metric's public door and says what came of it. It is the
            same for faulty, patched and fixed releases.
        scenarios: The proof: wrong values and controls.
        loads: Modules that `evaluate` needs; imported before it is timed or forked.
        requires: Ids of fixes without which this one would do harm.
        watches: Further ``module:qualname`` symbols that the fix depends on without replacing them;
            they are part of its fingerprint.
        default: Whether plain `apply()` includes it; False is for deliberate upstream behaviour.
        risks: What could surprise those who switch it on; empty if nothing is known.
    """

    id: str
    dist: str
    title: str
    before: str
    after: str
    replacements: tuple[Replacement, ...]
    evaluate: Callable[[Case], Outcome]
    scenarios: tuple[Scenario, ...]
    loads: tuple[str, ...]
    requires: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    default: bool = True
    risks: str = ""

    @property
    def modules(self) -> tuple[str, ...]:
        """The upstream modules whose import the fix waits for."""
        return tuple(dict.fromkeys(r.module for r in self.replacements))

    @property
    def symbols(self) -> tuple[str, ...]:
        """All symbols that are fingerprinted, replaced ones first."""
        replaced = [r.target for r in self.replacements if not r.inherited]
        return tuple(dict.fromkeys([*replaced, *self.watches]))


def matches(expected: Outcome, seen: Outcome) -> bool:
    """Whether an outcome has all that is expected of it; numbers to a relative 1e-9."""
    return all(key in seen and _same(value, seen[key]) for key, value in expected.items())


def _same(expected: Any, seen: Any) -> bool:
    if isinstance(expected, bool) or isinstance(seen, bool):
        return expected is seen
    if isinstance(expected, (int, float)) and isinstance(seen, (int, float)):
        return abs(expected - seen) <= 1e-9 * max(1.0, abs(expected))
    return bool(expected == seen)
