"""What must hold of the patch files themselves, told without any upstream."""

from __future__ import annotations

import pytest
from packaging.version import Version

from evalfixes._index import INDEX
from evalfixes.facts import fix_facts, upstream
from evalfixes.patching.series import Patch, series
from evalfixes.patching.tree import PREFIXES
from evalfixes.releases import in_range
from evalfixes.resources import folder
from evalfixes.runtime.texts import texts

SINCE = "2025-12-01"
"""Releases uploaded from this day on are promised a patch for every fix; the four named ones all of their range."""

PATCHES = [p for dist in PREFIXES for found in series(dist).patches.values() for p in found]
NAMED = (
    "adk-response-match-thoughts",
    "adk-hallucinations-sentence-labels",
    "adk-hallucinations-steps",
    "agentevals-hallucinations-tool-evidence",
    "deepeval-verbose-verdicts",
)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda p: f"{p.fix_id}-{p.releases}")
class TestPatch:
    def test_it_says_what_it_is(self, patch: Patch) -> None:
        assert patch.fix_id in INDEX
        assert patch.trailer("Origin") == [f"vendor, evalfixes {patch.fix_id} {patch.releases}"]
        for name in ("Forwarded", "Applied-Upstream", "Last-Update"):
            assert patch.trailer(name), name

    def test_it_stands_on_its_own(self, patch: Patch) -> None:
        added = [content for c in patch.files for h in c.hunks for tag, content, _ in h.lines if tag == "+"]
        assert not [line for line in added if b"evalfixes" in line]
        assert any(c.path.startswith(PREFIXES[patch.dist]) for c in patch.files)

    def test_it_brings_a_regression_test(self, patch: Patch) -> None:
        assert any(c.path.startswith("tests/") and c.new for c in patch.files)

    def test_it_has_full_index_lines(self, patch: Patch) -> None:
        assert {len(blob) for change in patch.files for blob in change.blobs} == {40}
        assert patch.message.startswith("From " + "0" * 40)

    def test_patched_texts_are_on_record(self, patch: Patch) -> None:
        assert texts(patch.dist).symbols(patch.fix_id)

    def test_what_it_depends_on_comes_first(self, patch: Patch) -> None:
        order = series(patch.dist).order
        assert all(order.index(d) < order.index(patch.fix_id) for d in patch.depends_on)


def test_the_series_lists_every_file() -> None:
    for dist in PREFIXES:
        home = folder("patches") / dist
        listed = {p.path for found in series(dist).patches.values() for p in found}
        assert listed == set(home.glob("*/*.patch"))


@pytest.mark.parametrize("fix_id", [f for f in NAMED if f in INDEX])
def test_named_fixes_have_no_gap_in_their_range(fix_id: str) -> None:
    facts = fix_facts(INDEX[fix_id].dist, fix_id)
    spans = [p.releases for p in series(INDEX[fix_id].dist).patches[fix_id]]
    ends = {e for v in facts.variants for part in v.releases.split(",") for e in part.split("..") if e}
    for end in sorted(ends, key=Version):
        covering = [span for span in spans if in_range(end, span)]
        assert len(covering) == (1 if in_range(end, facts.affected) else 0), (end, covering)


@pytest.mark.parametrize("fix_id", sorted(INDEX))
def test_every_release_of_the_last_twelve_months_has_one_patch(fix_id: str) -> None:
    dist = INDEX[fix_id].dist
    affected = fix_facts(dist, fix_id).affected
    promised = [
        release
        for release, facts in upstream(dist)["releases"].items()
        if facts["date"] >= SINCE and in_range(release, affected)
    ]
    spans = [p.releases for p in series(dist).patches.get(fix_id, ())]
    counts = {release: sum(in_range(release, span) for span in spans) for release in promised}
    assert promised
    assert {release: count for release, count in counts.items() if count != 1} == {}
