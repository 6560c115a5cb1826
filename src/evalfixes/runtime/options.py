"""The options that `apply()` sets and the fixes read at call time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

INCOMPLETE = ("decide", "unscored", "worst")
DEEPEVAL_ERRORS = ("raise", "record")


class Options:
    """How the fixes deal with a judge that did not answer everything.

    Attributes:
        rejudge: How often an incomplete reply is put to the judge again, for what is missing only;
            0 turns it off.
        incomplete: What becomes of parts that stay missing: ``decide`` (a status that they cannot
            change stands, with the worse score; otherwise unscored), ``unscored`` (any missing part
            makes the whole unscored) or ``worst`` (missing counts as not supported).
        allow_unscored: Metrics known to be unavailable, which then do not gate while they are
            unscored: tables of ``metric``, ``reason`` and ``until`` (a date, ISO 8601).
        deepeval_errors: How an unscored deepeval metric shows: ``raise`` an `UnscoredError` out of
            ``measure``, or ``record`` it (``error`` set, ``score`` None, ``success`` False), for callers
            whom one exception costs a whole batch.
    """

    __slots__ = ("allow_unscored", "deepeval_errors", "incomplete", "rejudge")

    def __init__(
        self,
        rejudge: int = 1,
        incomplete: str = "decide",
        allow_unscored: Sequence[dict[str, Any]] = (),
        deepeval_errors: str = "raise",
    ) -> None:
        from_option = None
        if type(rejudge) is not int or rejudge < 0:
            from_option = f"rejudge={rejudge!r} is not a whole number from 0 up"
        elif incomplete not in INCOMPLETE:
            from_option = f"incomplete={incomplete!r} is not one of {', '.join(INCOMPLETE)}"
        elif deepeval_errors not in DEEPEVAL_ERRORS:
            from_option = f"deepeval_errors={deepeval_errors!r} is not one of {', '.join(DEEPEVAL_ERRORS)}"
        else:
            for entry in allow_unscored:
                lacking = [key for key in ("metric", "reason", "until") if not entry.get(key)]
                if lacking:
                    from_option = f"allow_unscored: {entry!r} has no {' and no '.join(lacking)}"
        if from_option is not None:
            from evalfixes.errors import OptionError

            raise OptionError(f"evalfixes.apply: {from_option}")
        self.rejudge = rejudge
        self.incomplete = incomplete
        self.allow_unscored = tuple(allow_unscored)
        self.deepeval_errors = deepeval_errors


current = Options()
"""The options in force; replaced as a whole by `apply()`, so a reader sees one consistent set."""
