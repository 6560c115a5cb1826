"""Reading a sentence validator's reply against the sentences that it was asked about.

The judge of hallucinations_v1 is given a list of sentences and answers with a block per sentence:
``sentence:``, ``label:``, ``rationale:`` and two excerpts. `read` finds the label of every sentence, or
the reason why there is none. What counts is which sentence was answered, not how many blocks there are.

Read are labels whose meaning is plain in odd form: in markdown, quotes, brackets or capitals, with a
bullet, a number, a full stop or an explanation; blocks that lack a rationale or an excerpt, whose
fields stand in another order, or that are a JSON object each. Not read are several labels at once, hedged
labels (``partially supported``, ``supported, but ...``), and every word that is not a label.

Blocks belong to a sentence if they echo it, give or take quotes, white space, markdown, a bullet or
a number in front and punctuation at the end. If several sentences are alike but for that, only an exact
echo tells which one is meant. Sentences are matched as a multiset: one that stands twice needs two
blocks. Blocks that agree beyond that are one answer, blocks that do not agree are none. Blocks for
sentences that nobody asked about weigh nothing.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evalfixes.verdicts.hedges import explains, retracts

POSITIVE = frozenset({"supported", "not_applicable"})
NEGATIVE = frozenset({"unsupported", "contradictory", "disputed"})

LEFT_OUT = "left out"
UNREADABLE = "unreadable"
CONTRADICTED = "answered in two ways"


@dataclass(frozen=True)
class Answer:
    """What the judge said of one sentence.

    Attributes:
        sentence: The sentence.
        label: One of `POSITIVE` and `NEGATIVE`; None if there is no usable answer.
        missing: Why not: `LEFT_OUT`, `UNREADABLE` or `CONTRADICTED`; empty if there is a label.
        said: What the judge wrote in its place, for people to read.
    """

    sentence: str
    label: str | None
    missing: str = ""
    said: str = ""

    @property
    def score(self) -> int | None:
        """1 or 0, as upstream counts labels; None if missing."""
        return None if self.label is None else int(self.label in POSITIVE)


@dataclass(frozen=True)
class Reading:
    """What a reply says.

    Attributes:
        answers: One per sentence, in the order of the sentences.
        extra: Sentences of blocks that nobody asked about.
    """

    answers: tuple[Answer, ...]
    extra: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every sentence has a label."""
        return all(answer.label is not None for answer in self.answers)

    @property
    def missing(self) -> tuple[Answer, ...]:
        """The answers that are none."""
        return tuple(answer for answer in self.answers if answer.label is None)

    def completed_by(self, again: Reading) -> Reading:
        """This reading with its missing answers taken from a second one, of the missing sentences only."""
        later = iter(again.answers)
        answers = [next(later, answer) if answer.label is None else answer for answer in self.answers]
        known = {_key(answer.sentence) for answer in self.answers}
        return Reading(tuple(answers), self.extra + tuple(text for text in again.extra if _key(text) not in known))


@dataclass
class _Block:
    sentence: str | None = None
    labels: list[str] | None = None


def read(reply: str, sentences: Sequence[str]) -> Reading:
    """Reads a reply.

    Args:
        reply: The judge's text.
        sentences: What it was asked about, as given to it.

    Returns:
        One answer per sentence.
    """
    exact: dict[str, list[int]] = {}
    loose: dict[str, set[str]] = {}
    for index, sentence in enumerate(sentences):
        exact.setdefault(_spaced(sentence), []).append(index)
        loose.setdefault(_key(sentence), set()).add(_spaced(sentence))

    given: dict[str, list[_Said]] = {name: [] for name in exact}
    unclear: dict[str, list[_Said]] = {name: [] for name in exact}
    extra = []
    for block in _blocks(reply):
        if block.sentence is None or block.labels is None:
            continue  # a heading, or a block that was cut off before its label
        said = _said(block.labels)
        names = {_spaced(block.sentence)} & exact.keys() or loose.get(_key(block.sentence), set())
        if not names:
            extra.append(block.sentence.strip())
        for name in names:
            (given if len(names) == 1 else unclear)[name].append(said)

    answers: list[Answer | None] = [None] * len(sentences)
    for name, places in exact.items():
        for place, (label, missing, text) in zip(places, _settle(given[name], unclear[name], len(places)), strict=True):
            answers[place] = Answer(sentences[place], label, missing, text)
    return Reading(tuple(answer for answer in answers if answer is not None), tuple(extra))


