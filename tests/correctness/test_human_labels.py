"""The numeric hint against people's labels, on the half that it was not tuned on."""

from tests.correctness.human_labels import evouna, measure, nq301
from tests.shared import data


def test_evouna_on_the_other_half():
    figures = measure(evouna(data("evouna"), "test"))
    assert figures.answers > 1500
    assert figures.agrees_right >= 0.97
    assert figures.contradicts_right >= 0.86
    assert figures.abstains <= 0.12


# Here it abstains on 14 %: 30 of the 312 answers hold no value at all, where nothing can be compared.
def test_nq301():
    figures = measure(nq301(data("nq301")))
    assert figures.answers > 100
    assert figures.agrees_right >= 0.97
    assert figures.contradicts_right >= 0.86
    assert figures.abstains <= 0.15
