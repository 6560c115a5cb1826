import asyncio

import pytest

from evalfixes.evaluators import acorrectness, correctness
from tests.correctness.judges import Script, async_of, claim, reply

RIGHT = reply(claim())
WRONG = reply(claim("contradicted", "Lyon", "Paris"))


@pytest.mark.parametrize(
    ("inputs", "outputs", "reference"),
    [
        ("Capital?", "Paris", "Paris"),
        ({"question": "Capital?"}, {"answer": "Paris"}, {"answer": "Paris"}),
        ({"q": "Capital?"}, {"whatever": "Paris"}, {"expected_output": "Paris"}),
        (
            {"messages": [{"content": "Capital?"}]},
            {"messages": [{"content": "Hm"}, {"content": "Paris"}]},
            ["Paris", "Lutetia"],
        ),
        ("Capital?", "Paris", {"answer": "Paris", "contradictions": ["Lyon"]}),
    ],
)
def test_what_harnesses_pass(inputs, outputs, reference):
    judge = Script(RIGHT)
    feedback = correctness(judge)(inputs=inputs, outputs=outputs, reference_outputs=reference)
    assert (feedback["key"], feedback["score"]) == ("correctness_v1", 1.0)
    assert "Capital?" in judge.prompts[0]


def test_contradiction_and_reason():
    feedback = correctness(Script(WRONG), key="mine")("Capital?", "Lyon", "Paris")
    assert (feedback["key"], feedback["score"]) == ("mine", 0.0)
    assert 'the reference says "Paris"' in feedback["comment"]
    assert feedback["metadata"]["contradictions"]


@pytest.mark.parametrize(
    ("outputs", "reference", "status"),
    [
        ("Paris", None, "no_reference"),
        ("Paris", {}, "no_reference"),
        ("Paris", {"answer": ""}, "no_reference"),
        (None, "Paris", "empty_answer"),
        ({}, "Paris", "empty_answer"),
        ({"answer": ""}, "Paris", "empty_answer"),
        ({"error": "timeout"}, "Paris", "run_error"),
    ],
)
def test_what_cannot_be_judged_has_no_score(outputs, reference, status):
    feedback = correctness(Script(RIGHT))("Capital?", outputs, reference)
    assert (feedback["score"], feedback["metadata"]["status"]) == (None, status)


def test_async():
    feedback = asyncio.run(acorrectness(async_of(Script(RIGHT)))(inputs="", outputs="Paris", reference_outputs="Paris"))
    assert feedback["score"] == 1.0
