"""Looks at the built documentation in headless Chromium, at the width of a phone and of a desk.

    python tools/look.py HTML_FOLDER [SCREENSHOT_FOLDER]

A message on the console, a page that scrolls sideways, text that is too small and a link that leads
nowhere are problems: they are printed, a line each, and the exit code is 1. Without a Chromium there is
only a message.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websocket

WIDTHS = {"phone": (375, 812), "desk": (1280, 900)}
SHOWN = ("index.html", "fix-ci.html", "atlas.html", "limits.html", "api.html", "settings.html", "fixes/index.html")
MEASURE = """(() => {
  const root = document.documentElement;
  const small = [...document.querySelectorAll('article p, article li, article td')]
    .filter(e => e.innerText.trim() && parseFloat(getComputedStyle(e).fontSize) < 11).length;
  const broken = [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src);
  const links = [...document.querySelectorAll('a[href]')].map(a => a.href)
    .filter(h => h.startsWith('file:')).map(h => h.split('#')[0].split('?')[0]);
  return {wide: root.scrollWidth - root.clientWidth, small, broken, links: [...new Set(links)]};
})()"""


class Browser:
    """A tab, spoken to by the DevTools protocol."""

    def __init__(self, program: str, profile: str) -> None:
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        arguments += ["--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            [program, *arguments, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        port = Path(profile) / "DevToolsActivePort"
        for _ in range(300):
            if port.is_file() and port.read_text().strip():
                break
            time.sleep(0.2)
        number = port.read_text().split()[0]
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{number}/json/list"))
        address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        self.socket = websocket.create_connection(address, timeout=60)
        self.number = 0
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                return dict(message.get("result", {}))
            self.events.append(message)

    def open(self, address: str) -> None:
        self.events.clear()
        self.ask("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self.socket.recv()))

    def messages(self) -> Iterator[str]:
        for event in self.events:
            given = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                yield str(given["exceptionDetails"].get("text"))
            elif event["method"] == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
                yield str(given["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
                yield str(given["args"])

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)


def look(browser: Browser, page: Path, home: Path, shots: Path | None) -> Iterator[str]:
    name = page.relative_to(home).as_posix()
    for kind, (width, height) in WIDTHS.items():
        browser.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=kind == "phone",
        )
        browser.open(page.as_uri())
        seen = browser.ask("Runtime.evaluate", expression=MEASURE, returnByValue=True)["result"]["value"]
        yield from (f"{name} ({kind}): {message}" for message in browser.messages())
        if seen["wide"] > 0:
            yield f"{name} ({kind}): scrolls sideways by {seen['wide']} pixels"
        if seen["small"]:
            yield f"{name} ({kind}): {seen['small']} pieces of text below 11 pixels"
        yield from (f"{name}: broken picture {address}" for address in seen["broken"])
        if kind == "desk":
            for link in seen["links"]:
                if not Path(urllib.request.url2pathname(link.removeprefix("file://"))).exists():
                    yield f"{name}: link to {link} leads nowhere"
        if shots is not None and name in SHOWN:
            picture = browser.ask("Page.captureScreenshot", format="png")["data"]
            (shots / f"{name.replace('/', '-').removesuffix('.html')}-{kind}.png").write_bytes(
                base64.b64decode(picture)
            )


def main() -> int:
    program = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
    )
    if not program:
        print("not looked at: no Chromium on this machine")
        return 0
    home = Path(sys.argv[1]).resolve()
    shots = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
    skipped = ("genindex.html", "search.html")
    pages = [page for page in sorted(home.rglob("*.html")) if page.name not in skipped and "_static" not in page.parts]
    problems: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            for page in pages:
                problems += look(browser, page, home, shots)
        finally:
            browser.close()
    print("\n".join(dict.fromkeys(problems)) or f"{len(pages)} pages at {' and '.join(WIDTHS)} width: nothing wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
