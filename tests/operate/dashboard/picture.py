"""Take the picture of the page that the documentation shows.

python -m tests.operate.dashboard.picture docs/images/stats.png
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from skillforge.operate.dashboard import page
from tests.browser import chromium
from tests.operate.dashboard.sample import living_library


def take(picture: Path) -> None:
    """The head of the page, light, as wide as a page of documentation."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "stats.html"
        file.write_text(page(living_library()), encoding="utf-8")
        started = chromium(playwright)
        opened = started.new_page(viewport={"width": 1200, "height": 1180})
        opened.goto(file.as_uri())
        opened.screenshot(path=picture)
        started.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
