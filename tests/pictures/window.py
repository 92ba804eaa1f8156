"""Pages as Chromium shows them, for pictures of them."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page

DESK, PHONE = (1120, 760), (360, 720)


def shoot(
    browser: Browser,
    page: Path,
    picture: Path,
    size: tuple[int, int] = DESK,
    *,
    is_dark: bool = False,
    prepare: Callable[[Page], None] = lambda _page: None,
) -> None:
    """Take a picture of a page in a file, once it is prepared."""
    opened = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if is_dark else "light",
    )
    opened.emulate_media(reduced_motion="reduce")
    opened.goto(page.as_uri())
    prepare(opened)
    opened.screenshot(path=picture)
    opened.close()
