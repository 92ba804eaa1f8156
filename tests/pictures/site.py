"""Pictures of the site of a hub."""

from pathlib import Path

from playwright.sync_api import Browser, Page

from skillforge.share.site import pages
from tests.pictures.window import DESK, PHONE, shoot
from tests.share.site import hubs


def take(browser: Browser, work: Path, images: Path) -> None:
    for path, data in {**pages(hubs.hostile()), **pages(hubs.workshop())}.items():
        file = work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    start, skill = work / "index.html", work / "skills/csv-profile/index.html"
    hostile = work / "skills/evil-skill/index.html"
    shoot(browser, start, images / "site-search.png", prepare=_searched)
    shoot(browser, skill, images / "site-skill.png")
    changed = images / "site-versions.png"
    shoot(browser, skill, changed, DESK, is_dark=True, prepare=_to_the_diff)
    shoot(browser, start, images / "site-phone.png", PHONE, is_dark=True)
    shoot(browser, hostile, images / "site-hostile.png")


def _searched(page: Page) -> None:
    page.get_by_label("Find a skill").fill("commit")


def _to_the_diff(page: Page) -> None:
    page.get_by_text("Changes +").first.click()
    page.locator("#versions").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#versions').scrollIntoView()")
