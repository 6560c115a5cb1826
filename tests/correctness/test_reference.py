import pytest

from evalfixes.correctness.reference import Reference, parse


@pytest.mark.parametrize(
    "given, expected",
    [
        ("Paris", Reference("Paris")),
        ("Answer: Paris", Reference("Answer: Paris")),
        ("Answer: Paris\nAcceptable variants: Lutetia", Reference("Paris", ("Lutetia",))),
        (
            (
                "## Answer:\nParis,\nthe capital\n\n**Acceptable variants:**\n- Lutetia\n- the City of Light\n\n"
                "Contradictions:\n1. Lyon"
            ),
            Reference("Paris,\nthe capital", ("Lutetia", "the City of Light"), ("Lyon",)),
        ),
        ("Note first. \nAnswer: a\nVariants: b", Reference("Note first. \nAnswer: a\nVariants: b")),
        (
            {"answer": "Paris", "acceptable_variants": ["Lutetia"], "contradictions": "Lyon"},
            Reference("Paris", ("Lutetia",), ("Lyon",)),
        ),
        ({"Answer": 42}, Reference("42")),
        (["Paris", "Lutetia", " "], Reference("Paris", ("Lutetia",))),
        (None, Reference("")),
    ],
)
def test_references_are_read(given, expected):
    assert parse(given) == expected


def test_a_variant_alone_is_a_reference():
    assert not parse({"answer": "", "acceptable_variants": ["Paris"]}).blank
    assert parse({"contradictions": ["Lyon"]}).blank


@pytest.mark.parametrize("given, error", [({"expected": "Paris"}, ValueError), (3.5, TypeError)])
def test_what_is_no_reference_is_refused(given, error):
    with pytest.raises(error):
        parse(given)
