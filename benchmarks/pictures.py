"""The pictures of docs/site.md: `python -m benchmarks.pictures`."""

import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from skillforge.share.site import pages
from tests.browser import chromium
from tests.share.site import hubs

IMAGES = Path(__file__).parent.parent / "docs" / "images"
DESK, PHONE = {"width": 1120, "height": 760}, {"width": 360, "height": 720}


def searched(page: Page) -> None:
    page.get_by_label("Find a skill").fill("commit")


def to_the_diff(page: Page) -> None:
    page.get_by_text("What changed").first.click()
    page.locator("#versions").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#versions').scrollIntoView()")


def as_it_is(_: Page) -> None:
    pass


SHOTS = (
    ("site-search", "index.html", DESK, "light", searched),
    ("site-skill", "skills/csv-profile/index.html", DESK, "light", as_it_is),
    ("site-versions", "skills/csv-profile/index.html", DESK, "dark", to_the_diff),
    ("site-phone", "index.html", PHONE, "dark", as_it_is),
    ("site-hostile", "skills/evil-skill/index.html", DESK, "light", as_it_is),
)


def main() -> None:
    made = {**pages(hubs.hostile()), **pages(hubs.workshop())}
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for path, data in made.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        browser = chromium(playwright)
        for name, path, size, scheme, prepare in SHOTS:
            page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            page.emulate_media(reduced_motion="reduce")
            page.goto(Path(folder, path).as_uri())
            prepare(page)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
