"""A judge that answers by the shape it is asked for: a schema, an example in the prompt, a scale, or a word."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evalfixes.errors import EvalfixesError
from evalfixes.testing.labels import flipped, is_label

MOODS = ("good", "bad", "mixed", "mixed-late")
"""How the judge answers. Which of two labels is the good one is not known here, so ``good`` and ``bad`` only mean
the first and the second; an audit goes by what the metric makes of them."""

_COUNT = {"good": 2, "bad": 2, "mixed": 3, "mixed-late": 3}
_PLACES = {"good": (0,), "bad": (1,), "mixed": (1, 1, 0), "mixed-late": (0, 1, 1)}
_SCALE = re.compile(
    r"(?:scale|score|rating|number|rate|grade|integer|float)\b[^.\n]{0,60}?\b(\d{1,3})\s*(?:to|and|-|–)\s*(\d{1,3})\b",
    re.IGNORECASE,
)
_GRADE = re.compile(r"GRADE: ?\$?([A-Z])\b")
_WORDS = (("yes", "no"), ("valid", "invalid"), ("pass", "fail"), ("true", "false"), ("correct", "incorrect"))
_ALTERNATIVES = re.compile(r"\s*\||\s*/\s*|\s+or\s+|,\s*")


class UnknownPromptError(EvalfixesError, LookupError):
    """A prompt that asks for nothing of a shape that is known.

    Attributes:
        prompt: The prompt.
    """

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        super().__init__(
            "the scripted judge knows no answer to this prompt, which ends with "
            f"{prompt[-200:]!r}; record a real judge's replies and give them with --recordings FILE"
        )


class Scripted:
    """A judge that gives well-formed answers of one mood.

    Args:
        mood: One of `MOODS`.
    """

    def __init__(self, mood: str) -> None:
        self._places = _PLACES[mood]
        self._count = _COUNT[mood]
        self._given = 0

    def __call__(self, prompt: str, schema: Any = None) -> str:
        """An answer in the form that is asked for.

        Args:
            prompt: The prompt.
            schema: A pydantic model class or a JSON schema; without one, the prompt is searched.

        Raises:
            UnknownPromptError: Nothing of a known shape is asked for.
        """
        if schema is not None:
            table = schema if isinstance(schema, Mapping) else schema.model_json_schema()
            return json.dumps(self._of_schema("", table, table, prompt))
        example = example_in(prompt)
        if example is not None:
            return json.dumps(self._of_example("", example, prompt))
        grades = list(dict.fromkeys(_GRADE.findall(prompt)))
        if len(grades) > 1:
            return f"Because of that.\n\nGRADE: {grades[self._at() % len(grades)]}"
        scale = _SCALE.search(prompt)
        if scale:
            return scale[2] if self._at() == 0 else scale[1]
        for pair in _WORDS:
            if all(re.search(rf"\b{word}\b", prompt, re.IGNORECASE) for word in pair):
                return pair[self._at()]
        raise UnknownPromptError(prompt)

    def _at(self) -> int:
        """Which of two answers is due: the first or the second one."""
        place = self._places[self._given % len(self._places)]
        self._given += 1
        return place

    def _number(self, prompt: str, low: float | None = None, high: float | None = None) -> float:
        if high is None:
            scale = _SCALE.search(prompt)
            low, high = (float(scale[1]), float(scale[2])) if scale else (0.0, 1.0)
        return high if self._at() == 0 else low or 0.0

    def _of_schema(self, key: str, part: Mapping[str, Any], whole: Mapping[str, Any], prompt: str) -> Any:
        if "$ref" in part:
            return self._of_schema(key, whole["$defs"][part["$ref"].rpartition("/")[2]], whole, prompt)
        for name in ("anyOf", "oneOf"):
            if name in part:
                kinds = [kind for kind in part[name] if kind.get("type") != "null"]
                return self._of_schema(key, kinds[0], whole, prompt)
        if "enum" in part:
            return part["enum"][min(self._at(), len(part["enum"]) - 1)]
        if "const" in part:
            return part["const"]
        kind = part.get("type")
        if kind == "object" or "properties" in part:
            inner = part.get("properties", {})
            return {name: self._of_schema(name, held, whole, prompt) for name, held in inner.items()}
        if kind == "array":
            self._given = 0
            return [self._of_schema(key, part.get("items", {}), whole, prompt) for _ in range(self._count)]
        if kind == "boolean":
            return self._at() == 0
        if kind in ("number", "integer"):
            number = self._number(str(part.get("description", "")), part.get("minimum"), part.get("maximum"))
            return int(number) if kind == "integer" else number
        return ("yes", "no")[self._at()] if is_label(key, "yes") and _named(key) else f"some {key or 'text'}"

    def _of_example(self, key: str, part: Any, prompt: str) -> Any:
        if isinstance(part, dict):
            return {name: self._of_example(name, held, prompt) for name, held in part.items()}
        if isinstance(part, list):
            self._given = 0
            return [self._of_example(key, part[0], prompt) for _ in range(self._count)] if part else []
        if isinstance(part, bool):
            return self._at() == 0
        if isinstance(part, (int, float)):
            number = self._number(prompt)
            return int(number) if isinstance(part, int) else number
        words = [word.strip(" \"'<>`") for word in _ALTERNATIVES.split(str(part))]
        words = [word for word in words if word]
        if len(words) > 1 and len(words) <= 5 and all(len(word.split()) == 1 for word in words):
            return words[min(self._at(), len(words) - 1)]
        if not is_label(key, str(part).strip("<>")):
            return f"some {key or 'text'}"
        if re.search("score|rating", key, re.IGNORECASE):
            return self._number(prompt)
        pair = [words[0], flipped(words[0])] if words else ["yes", "no"]
        return pair[self._at()] if pair[0] != pair[1] else ("yes", "no")[self._at()]


def _named(key: str) -> bool:
    return bool(re.search(r"verdict|label|answer|choice|grade|valid|correct|supported|passed", key, re.IGNORECASE))


def example_in(prompt: str) -> Any:
    """The last JSON object or list of objects in a prompt that holds a label; placeholders are read as texts."""
    for start in reversed([at for at, letter in enumerate(prompt) if letter == "{"]):
        text = _balanced(prompt, start)
        value = _loose(text) if text else None
        if isinstance(value, dict) and value:
            outer = example_around(prompt, start)
            return outer if outer is not None else value
    return None


def example_around(prompt: str, start: int) -> Any:
    """The outermost JSON object or list that holds what starts at a place; None if it is the outermost itself."""
    for at in range(start):
        if prompt[at] in "{[":
            text = _balanced(prompt, at)
            if text and at + len(text) > start:
                value = _loose(text)
                if isinstance(value, (dict, list)):
                    return value
    return None


def _balanced(text: str, start: int) -> str:
    depth = 0
    for at in range(start, len(text)):
        depth += text[at] in "{["
        depth -= text[at] in "}]"
        if depth == 0:
            return text[start : at + 1]
    return ""


def _loose(text: str) -> Any:
    """A value of JSON, or of the nearly-JSON in which prompts show it."""
    for change in (
        lambda t: t,
        lambda t: re.sub(r'"\s*(?:\||or|/)\s*"', "|", t),
        lambda t: re.sub(r":\s*<([^<>\"]*)>", r': "<\1>"', t),
        lambda t: re.sub(r":\s*([A-Za-z][A-Za-z ]*(?:\s*[|/]\s*[A-Za-z]+)+)\s*(?=[,}\n])", r': "\1"', t),
        lambda t: re.sub(r",?\s*\.\.\.\s*", "", t),
        lambda t: re.sub(r",\s*([}\]])", r"\1", t),
    ):
        text = change(text)
        try:
            return json.loads(text)
        except ValueError:
            continue
    return None
