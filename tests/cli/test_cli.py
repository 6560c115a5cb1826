"""The commands that look at fixes, on a synthetic upstream; doctor's probe runs in a real process."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from evalfixes.cli import doctor, main
from tests.runtime.toy import DRIFTED, FAULTY, FIXED, Toy, make_fix, toy

__all__ = ["toy"]

LAUNCH = """
import sys, types, pathlib
sys.path[:0] = {paths!r}
import pytest
from tests.runtime import toy
patch = pytest.MonkeyPatch()
made = object.__new__(toy.Toy)
made.site, made.data = pathlib.Path({site!r}), pathlib.Path({data!r})
made._monkeypatch, made._sections = patch, {{}}
from evalfixes import _index, facts
facts.folder = lambda name: made.data
_index.INDEX.clear()
made.add(toy.make_fix("toy-score"))
from evalfixes.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.fixture
def child_knows_toy(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the probe's process know the synthetic fix: the interpreter that doctor starts is a script."""
    root = str(Path(__file__).parents[2])
    script = tmp_path / "launch.py"
    script.write_text(LAUNCH.format(paths=[root, str(toy.site)], site=str(toy.site), data=str(toy.data)))
    fake = tmp_path / "python"
    fake.write_text(f'#!/bin/sh\nshift 2\nexec "{sys.executable}" "{script}" "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(doctor.sys, "executable", str(fake))  # type: ignore[attr-defined]


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(args)
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_shows_the_fault_and_the_repair(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert "1 faulty, 1 of them repaired by apply()" in out.splitlines()[0]
    assert "toyeval 1.0.0" in out
    assert "1 PASSED -> 0 FAILED" in out
    assert "next: call evalfixes.apply()" in out
    assert run(capsys, "doctor", "--applied")[0] == 0


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_json(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "doctor", "--json", "--fix", "toy-score")
    document = json.loads(out)
    assert (document["schema_version"], document["exit_code"], code) == (1, 1, 1)
    row = document["fixes"][0]
    assert (row["bare"], row["applied"]) == ("faulty", "patched")
    assert (row["wrong"]["score"], row["right"]["score"]) == (1.0, 0.0)


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_on_a_fixed_release(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.release(FIXED)
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert "nothing faulty" in out
    assert "fixed-upstream" in out


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_proves_an_unknown_text_and_apply_then_uses_it(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    import evalfixes

    toy.release(DRIFTED, version="2.0")
    code, out, _ = run(capsys, "doctor", "--json")
    row = json.loads(out)["fixes"][0]
    assert (code, row["bare"], row["applied"]) == (1, "faulty", "patched")
    assert "proven by this probe" in row["evidence"]
    evalfixes.apply()
    from toyeval.metric import score  # type: ignore[import-not-found]

    assert score("London") == 0.0


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_does_not_prove_a_text_on_which_the_fix_gives_a_wrong_value(
    toy: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    toy.release(FAULTY.replace("    return 1.0\n\n\nclass", "    return 0.7\n\n\nclass"), version="2.0")
    code, out, _ = run(capsys, "doctor", "--json")
    row = json.loads(out)["fixes"][0]
    assert code == 1
    assert row["applied"] == "faulty"
    assert row["failures"]
    assert "proven" not in row["evidence"]


@pytest.mark.usefixtures("child_knows_toy")
@pytest.mark.parametrize("text", ["raise RuntimeError('half installed')\n", "def score(:\n"])
def test_doctor_on_a_broken_install(toy: Toy, capsys: pytest.CaptureFixture[str], text: str) -> None:
    toy.release(FAULTY + text)
    code, out, _ = run(capsys, "doctor")
    assert code == 2
    assert "unknown" in out
    assert "half installed" in out or "cannot be read" in out


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_on_a_probe_that_dies(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.release(FAULTY + "import os\nos._exit(7)\n")
    code, out, _ = run(capsys, "doctor")
    assert code == 2
    assert "broke off (exit code 7)" in out


@pytest.mark.usefixtures("child_knows_toy")
def test_deliberate_behaviour_is_faulty_only_for_those_who_name_the_fix(
    toy: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    toy.add(make_fix("toy-score", default=False))
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert "nothing faulty, 1 by choice" in out.splitlines()[0]
    assert "patched if named" in out
    assert "evalfixes.apply('toy-score')" in out
    assert run(capsys, "doctor", "--fix", "toy-score")[0] == 1


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_without_upstream(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (toy.site / "toyeval").iterdir():
        path.unlink()
    (toy.site / "toyeval").rmdir()
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert "none of the upstreams" in out
    assert "not-installed" in out


@pytest.mark.usefixtures("child_knows_toy")
def test_doctor_leaves_standard_output_to_json_even_if_upstream_prints(
    toy: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    toy.release(FAULTY + "print('hello from upstream')\n")
    assert json.loads(run(capsys, "doctor", "--json")[1])["exit_code"] == 1


@pytest.mark.parametrize("args", [["doctor", "--fix", "toy-scor"], ["show", "toy-scor"]])
def test_unknown_id(toy: Toy, capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    code, _, err = run(capsys, *args)
    assert code == 3
    assert "did you mean toy-score?" in err


@pytest.mark.parametrize("args", [["doctor", "--dist", "toy"], ["list", "--dist", "toy"]])
def test_unknown_dist(toy: Toy, capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    code, _, err = run(capsys, *args)
    assert code == 3
    assert "toyeval" in err


@pytest.mark.parametrize("args", [[], ["doktor"], ["doctor", "--jsn"], ["show"]])
def test_usage_errors(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(args)
    assert stopped.value.code == 3
    assert "usage: evalfixes" in capsys.readouterr().err


def test_list_and_show(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.add(make_fix("toy-other", default=False, requires=("toy-score",)))
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert "toy-other" in out
    assert "(only by name)" in out
    listed = json.loads(run(capsys, "list", "--json")[1])
    assert [entry["id"] for entry in listed["fixes"]] == ["toy-score", "toy-other"]
    code, out, _ = run(capsys, "show", "toy-other")
    assert code == 0
    for part in ("scores everything 1", "toy-score", "toyeval.metric:score", "1.0 -> 0.0", "no release yet"):
        assert part in out
    shown: dict[str, Any] = json.loads(run(capsys, "show", "toy-other", "--json")[1])
    assert shown["requires"] == ["toy-score"]


def test_the_module_can_be_run(tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "evalfixes", "list"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ},
    )
    assert done.returncode == 0
    assert "adk-response-match-thoughts" in done.stdout


@pytest.mark.parametrize(
    ("release", "more"),
    [("1.18.0", "; there is a patch file from 1.20.0 on"), ("1.20.0", ""), ("2.99.0", ""), ("own", ""), ("", "")],
)
def test_doctor_tells_from_which_release_on_there_is_a_patch(release: str, more: str) -> None:
    row = {"id": "adk-judge-samples", "dist": "google-adk", "release": release, "bare": "faulty", "applied": "patched"}
    assert doctor._advised(row)["next"] == f"call evalfixes.apply() before the evaluation{more}"
