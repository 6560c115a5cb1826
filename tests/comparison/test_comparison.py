"""The comparison's own column; the whole table is `python tests/comparison/run.py`."""

import pytest

from tests.comparison.cases import CASES
from tests.comparison.run import evalfixes, is_exact


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_correctness_v1_is_right(case):
    score = evalfixes(case)
    assert is_exact(case, "unscored" if score is None else f"{score:g}")