_Said = tuple[str | None, str]
"""A block's label, None if unusable, and the text that stands for it."""


def _said(labels: list[str]) -> _Said:
    """What the label lines of one block come to: one label, in whatever form each of them has it."""
    told = [label for label in labels if label.strip()] or labels[:1]
    read_as = {read_label(text) for text in told}
    text = " / ".join(label.strip() for label in told) if len(read_as) > 1 else told[0].strip()
    return (read_as.pop() if len(read_as) == 1 else None), text


def _settle(given: list[_Said], unclear: list[_Said], count: int) -> list[tuple[str | None, str, str]]:
    """The answers of a sentence that stands ``count`` times: label, reason, text.

    Args:
        given: What blocks said of it, empty labels included.
        unclear: What blocks said of it or of another sentence that differs in form only.
        count: How often it stands.
    """
    said = [one for one in given if one[1]]
    if not said:
        reason = UNREADABLE if given or unclear else LEFT_OUT
        return [(None, reason, "")] * count
    labels = {label for label, _ in said} | {label for label, _ in unclear if said}
    if len(said) > count or unclear:
        if len(labels) == 1 and len(said) >= count:
            said = said[:count]
        elif len(labels) > 1:
            text = " / ".join(dict.fromkeys(text for _, text in said + unclear))
            reason = UNREADABLE if labels == {None} else CONTRADICTED
            return [(None, reason, text)] * count
    settled = [(label, "" if label else UNREADABLE, text) for label, text in said]
    return settled + [(None, LEFT_OUT, "")] * (count - len(settled))


_FIELDS = "sentence|label|rationale|supporting[ _-]?excerpt|contradicting[ _-]?excerpt"
_DECOR = r"[\s>*_`#|\"'\[({\-\u2022\u00b7\u2013\u2014]*"
_FIELD = re.compile(
    rf"{_DECOR}(?:\d+\s*[.)\]:]{_DECOR})?(?P<name>{_FIELDS})(?:\s*[#(]?\d+\)?)?[\s*_`\"'\])]*[:=\uff1a](?P<rest>.*)",
    re.IGNORECASE,
)
_MIDLINE = re.compile(r"\bsentence:(?P<rest>.*)", re.IGNORECASE)


def _blocks(reply: str) -> Iterator[_Block]:
    """The blocks of a reply, as JSON or line by line."""
    tables = _tables(reply)
    if tables is not None:
        for table in tables:
            told = {name: [v for key, v in table if key.strip().casefold() == name] for name in ("sentence", "label")}
            if len(told["sentence"]) == 1 and isinstance(told["sentence"][0], str):
                labels = [str(label) for label in told["label"] if label is not None]
                yield _Block(told["sentence"][0], labels or None)
        return
    fields_read = _attributable(list(_fields(reply)))
    block, previous = _Block(), ""
    for field in fields_read:
        # A block starts with the field that the reply started with. A second sentence starts one too:
        # else the label of the block after it would be taken for its own.
        if field.name == fields_read[0].name or (field.name == "sentence" and block.sentence is not None):
            yield block
            block = _Block()
        if field.name == "sentence":
            block.sentence = field.value
        elif field.name == "label" and (previous in ("label", "sentence") or _is_label(block, field)):
            block.labels = [*(block.labels or []), field.value]
        previous = field.name
    yield block


def _is_label(block: _Block, field: _Field) -> bool:
    """Whether a label that stands further down is one: excerpts may quote lines that look alike."""
    return block.labels is None or read_label(field.value) is not None


@dataclass(frozen=True)
class _Field:
    name: str
    value: str

    @property
    def parted(self) -> bool:
        """Whether an empty line follows."""
        return self.value.rstrip(" \t").endswith("\n")


