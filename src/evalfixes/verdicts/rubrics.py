"""Reads a judge's reply about rubrics: which were answered, with yes or with no, and which were not.

A reply consists of blocks, one per rubric: lines such as ``ID:``, ``Property:``, ``Rationale:`` and
``Verdict:``. Decoration, other order, other capitals and missing rationales are read. A block whose
rubric or whose verdict is not plain answers nothing, and nobody guesses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from evalfixes.verdicts.hedges import argues, limits, retracts

_NAMES = r"id|property|evidence|rationale|(?:final\s+)?verdict|step\s*\d+"
_FIELD = re.compile(
    rf"^[\s>*_#`\"'•\-]*(?:\d+[.)]\s+)?[\s*_`\"']*({_NAMES})[\s*_`\"']*[:：][\s*_]*(.*)$", re.IGNORECASE
)
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=(?:Evidence|Rationale|Verdict): )")
_TAG = re.compile(r"^[\s*_`\"'\-•]*\[\s*id:\s*([^\]]+?)\s*\]\s*", re.IGNORECASE)
_SMART = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_DECORATION = " *_`#>-•\"'"

_HEDGE = {
    "partially", "partly", "partial", "mostly", "somewhat", "probably", "maybe", "perhaps", "likely", "possibly",
    "but", "except", "unless", "with", "if", "almost", "kind", "sort", "or", "and", "not", "nor", "mainly",
    "largely", "arguably", "unsure", "however", "although", "though", "yes", "no", "yet", "nearly", "when", "only",
    "vs", "versus", "slash", "sometimes", "hardly", "barely", "depending", "conditionally", "unclear", "unknown",
}  # fmt: skip
_AFTER_NO = {"because", "since", "as", "the", "it", "this", "there", "agent", "response", "answer"}


@dataclass(frozen=True)
class Answer:
    """What the judge said of one rubric.

    Attributes:
        score: 1.0 for yes, 0.0 for no, None if there is no usable answer.
        rationale: The judge's reason, if it gave one.
        problem: Why there is no usable answer; empty if there is one.
    """

    score: float | None
    rationale: str | None = None
    problem: str = ""


@dataclass
class _Block:
    ids: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    rationales: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)


def read_verdict(text: str) -> bool | None:
    """Yes, no, or None if the words are not plainly one of them.

    ``Yes.``, ``**no**`` and ``Yes, because …`` are plain; ``yes|no``, ``No doubt, yes``, ``Not
    applicable``, ``partially`` and ``Yes, but …`` are not.
    """
    plain = unicodedata.normalize("NFKC", text).replace("—", " — ").replace("–", " – ").translate(_SMART).strip()
    plain = re.sub(r"[*_`\"\[\](){}<>]", " ", plain)
    found = re.match(r"[^\w/|]*(yes|no)\b(.*)$", plain, re.IGNORECASE | re.DOTALL)
    if found is None:
        return None
    verdict = found.group(1).lower() == "yes"
    rest = found.group(2).strip()
    if re.match(r"['’/|&\\\-]?\w", found.group(2)) or rest[:1] in {"/", "|", "&", "\\", "?", "="}:
        return None
    parted = re.match(r"[^\w\s]+", rest) is not None
    words = re.findall(r"\w+", rest.lower())
    if not words:
        return None if "?" in rest or (verdict and limits(rest)) else verdict
    if words[0] in _HEDGE or words[:2] in (["in", "part"], ["to", "some"], ["to", "a"], ["up", "to"]):
        return None
    line = found.group(2).partition("\n")[0]  # a closing remark further down limits nothing, but may take back
    if _second_thoughts(verdict, words) or retracts(rest) or (verdict and limits(line) and not argues(line)):
        return None
    if not parted and not verdict and words[0] not in _AFTER_NO:
        return None  # "No doubt …", "No issues …" say something else than no
    return verdict


def _second_thoughts(verdict: bool, words: list[str]) -> bool:
    """Whether the words after a verdict take it back; an explanation may well contain a plain "no"."""
    if verdict:
        closing = words[-1] == "no" or words[-2:] == ["is", "no"]
    else:
        closing = words[-1] == "yes" or "yes" in words[:3]
    changed = {"wait", "actually", "verdict", "rather", "correction", "reconsider", "reconsidering", "scratch"}
    return closing or bool(changed & set(words))


def read(reply: str, rubrics: Sequence[tuple[str, str]]) -> dict[str, Answer]:
    """The answer to each rubric.

    Args:
        reply: The judge's text.
        rubrics: The rubrics that it was asked about: id and text. Ids are unique.

    Returns:
        An answer per rubric id, in the order of the rubrics. Blocks for other rubrics are ignored.
    """
    blocks = _blocks(reply)
    found: dict[str, list[tuple[bool | None, str | None]]] = {rubric_id: [] for rubric_id, _ in rubrics}
    disputed: set[str] = set()
    if blocks is None:
        return {rubric_id: Answer(None, problem="a verdict stands before any rubric") for rubric_id in found}
    index = _Index(rubrics)
    for block in blocks:
        ids = index.identify(block)
        if len(ids) > 1:
            disputed |= ids
        for rubric_id in ids:
            rationale = block.rationales[0] if block.rationales else None
            found[rubric_id].append((_verdict(block), rationale))
    return {rubric_id: _answer(answers, rubric_id in disputed) for rubric_id, answers in found.items()}


def _answer(answers: list[tuple[bool | None, str | None]], disputed: bool) -> Answer:
    if not answers:
        return Answer(None, problem="left out")
    rationale = answers[0][1]
    if disputed:
        return Answer(None, rationale, "its id and its text name different rubrics")
    if len(verdicts := {verdict for verdict, _ in answers}) > 1:
        return Answer(None, rationale, "answered twice, differently")
    verdict = verdicts.pop()
    if verdict is None:
        return Answer(None, rationale, "its verdict is not plainly yes or no")
    return Answer(1.0 if verdict else 0.0, rationale)


def _verdict(block: _Block) -> bool | None:
    """The block's verdict; None if it has none, several, or parts of two blocks."""
    if not block.verdicts or len(set(block.rationales)) > 1:
        return None
    read_as = {read_verdict(text) for text in block.verdicts}
    return read_as.pop() if len(read_as) == 1 else None


