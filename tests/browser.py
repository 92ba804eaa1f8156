"""A real Chromium for the pages that Skillforge writes."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium(playwright: Playwright) -> Browser:
    """The Chromium of this machine, without a window; nothing is downloaded."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise FileNotFoundError(f"none of {', '.join(NAMES)} is installed")
    # Its own sandbox needs rights that a container often withholds.
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module; skips only where none is installed.

    It ends with the module: while it runs, no other test of the process can have an
    event loop.
    """
    with sync_playwright() as playwright:
        try:
            started = chromium(playwright)
        except FileNotFoundError as missing:
            pytest.skip(str(missing))
        yield started
        started.close()
