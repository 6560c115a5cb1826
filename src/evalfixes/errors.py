"""The errors and the warning of evalfixes: a class per failure, carrying what it is about."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` and `collections.abc` are not free at start-up
if TYPE_CHECKING:
    from collections.abc import Iterable


class EvalfixesWarning(UserWarning):
    """Something that evalfixes left alone, or could not do, that its user should know of."""


class EvalfixesError(Exception):
    """Base of every error that evalfixes raises on purpose."""


class UnknownFixError(EvalfixesError, LookupError):
    """A fix id that is not in the catalogue.

    Attributes:
        fix_id: The id as it was given.
        near: Ids of the catalogue that look like it, best first.
    """

    def __init__(self, fix_id: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches

        self.fix_id = fix_id
        self.near = get_close_matches(fix_id, list(known), n=3, cutoff=0.4)
        hint = f"; did you mean {', '.join(self.near)}?" if self.near else ""
        super().__init__(f"unknown fix {fix_id!r}{hint} (`evalfixes list` shows all fixes)")


class DriftError(EvalfixesError):
    """Raised under ``strict`` when a fix cannot be put in place.

    Attributes:
        fix_id: The fix that is not in place.
        reason: Why not.
    """

    def __init__(self, fix_id: str, reason: str) -> None:
        self.fix_id = fix_id
        self.reason = reason
        super().__init__(
            f"{fix_id} is not in place: {reason} (run `evalfixes doctor --fix {fix_id}`, or leave it out with skip)"
        )


class OptionError(EvalfixesError, ValueError):
    """An option of `apply` or an environment variable whose value means nothing."""


class SettingsError(OptionError):
    """Settings that mean nothing, or, for `evalfixes doctor`, entries that do not count.

    Attributes:
        where: The settings file, or the environment variable.
        problems: What is wrong there, a line each.
    """

    def __init__(self, where: str, problems: Iterable[str]) -> None:
        self.where = where
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{where}: {problem}" for problem in self.problems))


class UnscoredError(EvalfixesError, ValueError):
    """A deepeval metric has no score, since its judge's answers are incomplete.

    It is a `ValueError`, as deepeval's own error for an invalid reply of the judge is, so deepeval
    records it under ``ignore_errors`` and counts the test as not passed everywhere else.

    Attributes:
        metric: The metric's class name.
        missing: How many of the judged parts have no usable answer.
        asked: How many there are; None if that is not known.
    """

    def __init__(self, message: str, metric: str = "", missing: int = 0, asked: int | None = None) -> None:
        self.metric = metric
        self.missing = missing
        self.asked = asked
        super().__init__(message)
