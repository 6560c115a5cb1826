"""Whatever is in a record, it becomes a result or a problem with its place; never an exception."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalfixes.rescoring import Options, Place, Problem, Record, Rescored, rescore_record
from tests.rescoring import stored as made

pytest.importorskip("nltk")

odd = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)

_RUBRICS = {"threshold": 0.5, "rubrics": [{"rubric_id": "r1"}, {"rubric_id": "r2"}]}
_ROW = made.metric(
    "rubric_based_tool_use_quality_v1", 1.0, 1, details={"rubric_scores": [{"rubric_id": "r1", "score": 1}]}
)
WHOLE = {
    "adk": made.case(
        1,
        [
            made.metric("response_match_score", 0.75, 1, 0.5),
            made.metric("tool_trajectory_avg_score", 1.0, 1, criterion={"threshold": 1.0, "match_type": 1}),
            made.metric("hallucinations_v1", 1.0, 1),
            {**_ROW, "criterion": _RUBRICS},
        ],
        [
            made.turn(
                {**made.events(("a", {"x": 1})), "final_response": made.content(made.thought("Paris"), "London")},
                made.invocation(made.content("Paris"), [("a", {"x": 1})]),
                made.metric("response_match_score", 0.75, 1, 0.5),
                made.metric("hallucinations_v1", 1.0, 1),
                _ROW,
            )
        ],
    ),
    "deepeval": made.test_case(
        True,
        {
            "name": "Faithfulness", "score": 1.0, "success": True, "threshold": 0.5,
            "verboseLogs": made.verdict_log("Claims", ["one", "two"], ["yes"]),
        },
        context=["c"],
    ),
    "agentevals": {
        "trace_id": "t", "num_invocations": 2, "_errors": [],
        "metrics": [
            {"metric_name": "hallucinations_v1", "score": 1.0, "eval_status": "PASSED",
             "per_invocation_scores": [1.0, None], "error": None},
        ],
    },
    "rows": {"question": "q", "answer": "a", "reference": "a", "score": 1.0, "model": "m"},
}  # fmt: skip


def places(value, path=()):
    """The paths of everything inside a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from places(inner, (*path, index))


@settings(deadline=None, max_examples=400)
@given(st.data())
def test_any_damage(data):
    kind = data.draw(st.sampled_from(sorted(WHOLE)))
    record = copy.deepcopy(WHOLE[kind])
    for _ in range(data.draw(st.integers(1, 2))):
        paths = list(places(record))
        if not paths:
            break
        *way, last = data.draw(st.sampled_from(paths))
        holder = record
        for step in way:
            holder = holder[step]
        if data.draw(st.booleans()):
            del holder[last]
        else:
            holder[last] = data.draw(odd)
    before = json.dumps(record, default=repr)
    outcome = rescore_record(Record(kind, Place("f", "p"), record), Options())
    assert isinstance(outcome, (Rescored, Problem))
    assert outcome.place == Place("f", "p")
    assert json.dumps(record, default=repr) == before, "records are read only"
    if isinstance(outcome, Rescored):
        json.dumps(outcome.as_dict())
    else:
        assert outcome.reason
