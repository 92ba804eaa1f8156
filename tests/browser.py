"""A real Chromium for the pages that Skillforge writes."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine, without a window; skips where there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        # Its own sandbox needs rights that a container often withholds.
        started = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox"]
        )
        yield started
        started.close()