def _attributable(fields: list[_Field]) -> list[_Field]:
    """The fields without labels that could as well belong to the sentence after them.

    That is so where blocks start with their sentence, but a label stands nearer to the next one; and
    where all labels stand right before a sentence and the last block has none: a first label may be missing.
    """
    fields = _leading(fields)
    if not fields or fields[0].name != "sentence":
        return fields
    labels = [index for index, field in enumerate(fields) if field.name == "label"]
    leading = [index for index in labels if index + 1 < len(fields) and fields[index + 1].name == "sentence"]
    nearer = {index for index in leading if fields[index - 1].parted and not fields[index].parted}
    last = max(index for index, field in enumerate(fields) if field.name == "sentence")
    if labels and leading == labels and max(labels) < last:
        nearer |= {index for index in labels if fields[index - 1].parted == fields[index].parted}
    return [field for index, field in enumerate(fields) if index not in nearer]


def _leading(fields: list[_Field]) -> list[_Field]:
    """The fields of a reply in which a label stands before the first sentence.

    Either labels stand before their sentences throughout, or the first one is a remark, and the others
    stand behind theirs. Where it can be either, no label belongs to any sentence.
    """
    sentences = [index for index, field in enumerate(fields) if field.name == "sentence"]
    labels = [index for index, field in enumerate(fields) if field.name == "label"]
    if not sentences or not labels or labels[0] > sentences[0]:
        return fields
    behind = [index for index in labels if index > sentences[0]]
    neither = [field for field in fields if field.name != "label"]
    if any(index > sentences[-1] for index in behind):
        ends = [*sentences[1:], len(fields)]
        each = all(any(start < label < end for label in behind) for start, end in zip(sentences, ends, strict=True))
        apart = all(index + 1 == len(fields) or fields[index + 1].name != "sentence" for index in behind)
        return fields[sentences[0] :] if each and apart else neither
    distances = set()
    for start, end in zip([-1, *sentences], sentences, strict=False):
        before = [index for index in labels if start < index < end]
        distances |= {tuple(field.name for field in fields[before[-1] + 1 : end])} if before else set()
    nearer = any(
        fields[index - 1].name == "sentence" and not fields[index - 1].parted and fields[index].parted
        for index in behind
    )
    return neither if nearer or len(distances) > 1 else fields


def _fields(reply: str) -> Iterator[_Field]:
    """The fields of a reply with their values; a value runs to the next field."""
    name, value = "", []
    for line in reply.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        match = _FIELD.match(line)
        found = match["name"].casefold() if match else ""
        if match is None and not name:
            match = _MIDLINE.search(line)  # "Here is the first sentence: ..."
            found = "sentence"
        if match is None:
            if name != "label" or line.strip(" \t[]{},"):  # lines of JSON that was cut off
                value.append(line)
            elif not line.strip():
                value.append("")
            continue
        if name == "label" and found == "label" and not "".join(value).strip(" \t*_`#"):
            value = [match["rest"]]  # a heading "Label:" above "label: supported"
            continue
        if name:
            yield _Field(name, "\n".join(value))
        name, value = found, [match["rest"]]
    if name:
        yield _Field(name, "\n".join(value))


class _Table(list[tuple[str, Any]]):
    """A JSON object with all its fields, those that are repeated included."""


def _tables(reply: str) -> list[_Table] | None:
    """The objects of a reply that is JSON: an array, an object that holds one, or a line each."""
    text = re.sub(r"^\s*```\w*\s*\n|\n\s*```\s*$", "", reply).strip()
    if not text.startswith(("[", "{")):
        return None
    try:
        value = json.loads(text, object_pairs_hook=_Table)
    except (ValueError, RecursionError):
        lines = [line.strip().rstrip(",") for line in text.splitlines() if line.strip()]
        try:
            value = [json.loads(line, object_pairs_hook=_Table) for line in lines]
        except (ValueError, RecursionError):
            return None
    if isinstance(value, _Table) and not any(name.strip().casefold() == "sentence" for name, _ in value):
        value = next((inner for _, inner in value if isinstance(inner, list) and not isinstance(inner, _Table)), None)
    value = [value] if isinstance(value, _Table) else value
    if not isinstance(value, list) or not all(isinstance(table, _Table) for table in value):
        return None
    return value