def _blocks(reply: str) -> list[_Block] | None:
    """The blocks of a reply; None if a verdict comes before any rubric, so that none can be assigned."""
    blocks: list[_Block] = []
    current: _Block | None = None
    open_list: list[str] | None = None
    for line in _lines(reply):
        match = _FIELD.match(line)
        if match is None:
            if open_list is not None and line.strip():
                open_list[-1] = f"{open_list[-1]}\n{line.strip()}" if open_list[-1] else line.strip()
            continue
        name, value = match.group(1).lower().split()[-1], match.group(2).strip()
        open_list = None
        if name in ("id", "property"):
            if current is None or current.verdicts or (current.ids if name == "id" else current.properties):
                current = _Block()
                blocks.append(current)
            open_list = current.ids if name == "id" else current.properties
        elif name == "verdict":
            if current is None:
                return None
            open_list = current.verdicts
        elif name == "rationale" and current is not None:
            open_list = current.rationales
        if open_list is not None:
            open_list.append(value)
    return blocks


def _lines(reply: str) -> list[str]:
    lines: list[str] = []
    for line in reply.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        lines += _INLINE.split(line) if _FIELD.match(line) else [line]
    return lines


class _Index:
    """Finds rubrics by what a block says of them."""

    def __init__(self, rubrics: Sequence[tuple[str, str]]) -> None:
        self._by_id = {rubric_id: rubric_id for rubric_id, _ in rubrics}
        folded = [_bare(rubric_id).casefold() for rubric_id, _ in rubrics]
        for (rubric_id, _), key in zip(rubrics, folded, strict=True):
            if folded.count(key) == 1:
                self._by_id.setdefault(key, rubric_id)
        self._strict = self._texts(rubrics, _strict)
        self._loose = self._texts(rubrics, _loose)

    @staticmethod
    def _texts(rubrics: Sequence[tuple[str, str]], key: object) -> dict[str, set[str]]:
        texts: dict[str, set[str]] = {}
        for rubric_id, text in rubrics:
            texts.setdefault(key(text), set()).add(rubric_id)  # type: ignore[operator]
        return texts

    def identify(self, block: _Block) -> set[str]:
        """The rubric a block is about; several if its id and its text disagree, none if unknown."""
        named = self._named(block.ids[0]) if block.ids else None
        text = block.properties[0] if block.properties else ""
        tag = _TAG.match(text)
        if tag is not None:
            named = named or self._named(tag.group(1))
            text = text[tag.end() :]
        described = self._described(text)
        if named is None:
            return described if len(described) == 1 else set()
        if described and named not in described:
            return {named, *described}
        return {named}

    def _named(self, text: str) -> str | None:
        first = text.split("\n")[0].strip()
        for key in (first, _bare(first), _bare(first).casefold()):
            if key in self._by_id:
                return self._by_id[key]
        return None

    def _described(self, text: str) -> set[str]:
        lines = text.split("\n")
        for part in dict.fromkeys((lines[0], text)):
            for table, key in ((self._strict, _strict), (self._loose, _loose)):
                if key(part) and key(part) in table:
                    return table[key(part)]
        return set()


def _bare(text: str) -> str:
    text = text.strip().strip("*_`\"'[](){}<>,; ")
    return re.sub(r"^id:\s*", "", text, flags=re.IGNORECASE).strip("*_`\"'[](){}<>,;. ")


def _strict(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_SMART)
    return re.sub(r"\s+", " ", text).strip(_DECORATION).lower()


def _loose(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_SMART)
    return re.sub(r"[\s*_`\"'#•]+", "", text).strip(".!;:,->").casefold()
