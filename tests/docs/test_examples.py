"""Every command, setting and link in the documentation is one that exists."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import evalfixes
from evalfixes import cli
from evalfixes.fix import Fix, matches
from evalfixes.runtime import settings

yaml = pytest.importorskip("yaml")

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(evalfixes [a-z][^`]*)`")


def blocks(page: Path, *kinds: str) -> Iterator[str]:
    for kind, text in BLOCK.findall(page.read_text("utf-8")):
        if kind in kinds:
            yield text


def commands(page: Path) -> Iterator[list[str]]:
    """The calls of evalfixes in shell blocks, in the scripts of recipes, and in running text."""
    lines = [line for text in blocks(page, "console", "yaml", "dockerfile") for line in text.splitlines()]
    lines += INLINE.findall(page.read_text("utf-8"))
    for line in lines:
        for part in re.split(r"&&|\|\||\||>>?|;", line):
            words = part.partition(" #")[0].strip().removeprefix("- ").removeprefix("entry: ")
            words = words.removeprefix("run: ").removeprefix("RUN ").removeprefix("python -m ")
            if words.startswith("evalfixes "):
                yield shlex.split(words)[1:]


def sample() -> list[tuple[str, list[str]]]:
    return [(page.name, words) for page in PAGES for words in commands(page)]


@pytest.mark.parametrize(
    "page, words", sample(), ids=lambda value: value if isinstance(value, str) else "-".join(value)
)
def test_commands_exist(page: str, words: list[str]) -> None:
    if words[0] in ("run", "run:"):  # the latter is a message
        assert words == ["run"] or words[0] == "run:" or words[1] in ("--", "--no-children", "[--no-children]"), words
        return
    if words[0] == "show" and words[-1] not in ("ID",):
        assert words[-1] in {fix.id for fix in evalfixes.fixes()}
    words = [word for word in words if word != "…"]
    if words in (
        ["patch"],
        ["show"],
        ["rescore"],
        ["audit"],
        ["probe"],
        ["wheel"],
        ["retire"],
    ):  # only named, without the argument that it wants
        words.append("ARGUMENT")
    cli.all_commands().parse_args(words)


def test_the_sample_is_not_empty() -> None:
    found = {words[0] for _, words in sample()}
    assert found >= {"doctor", "run", "patch", "activate", "deactivate", "list", "show", "rescore"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_exist(page: Path, tmp_path: Path) -> None:
    for number, text in enumerate(blocks(page, "toml")):
        if "tool.evalfixes" not in text:
            continue
        path = tmp_path / f"{number}.toml"
        path.write_text(re.sub(r"^  ", "", text, flags=re.MULTILINE), "utf-8")
        said = settings.read(str(path), date(2026, 12, 1))
        assert (said.errors, said.lapsed) == ([], [])
        assert said.values or said.skip


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for name in (*settings.KEYS, *settings.VARIABLES):
        assert f"`{name}" in text, name
    example = tomllib.loads(next(blocks(ROOT / "docs" / "settings.md", "toml")))["tool"]["evalfixes"]
    assert set(example) == set(settings.KEYS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_compile(page: Path) -> None:
    for text in blocks(page, "python"):
        compile(
            re.sub(r"^  (?=\S)", "", text, flags=re.MULTILINE) if text.startswith("  ") else text, page.name, "exec"
        )


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs" / "fixes").glob("*.md"))], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name = target.partition("#")[0]
        if name and not re.match(r"[a-z]+:", name):
            assert (page.parent / name).exists(), f"{page.name}: {target}"


def test_the_toy_fix_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who follows the page has a fix: wrong before, right after, and its control as it was."""
    faulty, text = blocks(ROOT / "docs" / "contribute.md", "python")
    (tmp_path / "toyeval").mkdir()
    (tmp_path / "toyeval" / "__init__.py").touch()
    (tmp_path / "toyeval" / "metric.py").write_text(faulty, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("toyeval", "toyeval.metric"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    names: dict[str, Any] = {}
    exec(text, names)
    fix: Fix = names["FIX"]
    module = importlib.import_module("toyeval.metric")
    bare = [fix.evaluate(scenario.case) for scenario in fix.scenarios]
    monkeypatch.setattr(module, "score", fix.replacements[0].build(module.score, module))
    repaired = [fix.evaluate(scenario.case) for scenario in fix.scenarios]
    for scenario, before, after in zip(fix.scenarios, bare, repaired, strict=True):
        assert matches(scenario.right if scenario.control else scenario.wrong or {}, before)
        assert matches(scenario.right, after)
    assert {scenario.control for scenario in fix.scenarios} == {True, False}


def test_the_walk_through_of_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A newcomer who copies the page, block by block, sees what it says."""
    page = ROOT / "docs" / "audit.md"
    faulty, repaired, check, drawn, record = blocks(page, "python")
    (said,) = blocks(page, "text")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def saved(text: str) -> None:
        (tmp_path / "mymetric.py").write_text(text, "utf-8")
        importlib.invalidate_caches()
        sys.modules.pop("mymetric", None)
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)

    def tests_of(text: str) -> list[Any]:
        names: dict[str, Any] = {"__name__": "walk_through"}
        exec(text, names)
        return [value for name, value in names.items() if name.startswith("test_")]

    saved(faulty)
    assert cli.main(["audit", "mymetric:run", "--only", "drop-key"]) == 1
    assert said.strip() in capsys.readouterr().out
    for test in (*tests_of(check), *tests_of(drawn)):
        with pytest.raises(AssertionError):
            test()

    saved(repaired)
    assert cli.main(["audit", "mymetric:run"]) == 0
    assert re.search(r"^bold +keeps meaning +\d+ +0 +[1-9]", capsys.readouterr().out, re.MULTILINE)
    for test in (*tests_of(check), *tests_of(drawn)):
        test()

    reply = '{"verdicts": [{"verdict": "no"}, {"verdict": "no"}]}'
    exec(record, {"my_model": lambda prompt: reply})
    assert cli.main(["audit", "mymetric:run", "--recordings", "judge.jsonl"]) == 0


def test_all_operators_are_documented() -> None:
    from evalfixes.testing import OPERATORS

    text = (ROOT / "docs" / "audit.md").read_text("utf-8").replace("\\", "")
    rows = re.findall(r"^\| `([a-z-]+)` \| ([a-z ]+) \| (.*) \|$", text, re.MULTILINE)
    assert rows == [(one.name, one.group, one.says) for one in OPERATORS]


def recipe(head: str) -> Any:
    text = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    found = BLOCK.search(text, text.index(f"## {head}"))
    assert found is not None
    return yaml.safe_load(found[2])


def test_the_recipe_for_github_actions() -> None:
    workflow = recipe("GitHub Actions")
    steps = workflow["jobs"]["evaluation"]["steps"]
    scripts = [step["run"] for step in steps if "run" in step]
    assert workflow["permissions"]["security-events"] == "write"
    for script in scripts:
        shell(f"set -n\n{script}")
    # The step fails by the first command's code, although the summary is written in any case.
    step = next(script for script in scripts if "sarif" in script)
    for code in (0, 1, 2, 3):
        stub = f"evalfixes() {{ case $4 in sarif) return {code};; esac; }}\nGITHUB_STEP_SUMMARY=/dev/null\n"
        script = step.replace("> evalfixes.sarif", "> /dev/null")
        assert shell(f"set -e\n{stub}{script}", check=False) == code


def test_the_recipe_for_gitlab() -> None:
    job = recipe("GitLab")["evaluation"]
    for script in job["script"]:
        shell(f"set -n\n{script}")
    assert job["variables"]["EVALFIXES_RECORD"] in job["artifacts"]["paths"]


def test_the_recipe_for_pre_commit() -> None:
    hook = recipe("pre-commit")["repos"][0]["hooks"][0]
    pattern = re.compile(hook["files"])
    assert all(pattern.search(name) for name in ("pyproject.toml", "requirements-dev.txt", "uv.lock"))
    assert not pattern.search("docs/pyproject.toml.md")
    assert {"id", "name", "entry", "language"} <= set(hook)


def shell(script: str, check: bool = True) -> int:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    return subprocess.run([bash, "-c", script], check=check, capture_output=True).returncode
