"""A real Chromium for the pages that Skillforge writes, with fonts of our choice."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
HINT = "run: make browser"

# Sets of fonts by their files. Whatever a page asks for, it gets one of these. There is
# no set without any font: Chromium ends where it finds none.
DEJAVU = "DejaVu*.ttf"
ONE_FONT = "DejaVuSansMono.ttf"
FONT_SETS = {"DejaVu": DEJAVU, "one font": ONE_FONT}
_FONTS = Path("/usr/share/fonts")
_FONTS_CONF = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{0}</dir><cachedir>{0}/cache</cachedir></fontconfig>
"""

# Wider than any font that a machine falls back to; works under the page's own policy.
_LOOSE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { letter-spacing: .2em !important }");
  document.adoptedStyleSheets.push(sheet);
}"""
_OPEN_ALL = "document.querySelectorAll('details').forEach(one => one.open = true)"

Launch = Callable[..., "Browser"]


def sync_api() -> Any:
    """Playwright's API; skips where Playwright is not installed."""
    return pytest.importorskip(
        "playwright.sync_api", reason=f"Playwright is not installed; {HINT}"
    )


def chromium(playwright: "Playwright", **variables: str) -> "Browser":
    """The Chromium of this machine, without a window; nothing is downloaded."""
    path = _installed()
    if path is None:
        raise FileNotFoundError(f"none of {', '.join(NAMES)} is installed; {HINT}")
    # Its own sandbox needs rights that a container often withholds.
    return playwright.chromium.launch(
        executable_path=path, args=["--no-sandbox"], env={**os.environ, **variables}
    )


@contextmanager
def browsers(folder: Path) -> Iterator[Launch]:
    """Start Chromium with this machine's fonts, or only with those of one font set.

    Skips where that is impossible, and says what is missing. A set of fonts is a folder
    below the given one.
    """
    if _installed() is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed; {HINT}")
    api = sync_api()
    if problem := driver_problem():
        pytest.skip(f"Playwright's driver does not start: {problem}")
    with ExitStack() as stack:
        playwright = stack.enter_context(api.sync_playwright())

        @cache
        def launch(fonts: str = "") -> "Browser":
            variables = _only(fonts, folder) if fonts else {}
            try:
                started = chromium(playwright, **variables)
            except api.Error as err:
                pytest.skip(f"Chromium does not start: {_first_error(err.message)}")
            return stack.enter_context(started)

        yield launch


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launch]:
    """One browser for each font set that the tests of a module ask for.

    They end with the module: while one runs, no other test of the process can have an
    event loop.
    """
    with browsers(tmp_path_factory.mktemp("fonts")) as started:
        yield started


@pytest.fixture(scope="module")
def browser(launch: Launch) -> "Browser":
    """One browser with this machine's fonts for the tests of a module."""
    return launch()


def too_wide(page: "Page", widths: Sequence[int]) -> dict[str, int]:
    """How wide a page is where it's wider than the window: {} if it always fits.

    Everything on it is opened, and it's measured again with wider letters.
    """
    page.evaluate(_OPEN_ALL)
    found = _measured(page, widths, "")
    page.evaluate(_LOOSE)
    return found | _measured(page, widths, ", wide letters")


def _measured(page: "Page", widths: Sequence[int], how: str) -> dict[str, int]:
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            found[f"{width}{how}"] = wide
    return found


def _installed() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def driver_problem() -> str:
    """Why Playwright's driver can't run here: the wheel's Node needs some libraries."""
    line = [sys.executable, "-m", "playwright", "--version"]
    tried = subprocess.run(line, capture_output=True, text=True, check=False)
    lines = tried.stderr.splitlines() or [f"exit code {tried.returncode}"]
    return lines[-1] if tried.returncode else ""


def _first_error(message: str) -> str:
    """What Chromium itself reported first, among all that Playwright logs."""
    first, *log = message.splitlines()
    errors = (line.partition("[err] ")[2] for line in log if "[err] " in line)
    return next(errors, first)


def _only(fonts: str, folder: Path) -> Mapping[str, str]:
    """Variables for a browser that has no other fonts than these files."""
    files = list(_FONTS.rglob(fonts))
    if not files:
        pytest.skip(f"no font {fonts} below {_FONTS}")
    place = folder / fonts.replace("*", "s")
    place.mkdir()
    for file in files:
        (place / file.name).symlink_to(file)
    conf = place / "fonts.conf"
    conf.write_text(_FONTS_CONF.format(place), encoding="utf-8")
    return {"FONTCONFIG_FILE": str(conf)}
