"""The mutation operators for hypothesis: strategies over operators and sites.

This module needs hypothesis; nothing else of `evalfixes.testing` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from evalfixes.testing import lines
from evalfixes.testing.operators import OPERATORS, Mutant, Operator
from evalfixes.testing.reply import Reply, changed, with_entry, without


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
def damaged_lines(draw: st.DrawFn, reply: str, worse: Sequence[str], good: Sequence[str], most: int = 3) -> str:
    """A reply after one to `most` injuries to its lines; none of them writes a better label into it.

    Args:
        draw: Given by hypothesis.
        reply: The unmutated reply.
        worse: Words that take the place of a good label; none may be a good one.
        good: The good labels, as they stand in the reply.
        most: The most injuries.
    """
    for _ in range(draw(st.integers(1, most))):
        rows = reply.split("\n")
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(["drop", "repeat", "cut", "blank", "mark", "worse", "prose", "crlf"])):
            case "drop":
                reply = lines.drop(reply, at)
            case "repeat":
                reply = lines.insert(reply, at, rows[at])
            case "cut":
                reply = reply[: draw(st.integers(0, len(reply)))]
            case "blank":
                reply = lines.insert(reply, at, "")
            case "mark":
                reply = lines.mark(reply, at, *draw(st.sampled_from(lines.MARKS)))
            case "worse":
                word = draw(st.sampled_from(list(worse)))
                for label in good:
                    rows[at] = rows[at].replace(label, f'"{word}"' if label.startswith('"') else word)
                reply = "\n".join(rows)
            case "prose":
                reply = lines.insert(reply, at, draw(st.sampled_from(["Let me see.", "As I said:", "```", "---"])))
            case "crlf":
                reply = reply.replace("\n", "\r\n")
    return reply


ODD_FORMS = ("**{}**", "`{}`", '"{}"', "{}.", "{}, because it says so", "{} - see above", "({})", " {} ")
"""Forms in which a label stands and means the same."""

UNUSABLE: tuple[Any, ...] = (
    None,
    1,
    0,
    "",
    "maybe",
    "violation",
    "yes and no",
    "No doubt, yes it did",
    "n/a",
    "Definitely yes",
    [],
    {},
)
"""What may stand in the place of a yes or no and answers nothing."""


@st.composite
def changed_answers(
    draw: st.DrawFn, answers: list[Any], kinds: Sequence[str], texts: Sequence[Any] = ("s", 3), key: str = "verdict"
) -> list[Any]:
    """A list of answers with one change: an answer dropped, repeated, relabelled, decorated or broken.

    Args:
        draw: Given by hypothesis.
        answers: Tables that hold a label.
        kinds: Some of ``drop``, ``repeat``, ``drop all``, ``unusable``, ``odd``, ``no word``, ``no object``
            and ``other object``.
        texts: What an answer without a label says in ``statement``.
        key: The field of the label.
    """
    kind = draw(st.sampled_from(list(kinds)))
    if not answers:
        return []
    at = draw(st.integers(0, len(answers) - 1))
    entry = answers[at]
    word = entry.get(key) if isinstance(entry, dict) else None
    if kind == "drop":
        return list(without(answers, (at,)))
    if kind == "repeat":
        return list(with_entry(answers, (), at, entry))
    if kind == "drop all":
        return []
    if kind in ("no object", "other object"):
        new = draw(st.sampled_from(["text", 3, None, ["yes"]])) if kind == "no object" else {"error": "x"}
        return list(changed(answers, (at,), new))
    if isinstance(entry, dict) and kind == "unusable":
        return list(changed(answers, (at, key), draw(st.sampled_from(UNUSABLE))))
    if isinstance(word, str) and kind == "odd":
        forms = st.sampled_from(ODD_FORMS).map(lambda form: form.format(word))
        json_word = st.just({"yes": True, "no": False}.get(word, word))
        return list(changed(answers, (at, key), draw(st.one_of(forms, st.just(word.upper()), json_word))))
    if isinstance(entry, dict) and kind == "no word":
        bare = {name: value for name, value in entry.items() if name != key}
        return list(changed(answers, (at,), {**bare, "statement": draw(st.sampled_from(list(texts)))}))
    return list(answers)
