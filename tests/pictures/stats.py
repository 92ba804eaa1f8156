"""The picture of the page that `stats --html` writes."""

from pathlib import Path

from playwright.sync_api import Browser

from skillforge.operate.dashboard import page
from tests.operate.dashboard.sample import living_library
from tests.pictures.window import shoot


def take(browser: Browser, work: Path, images: Path) -> None:
    """The head of the page, light, as wide as a page of documentation."""
    file = work / "stats.html"
    file.write_text(page(living_library()), encoding="utf-8")
    shoot(browser, file, images / "stats.png", (1200, 1180))
