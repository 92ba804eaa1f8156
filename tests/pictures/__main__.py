"""Make all pictures anew: `make pictures`."""

import os
import pty
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.pictures import pull_request, site, stats
from tests.pictures.terminal import picture, steps

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SHOWN = (
    "$ skillforge patterns",
    "$ skillforge gate 2",
    "$ skillforge record",
    "$ skillforge promote 6",
    "$ skillforge audit",
)


def recorded(folder: Path) -> str:
    """What the demo prints on a terminal; what it makes is kept in a folder."""
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "skillforge", "demo", "--keep", str(folder)]
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs) as demo:
        os.close(theirs)
        output = b"".join(_read(ours))
    if demo.returncode:
        raise SystemExit("the demo did not go as told")
    return output.decode()


def _read(terminal: int) -> Iterator[bytes]:
    """All that comes, until nobody holds the other end."""
    with suppress(OSError):
        while data := os.read(terminal, 65536):
            yield data


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        work = Path(folder)
        recording = steps(recorded(work / "demo"))
        library = work / "demo" / "library"
        shown = [step for step in recording if step.line.startswith(SHOWN)]
        drawn = picture("skillforge demo", shown)
        (IMAGES / "demo.svg").write_text(drawn, encoding="utf-8")
        browser = chromium(playwright)
        image = IMAGES / "pull-request.png"
        pull_request.take(browser, library, 1, work, image)
        stats.take(browser, work, IMAGES)
        site.take(browser, work / "hub", IMAGES)
        browser.close()


if __name__ == "__main__":
    main()
