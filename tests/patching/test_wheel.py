"""`evalfixes wheel` on a tiny wheel, with the real pip and the real `wheel`; nothing comes from a network."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

from evalfixes import catalog
from evalfixes.cli import doctor, main, reports
from evalfixes.errors import UnknownFixError
from evalfixes.patching import plan, sets
from evalfixes.patching import wheel as wheel_module
from evalfixes.patching.series import Series, series
from evalfixes.patching.wheel import Built, RefusedError, WheelError, build
from evalfixes.releases import in_range
from evalfixes.runtime import decide as decide_module
from evalfixes.runtime import provenance
from evalfixes.runtime.decide import FAULTY, PATCHED, decide
from tests.patching.conftest import THOUGHTS
from tests.patching.wheels import record, tiny_wheel

pytest.importorskip("wheel")

TEXT = "google/adk/evaluation/final_response_match_v1.py"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tiny_wheel(tmp_path / "base")
    record(path, monkeypatch)
    return path


@pytest.fixture
def built(base: Path, tmp_path: Path) -> Built:
    return build(str(base), tmp_path / "out", [THOUGHTS])


def content(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def nothing_written(tmp_path: Path) -> bool:
    return not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


class TestBuilt:
    def test_version_is_local_everywhere(self, built: Built) -> None:
        number = sets.current("google-adk").number
        assert built.version == f"2.13.0+evalfixes.{number}"
        assert built.path.name == f"google_adk-{built.version}-py3-none-any.whl"
        files = content(built.path)
        info = f"google_adk-{built.version}.dist-info"
        assert {name.partition("/")[0] for name in files} == {"google", info}
        said = BytesParser().parsebytes(files[f"{info}/METADATA"])
        assert said["Version"] == built.version
        assert said.get_payload() == "Version: of the text\n"

    def test_everything_else_stays(self, built: Built, base: Path) -> None:
        before, after = content(base), content(built.path)
        old, new = "google_adk-2.13.0.dist-info", f"google_adk-{built.version}.dist-info"
        before = {name.replace(old, new): data for name, data in before.items()}
        changed = {name for name in before if after[name] != before[name]}
        assert changed == {TEXT, f"{new}/METADATA", f"{new}/RECORD"}
        assert set(after) - set(before) == {f"{new}/{provenance.NAME}"}
        with zipfile.ZipFile(built.path) as archive:
            modes = {i.filename: i.external_attr >> 16 & 0o777 for i in archive.infolist()}
        assert modes["google/adk/tool.sh"] == 0o755
        assert modes[TEXT] == modes[f"{new}/{provenance.NAME}"] == 0o644

    def test_record_has_every_file(self, built: Built) -> None:
        files = content(built.path)
        info = f"google_adk-{built.version}.dist-info"
        rows = {name: found for name, found, _ in csv.reader(files[f"{info}/RECORD"].decode().splitlines())}
        assert set(rows) == set(files)
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert rows[name] == ("" if name == f"{info}/RECORD" else f"sha256={digest}")

    def test_provenance(self, built: Built, base: Path) -> None:
        said = json.loads(content(built.path)[f"google_adk-{built.version}.dist-info/{provenance.NAME}"])
        numbered = sets.current("google-adk")
        patch = next(p for p in series("google-adk").patches[THOUGHTS] if p.covers("2.13.0"))
        assert said == {
            "schema_version": 1,
            "version": built.version,
            "base": {"file": base.name, "sha256": hashlib.sha256(base.read_bytes()).hexdigest()},
            "evalfixes": numbered.evalfixes,
            "patch_set": {"number": numbered.number, "sha256": numbered.digest},
            "fixes": [
                {
                    "id": THOUGHTS,
                    "patch": f"{THOUGHTS}/{patch.path.name}",
                    "sha256": hashlib.sha256(patch.path.read_bytes()).hexdigest(),
                }
            ],
            "left_out": [],
        }

    def test_the_same_bytes_again(
        self, built: Built, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        before = os.umask(0o077)
        try:
            again = build(str(base), tmp_path / "again", [THOUGHTS])
        finally:
            os.umask(before)
        assert again.path.read_bytes() == built.path.read_bytes()
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
        later = build(str(base), tmp_path / "later", [THOUGHTS])
        with zipfile.ZipFile(later.path) as archive:
            assert {i.date_time for i in archive.infolist()} == {(2026, 1, 1, 0, 0, 0)}

    def test_the_hash_line(self, built: Built) -> None:
        sha256 = hashlib.sha256(built.path.read_bytes()).hexdigest()
        assert built.requirement == f"google-adk=={built.version} --hash=sha256:{sha256}"

    def test_a_part_of_the_patches_has_a_version_of_its_own_below_that_of_all(
        self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from packaging.version import Version

        every = plan.Row("adk-rubric-author", plan.APPLIED)
        real = wheel_module.make

        def make(path: Path, ids: tuple[str, ...] = ()) -> plan.Plan:
            made = real(path, ids)
            if not ids:
                made.copies[0][1].append(every)
            return made

        monkeypatch.setattr(wheel_module, "make", make)
        part = build(str(base), tmp_path / "out", [THOUGHTS])
        number = sets.current("google-adk").number
        assert part.version.startswith(f"2.13.0+evalfixes.part.{number}.x")
        assert Version("2.13.0") < Version(part.version) < Version(f"2.13.0+evalfixes.{number}")


class TestFromAnIndex:
    @pytest.fixture
    def offline(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        pytest.importorskip("pip")
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(base.parent))
        return base.parent

    def test_the_pristine_wheel_is_taken_where_a_patched_one_is_served_too(
        self, offline: Path, built: Built, tmp_path: Path
    ) -> None:
        (offline / built.path.name).write_bytes(built.path.read_bytes())
        again = build("google-adk[eval]==2.13.0", tmp_path / "again", [THOUGHTS])
        assert again.path.read_bytes() == built.path.read_bytes()

    def test_a_release_that_is_not_served(self, offline: Path, tmp_path: Path) -> None:
        with pytest.raises(WheelError, match=r"`pip download` failed: ERROR: .*google-adk===9\.9"):
            build("google-adk==9.9", tmp_path / "out")
        assert nothing_written(tmp_path)


class TestRefused:
    def test_a_tampered_base(self, base: Path, tmp_path: Path) -> None:
        tampered = tiny_wheel(tmp_path / "tampered", {"google/adk/extra.py": b"import os\n"})
        with pytest.raises(RefusedError, match=r"is not the wheel of google-adk 2\.13\.0: its SHA-256 is [0-9a-f]{64}"):
            build(str(tampered), tmp_path / "out", [THOUGHTS])
        assert nothing_written(tmp_path)

    def test_a_release_that_is_not_on_record(self, tmp_path: Path) -> None:
        unknown = tiny_wheel(tmp_path / "unknown", release="99.0")
        with pytest.raises(RefusedError, match=r"google-adk 99\.0 is not among the releases on record"):
            build(str(unknown), tmp_path / "out")
        assert nothing_written(tmp_path)

    def test_a_patched_wheel_as_the_base(self, built: Built, tmp_path: Path) -> None:
        with pytest.raises(RefusedError, match=r"is no release of google-adk: build from the wheel of 2\.13\.0"):
            build(str(built.path), tmp_path / "other")
        assert not (tmp_path / "other").exists()

    def test_a_missing_patch(
        self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        full = series("google-adk")
        monkeypatch.setattr(plan, "series", lambda dist: Series(dist, full.order, {**full.patches, THOUGHTS: ()}))
        monkeypatch.setattr(plan, "_any_module", lambda copy, fix: fix.id == THOUGHTS)
        with pytest.raises(RefusedError, match=f"would keep faults, no patch fits for {THOUGHTS}"):
            build(str(base), tmp_path / "out")
        assert main(["wheel", str(base), "-o", str(tmp_path / "out")]) == 1
        said = capsys.readouterr()
        assert f"{THOUGHTS}  no patch" in said.out
        assert "--without ID leaves a fix out on purpose" in said.err
        assert nothing_written(tmp_path)

    def test_nothing_to_repair(self, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        repaired = tiny_wheel(tmp_path / "repaired", {TEXT: content(built.path)[TEXT]})
        record(repaired, monkeypatch)
        with pytest.raises(RefusedError, match=r"google-adk 2\.13\.0 needs none of the patches"):
            build(str(repaired), tmp_path / "other", [THOUGHTS])

    def test_two_copies_in_one_wheel(self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = content(base)[TEXT]
        double = tiny_wheel(tmp_path / "double", {TEXT.replace("google/", "vendored/"): text})
        record(double, monkeypatch)
        with pytest.raises(RefusedError, match="does not hold one copy of google-adk"):
            build(str(double), tmp_path / "out", [THOUGHTS])

    @pytest.mark.parametrize("head", ["Name: google-adk\n\n", "Version: 1\nVersion: 2\n\n"])
    def test_metadata_without_one_version(self, head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        odd = tiny_wheel(tmp_path / "odd", {"google_adk-2.13.0.dist-info/METADATA": head.encode()})
        record(odd, monkeypatch)
        with pytest.raises(RefusedError, match=r"names its version [02] times"):
            build(str(odd), tmp_path / "out", [THOUGHTS])

    def test_a_folder_of_another_name(self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wheel_module, "_stem", lambda base: "google-adk")
        with pytest.raises(RefusedError, match=r"has no google-adk-2\.13\.0\.dist-info"):
            build(str(base), tmp_path / "out", [THOUGHTS])

    def test_a_wrong_record(self, base: Path, tmp_path: Path) -> None:
        name = "google_adk-2.13.0.dist-info/RECORD"
        wrong = tmp_path / "google_adk-2.13.0-py3-none-any.whl"
        with zipfile.ZipFile(wrong, "w") as archive:
            for file, data in content(base).items():
                archive.writestr(file, b"" if file == name else data)
        with pytest.raises(RefusedError, match="wrong RECORD for"):
            wheel_module._verify(wrong, "2.13.0")
        with pytest.raises(RefusedError, match=r"is not version 2\.13\.0"):
            wheel_module._verify(base, "2.13.0")

    def test_a_disk_that_says_no(self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def write(self: plan.Plan) -> None:
            self.problem = "no space left"

        monkeypatch.setattr(plan.Plan, "write", write)
        with pytest.raises(RefusedError, match="no space left; nothing was written"):
            build(str(base), tmp_path / "out", [THOUGHTS])


class TestLeftOut:
    @pytest.fixture
    def unpatched(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """Another fix that this base needs, and that has no patch."""
        other = "adk-rubric-author"
        real = wheel_module.make

        def make(path: Path, ids: tuple[str, ...] = ()) -> plan.Plan:
            made = real(path, ids)
            if not ids or other in ids:
                rows = made.copies[0][1]
                rows[:] = [row for row in rows if row.fix_id != other]
                rows.append(plan.Row(other, plan.REFUSED if ids else plan.NO_PATCH))
            return made

        monkeypatch.setattr(wheel_module, "make", make)
        return other

    def test_on_purpose_and_it_says_so(self, base: Path, unpatched: str, tmp_path: Path) -> None:
        with pytest.raises(RefusedError, match=f"would keep faults, no patch fits for {unpatched}"):
            build(str(base), tmp_path / "out")
        made = build(str(base), tmp_path / "out", without=[unpatched])
        assert made.version == f"2.13.0+evalfixes.{sets.current('google-adk').number}"
        said = json.loads(content(made.path)[f"google_adk-{made.version}.dist-info/{provenance.NAME}"])
        assert said["left_out"] == [unpatched]
        assert [fix["id"] for fix in said["fixes"]] == [THOUGHTS]

    def test_not_both(self, base: Path, tmp_path: Path) -> None:
        with pytest.raises(WheelError, match="or those to leave out"):
            build(str(base), tmp_path / "out", [THOUGHTS], ["adk-rubric-author"])

    def test_what_another_one_needs(self, base: Path, tmp_path: Path) -> None:
        with pytest.raises(WheelError, match=r"needs adk-gate-unscored; leave that one out too"):
            build(str(base), tmp_path / "out", without=["adk-gate-unscored"])

    def test_an_unknown_fix(self, base: Path, tmp_path: Path) -> None:
        with pytest.raises(UnknownFixError):
            build(str(base), tmp_path / "out", without=["adk-nothing"])


class TestWrongUse:
    @pytest.mark.parametrize(
        ("source", "said"),
        [
            ("google adk", "neither a wheel nor a requirement"),
            ("requests==2.0", "there are no patches for requests; they are for agentevals-cli"),
            ("google-adk @ https://example.org/x.zip", "names an address"),
            ("missing-1-py3-none-any.whl", "does not exist"),
        ],
    )
    def test_sources(self, source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["wheel", source, "-o", str(tmp_path / "out")]) == 3
        assert said in capsys.readouterr().err
        assert nothing_written(tmp_path)

    @pytest.mark.parametrize(
        ("name", "said"),
        [("nonsense.whl", "Invalid wheel filename"), ("other-1.0-py3-none-any.whl", "there are no patches for other")],
    )
    def test_files(self, name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / name).write_bytes(b"")
        assert main(["wheel", str(tmp_path / name), "-o", str(tmp_path / "out")]) == 3
        assert said in capsys.readouterr().err

    def test_an_unknown_fix(self, base: Path, tmp_path: Path) -> None:
        with pytest.raises(UnknownFixError):
            build(str(base), tmp_path / "out", ["adk-nothing"])

    @pytest.mark.parametrize("module", ["wheel", "pip"])
    def test_a_tool_that_is_not_installed(self, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = wheel_module.importlib.util.find_spec  # type: ignore[attr-defined]
        monkeypatch.setattr(
            wheel_module.importlib.util,
            "find_spec",
            lambda name: None if name == module else real(name),  # type: ignore[attr-defined]
        )
        with pytest.raises(WheelError, match=rf"'{module}' is not installed in .*pip install 'evalfixes\[wheel\]'"):
            build("google-adk==2.13.0", tmp_path / "out")

    def test_a_broken_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = tmp_path / "google_adk-2.13.0-py3-none-any.whl"
        broken.write_bytes(b"no zip")
        record(broken, monkeypatch)
        with pytest.raises(WheelError, match="`wheel unpack` failed: "):
            build(str(broken), tmp_path / "out")

    def test_an_epoch_that_is_no_number(self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
        with pytest.raises(WheelError, match="SOURCE_DATE_EPOCH is 'today'; give whole seconds"):
            build(str(base), tmp_path / "out", [THOUGHTS])

    def test_a_folder_that_cannot_be_written(self, base: Path, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("a file")
        with pytest.raises(WheelError, match="cannot be written"):
            build(str(base), tmp_path / "out", [THOUGHTS])

    def test_a_pip_that_hangs(self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wheel_module, "_SECONDS", 0.001)
        with pytest.raises(WheelError, match=r"`wheel unpack` is not done after 0\.001 s"):
            build(str(base), tmp_path / "out", [THOUGHTS])

    def test_pip_that_brings_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pip")
        monkeypatch.setattr(wheel_module, "_run", lambda *command: None)
        with pytest.raises(WheelError, match=r"pip brought 0 wheels for google-adk==2\.13\.0"):
            build("google-adk==2.13.0", tmp_path / "out")


class TestInstalled:
    state = PATCHED

    @pytest.fixture
    def site(self, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        with zipfile.ZipFile(built.path) as archive:
            archive.extractall(tmp_path / "site")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        for name in [n for n in sys.modules if n.partition(".")[0] == "google"]:
            monkeypatch.delitem(sys.modules, name)
        # The text of a stand-in is on no record; that real ones are recognised is `nox -s wheels`.
        monkeypatch.setattr(decide_module, "compare", lambda fix, prints: (self.state, "as told"))
        return tmp_path / "site"

    def test_it_is_told_by_content_and_provenance(self, site: Path) -> None:
        found = decide(catalog.get(THOUGHTS))
        assert (found.state, found.where) == (PATCHED, "wheel")
        assert found.release.startswith("2.13.0+evalfixes.")

    def test_a_wheel_without_the_provenance_is_a_patched_source(self, site: Path) -> None:
        next(site.glob(f"*.dist-info/{provenance.NAME}")).unlink()
        assert decide(catalog.get(THOUGHTS)).where == "source"

    def test_a_copy_that_hides_the_wheel_is_a_patched_source(
        self, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "copy").mkdir()
        (site / "google").rename(tmp_path / "copy" / "google")
        monkeypatch.syspath_prepend(str(tmp_path / "copy"))
        assert decide(catalog.get(THOUGHTS)).where == "source"

    @pytest.mark.parametrize("said", ["no JSON", "[]", '{"fixes": [1]}'])
    def test_a_provenance_that_cannot_be_read_proves_nothing(self, said: str, site: Path) -> None:
        next(site.glob(f"*.dist-info/{provenance.NAME}")).write_text(said)
        assert decide(catalog.get(THOUGHTS)).where == "source"

    def test_files_that_were_changed_since(self, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(TestInstalled, "state", FAULTY)
        found = decide(catalog.get(THOUGHTS))
        assert (found.state, found.where) == (FAULTY, "")
        assert "was built with the patch, but its files were changed since" in found.evidence

    def test_a_local_version_is_in_the_range_of_its_release(self, built: Built) -> None:
        assert in_range(built.version, "1.5.0..2.13.0")
        assert not in_range(built.version, "1.5.0..2.12.0")


class TestExpectedWheel:
    def rows(self) -> list[dict[str, object]]:
        return [
            {"id": THOUGHTS, "dist": "google-adk", "release": "2.13.0", "bare": FAULTY, "applied": PATCHED, "next": ""}
        ]

    def test_doctor_says_so_when_asked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        rows = self.rows()
        doctor._expect_wheels(rows, asked=False)
        assert rows == self.rows()
        doctor._expect_wheels(rows, asked=True)
        assert "is not the patched wheel that is expected here" in str(rows[0]["next"])
        assert doctor.exit_code(rows, applied=True) == 1

    def test_a_wheel_that_was_built_without_the_fix(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        rows = self.rows()
        rows[0]["release"] = "2.13.0+evalfixes.1"
        doctor._expect_wheels(rows, asked=True)
        assert str(rows[0]["next"]).startswith(f"2.13.0+evalfixes.1 was built without {THOUGHTS}")
        assert doctor.exit_code(rows, applied=True) == 1

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("requirements.txt", "google-adk==2.13.0+evalfixes.1 --hash=sha256:0\n"),
            ("uv.lock", '[[package]]\nname = "google-adk"\nversion = "2.13.0+evalfixes.1"\n'),
        ],
    )
    def test_a_lock_file_says_so(self, name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / name).write_text(text)
        rows = self.rows()
        doctor._expect_wheels(rows, asked=False)
        assert "pin the hash that `evalfixes wheel` printed" in str(rows[0]["next"])
        assert doctor.exit_code(rows, applied=True) == 0

    def test_other_lines_do_not(self, tmp_path: Path) -> None:
        (tmp_path / "requirements.txt").write_text("google-adk==2.13.0\n# evalfixes\ndeepeval==4.3.1+evalfixes.1\n")
        assert not reports.names_patched_wheel("google-adk", tmp_path)
        assert reports.names_patched_wheel("deepeval", tmp_path)


def test_the_command_prints_what_pins_it(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wheel", str(base), "-o", str(tmp_path / "out"), "--fix", THOUGHTS]) == 0
    (made,) = (tmp_path / "out").iterdir()
    out = capsys.readouterr().out
    assert str(made) in out
    assert f"--hash=sha256:{hashlib.sha256(made.read_bytes()).hexdigest()}" in out
    assert "doctor --wheels" in out
