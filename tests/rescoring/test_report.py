"""The HTML report: one file that loads nothing and takes nobody's text for markup."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from evalfixes.cli import main
from evalfixes.rescoring import Options, rescore
from evalfixes.rescoring.report_html import page
from evalfixes.rescoring.summary import Summary
from tests.rescoring.stored import NOT_EVALUATED, PASSED, case, history, metric

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

EVIL = "</td><script>alert(1)</script>\"'&$x_{1}$"


class Page(HTMLParser):
    """Collects what a page holds."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.stack = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href") and not value.startswith("#"):
                self.links.append(value)


@pytest.fixture
def files(tmp_path):
    rows = [
        {"question": f"q{index}", "model": model, "score": 1, "judged": (index * number) % 3 / 2, "answer": EVIL}
        for number, model in enumerate((EVIL, "b", "c"), 1)
        for index in range(24)
    ]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\nbroken <b>\n")
    unscored = case(PASSED, [metric("a", None, NOT_EVALUATED), metric("b", 1.0, PASSED)], [], EVIL)
    (tmp_path / "in" / "h.json").write_text(json.dumps(history(unscored)))
    return tmp_path


def test_page(files):
    summary = Summary("judged")
    for outcome in rescore([str(files / "in")], Options(metric="judged")):
        summary.add(outcome)
    text = page(summary)
    made = Page(text)
    assert made.links == ["data:,"]
    assert made.tags.count("script") == 1
    assert made.tags.count("svg") == 3
    assert len(made.ids) == len(set(made.ids)), [i for i in made.ids if made.ids.count(i) > 1]
    used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'xlink:href="#([^"]+)"', text))
    assert used <= set(made.ids)
    assert EVIL not in text
    assert "alert(1)" in text
    assert text == page(summary), "the same twice"


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(files, width):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no Chromium here")
    out = files / "out"
    assert main(["rescore", str(files / "in"), "--metric", "judged", "--format", "html", "--out", str(out)]) == 1
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},1600",
         "--enable-logging=stderr",
         f"--user-data-dir={files / 'profile'}", "--dump-dom", (out / "report.html").as_uri()],
        capture_output=True, text=True, timeout=180, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    assert re.search(r">(\d+) of \1 cases shown<", done.stdout), "the filter ran"
