"""Turns of an agent, for the generated cases of the agentevals fixes; no strategy of a fix itself."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("Alpha", "Bravo", "Charlie", "Delta")
FORMS = st.sampled_from(["jaeger", "otlp"])
DIALECTS = st.sampled_from(["adk", "genai"])
THRESHOLDS = st.sampled_from([None, 0.3, 0.5, 0.8, 1.0])
_CITIES = ("Oslo", "Rome", "Lima", "Bonn", "Kyiv", "Oran")
_SAID = ("{} lies yonder.", "{} costs 17 dollars.", "{} is fine. It costs 23 dollars.")


@st.composite
def plain_turns(draw: st.DrawFn, least: int = 1, most: int = 4) -> list[dict[str, Any]]:
    """Turns without tools: some claim nothing, some claim what nothing supports."""
    count = draw(st.integers(least, most))
    said = draw(st.lists(st.sampled_from(_SAID), min_size=count, max_size=count))
    return [
        {"user": f"Where is {name}?", "final": text.format(name), "rounds": []}
        for name, text in zip(NAMES, said, strict=False)
    ]


@st.composite
def weather_turn(
    draw: st.DrawFn, ids: str = "distinct", missing: bool = False, records: tuple[str, ...] = ("span", "parts", "both")
) -> dict[str, Any]:
    """A turn with rounds of tool calls, whose answer claims some readings.

    Args:
        ids: ``distinct``; ``anew`` (start anew in every round); ``any`` (none, equal, anew, distinct).
        missing: Whether some calls have no output.
        records: Where calls and outputs may stand, one place for the whole turn.
    """
    record = draw(st.sampled_from(records))
    rounds, cities, serial = [], list(draw(st.permutations(_CITIES))), 0
    for _ in range(draw(st.integers(1, 3))):
        calls = []
        for place in range(draw(st.integers(1, 2))):
            city = cities.pop()
            id_ = {"distinct": f"c{serial}", "anew": f"call_{place}"}.get(ids)
            if ids == "any":
                id_ = draw(st.sampled_from([None, "x", f"call_{place}", f"c{serial}"]))
            call: dict[str, Any] = {"name": draw(st.sampled_from(["weather", "forecast"])), "args": {"city": city}}
            call |= {"id": id_, "record": record}
            if not (missing and draw(st.booleans())):
                call["output"] = {"temp": f"T-{100 + serial}"}
            calls.append(call)
            serial += 1
        rounds.append(calls)
    readings = [f"T-{100 + n}" for n in range(serial)] + ["T-999"]
    claimed = draw(st.lists(st.sampled_from(readings), min_size=1, max_size=4))
    final = " ".join(f"It reads {reading}." for reading in claimed)
    return {"user": "Weather?", "final": final, "rounds": rounds}


@st.composite
def without_an_output(draw: st.DrawFn, turn: dict[str, Any]) -> dict[str, Any]:
    """The turn with one recorded output less."""
    places = [(r, c) for r, calls in enumerate(turn["rounds"]) for c, call in enumerate(calls) if "output" in call]
    if not places:
        return turn
    gone = draw(st.sampled_from(places))
    rounds = [
        [{k: v for k, v in call.items() if (r, c) != gone or k != "output"} for c, call in enumerate(calls)]
        for r, calls in enumerate(turn["rounds"])
    ]
    return {**turn, "rounds": rounds}


def judges(turns: int) -> st.SearchStrategy[dict[str, Any]]:
    """Judges that fail on some of so many turns, in either way."""
    return st.fixed_dictionaries(
        {
            "fails_on": st.lists(st.sampled_from(NAMES[:turns]), min_size=1, unique=True),
            "how": st.sampled_from(["error", "mute"]),
        }
    )