_TAG = re.compile(r"</?(?:sentence|label)>", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:un[-_ ]?supported|supported|contradictory|disputed|not[-_ ]?applicable)(?![^\W_])", re.IGNORECASE
)
_BEFORE = re.compile(
    r"(?:[\s*_`\"'<(\[{|:\u201c\u201d\u2018\u2019\u00ab\u00bb]|[-\u2022\u00b7\u2013\u2014#>]+\s|\(?\d+[.)]\s|label\s*[:=])*"
)
_CLOSING = r"[\s*_`\"'>)\]}|,;\u201c\u201d\u2018\u2019\u00ab\u00bb]*"
_AFTER = re.compile(rf"{_CLOSING}[.!:]?{_CLOSING}\Z")
_EXPLAINED = re.compile(
    rf"{_CLOSING}(?:\.\s|[,;:(\n]|\s*[-\u2013\u2014]+\s|\s*[\u2013\u2014]|\s+(?:because|since|as)\s)", re.IGNORECASE
)
_HEDGED = re.compile(
    r"\b(?:but|however|although|though|except|unless|or|either|while|whereas|yet|still|otherwise|instead|rather"
    r"|part|parts|partial\w*|partly|half|mostly|mainly|largely|somewhat|almost|hardly|barely|weak\w*|low|if"
    r"|maybe|might|may|perhaps|possibl[ey]|probabl[ey]|likel\w*|doubt\w*|unclear|uncertain|unsure|confidence|score"
    r"|(?:un|not)?[-_ ]?support\w*|contradict\w*|disput\w*|\w*applicable|false|true|wrong|incorrect)\b|[?/]",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not?|none|nothing|nor|neither|never|without|lack\w*|cannot)\b|n['\u2019]t\b", re.IGNORECASE)


def read_label(text: str) -> str | None:
    """The label that a text plainly is.

    Args:
        text: What stands after ``label:``.

    Returns:
        The label in upstream's spelling, or None.
    """
    text = _TAG.sub("", _plain(text))
    start = _BEFORE.match(text)
    match = _LABEL.match(text, start.end() if start else 0)
    if match is None:
        return None
    label = re.sub(r"[-_ ]", "", match[0].casefold()).replace("notapplicable", "not_applicable")
    if _AFTER.match(text, match.end()):
        return label
    explained = _EXPLAINED.match(text, match.end())
    if explained is None:
        return None
    reason = text[explained.end() :]
    if not re.search(r"[^\W\d_]{2}", reason) or _HEDGED.search(reason) or retracts(reason):
        return None
    if label in POSITIVE and not explains(text[match.end() :]):
        return None
    if label == "supported" and _DENIED.search(reason):
        return None
    return label


def _plain(text: str) -> str:
    """Compatibility forms unified, invisible characters and HTML escapes resolved."""
    text = unicodedata.normalize("NFKC", html.unescape(text))
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _spaced(text: str) -> str:
    """The text with its white space evened out: an exact echo."""
    return " ".join(text.split())


_QUOTES = re.compile(r"\\?[\"'`\u00b4\u2018-\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\u300c-\u300f]")
_MARKUP = re.compile(r"(?<![0-9])[*_~#|]+|[*_~#|]+(?![0-9])")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_LEADING = re.compile(r"^\s*(?:(?:[-\u2022\u00b7>+]|\(?\d+[.)])\s+)+")
_TRAILING = re.compile(r"[\s.,;:!]+$")


def _key(text: str) -> str:
    """What is left of a sentence when form is taken away; never empty, but for an empty sentence."""
    key = _DASHES.sub("-", _plain(_TAG.sub("", text)).casefold())
    key = _QUOTES.sub("", key)
    key = _LEADING.sub("", _MARKUP.sub("", key))
    key = re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(_TRAILING.sub("", key).split()))
    return key or _spaced(text)
