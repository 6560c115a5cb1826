"""How a patched text is told from a pristine one."""

import pytest

from evalfixes.facts import ABSENT
from evalfixes.runtime.texts import Texts

TEXTS = Texts(
    marks={"mend": (("m:score", "m:logger"), ("m:score", "m:_helper"))},
    known={
        "m:score": {"new": ("old", frozenset({"mend"}))},
        "m:logger": {"logger": (ABSENT, frozenset({"mend"}))},
        "m:_helper": {"helper": (ABSENT, frozenset({"mend"}))},
    },
)


@pytest.mark.parametrize(
    ("prints", "patched"),
    [
        ({"m:score": "old", "m:logger": ABSENT, "m:_helper": ABSENT}, False),
        ({"m:score": "new", "m:logger": "logger", "m:_helper": ABSENT}, True),
        ({"m:score": "new", "m:logger": "logger", "m:_helper": "helper"}, True),
        ({"m:score": "new", "m:logger": ABSENT, "m:_helper": ABSENT}, None),
        # A later release that has by itself what the patch adds to an older one.
        ({"m:score": "old", "m:logger": "logger", "m:_helper": ABSENT}, False),
    ],
    ids=["pristine", "one-patch", "the-other-too", "a-part", "upstream-has-the-logger"],
)
def test_a_part_of_a_patch_is_told_by_what_it_changed(prints: dict[str, str], patched: bool | None) -> None:
    assert TEXTS.patched("mend", prints) is patched


def test_a_fix_without_patches_is_in_no_text() -> None:
    assert TEXTS.patched("other", {"m:score": "new"}) is False
