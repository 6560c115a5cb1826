"""A tiny wheel of google-adk with the text that one patch fits, recorded as if it were the release's."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

import pytest

from evalfixes import catalog
from evalfixes.facts import upstream
from evalfixes.fix import Fix
from tests.patching.conftest import THOUGHTS, old_side

RELEASE = "2.13.0"
METADATA = (
    f"Metadata-Version: 2.4\nName: google-adk\nVersion: {RELEASE}\nLicense-File: LICENSE\n\nVersion: of the text\n"
)
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def tiny_wheel(folder: Path, files: dict[str, bytes] | None = None, release: str = RELEASE) -> Path:
    """Writes the wheel; `files` adds to or replaces what is in it."""
    fix: Fix = catalog.get(THOUGHTS)
    info = f"google_adk-{release}.dist-info"
    content = {
        "google/adk/version.py": f'__version__ = "{release}"\n'.encode(),
        "google/adk/__init__.py": b"",
        "google/adk/evaluation/final_response_match_v1.py": old_side(fix),
        "google/adk/tool.sh": b"#!/bin/sh\n",
        f"{info}/METADATA": METADATA.replace(RELEASE, release).encode(),
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\nadk = google.adk.cli:main\n",
        f"{info}/licenses/LICENSE": b"the licence\n",
        **(files or {}),
    }
    path = folder / f"google_adk-{release}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        rows = []
        for name, data in content.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(name, (2026, 10, 23, 18, 26, 0))
            entry.external_attr = (0o100755 if name.endswith(".sh") else 0o100644) << 16
            archive.writestr(entry, data)
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,"]) + "\n")
    return path


def record(path: Path, monkeypatch: pytest.MonkeyPatch, release: str = RELEASE) -> None:
    """Puts the wheel on record as that of the release."""
    known = {"wheel": hashlib.sha256(path.read_bytes()).hexdigest(), "requires_python": "", "date": "2026-10-23"}
    monkeypatch.setitem(upstream("google-adk")["releases"], release, known)
