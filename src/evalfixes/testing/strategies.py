"""The mutation operators for hypothesis: strategies over operators and sites.

This module needs hypothesis; nothing else of `evalfixes.testing` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from evalfixes.testing.operators import OPERATORS, Mutant, Operator
from evalfixes.testing.reply import Reply


def mutants(reply: Reply | str, operators: Sequence[Operator] = OPERATORS) -> st.SearchStrategy[Mutant]:
    """Mutants of one reply; it shrinks to the first operator and its first site.

    Args:
        reply: The unmutated reply.
        operators: The operators to draw from; those with no site in the reply are left out.

    Raises:
        ValueError: No operator has a site in the reply.
    """
    given = Reply(reply) if isinstance(reply, str) else reply
    found = [made for operator in operators if (made := operator.mutants(given))]
    if not found:
        raise ValueError("no operator has a site in the reply")
    return st.sampled_from(found).flatmap(st.sampled_from)


@st.composite
def damaged(draw: st.DrawFn, reply: Reply | str, operators: Sequence[Operator], most: int = 3) -> Reply:
    """A reply after one to `most` mutations, one after the other.

    Args:
        draw: Given by hypothesis.
        reply: The unmutated reply.
        operators: The operators to draw from.
        most: The most mutations.
    """
    given = Reply(reply) if isinstance(reply, str) else reply
    for _ in range(draw(st.integers(1, most))):
        operator = draw(st.sampled_from(list(operators)))
        made = operator.mutants(given)
        if made:
            given = draw(st.sampled_from(made)).reply
    return given


@st.composite
def structures(draw: st.DrawFn, value: Any, operators: Sequence[Operator], most: int = 1) -> Any:
    """A structure, such as a list of verdicts, after one to `most` mutations by operators that work on structures."""
    for _ in range(draw(st.integers(1, most))):
        operator = draw(st.sampled_from([one for one in operators if one.of_structure is not None]))
        made = [new for _, new in operator.of_structure(value)] if operator.of_structure else []
        if made:
            value = draw(st.sampled_from(made))
    return value
