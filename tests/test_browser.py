"""Where no page can be shown, its tests skip and name what is missing."""

import sys
from pathlib import Path

import pytest

from tests.browser import NAMES, browsers, driver_problem

CAUSE = "error while loading shared libraries: libatomic.so.1: cannot open it"


def broken(program: Path) -> Path:
    """A program that can't be loaded, as the system reports it."""
    program.write_text(f'#!/bin/sh\necho "{program.name}: {CAUSE}" >&2\nexit 127\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def assert_skips(folder: Path, because: str) -> None:
    with pytest.raises(pytest.skip.Exception, match=because), browsers(folder) as start:
        start()


def test_without_a_browser_the_reason_names_what_was_looked_for(
    programs: Path, tmp_path: Path
) -> None:
    assert_skips(tmp_path, f"none of {', '.join(NAMES)} is installed; run: make")


def test_without_playwright_the_reason_names_it(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(programs / NAMES[0])
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)

    assert_skips(tmp_path, "Playwright is not installed; run: make browser")


def test_a_driver_that_cannot_be_loaded_is_the_reason(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright")
    broken(programs / NAMES[0])
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(broken(tmp_path / "node")))

    assert_skips(tmp_path, f"driver does not start: node: {CAUSE}")


def test_a_browser_that_cannot_be_loaded_is_the_reason(
    programs: Path, tmp_path: Path
) -> None:
    pytest.importorskip("playwright")
    if problem := driver_problem():
        pytest.skip(problem)
    broken(programs / NAMES[0])

    assert_skips(tmp_path, f"Chromium does not start: .*{NAMES[0]}: {CAUSE}")


def test_a_set_of_fonts_that_is_not_installed_is_the_reason(tmp_path: Path) -> None:
    with (
        browsers(tmp_path) as start,
        pytest.raises(pytest.skip.Exception, match=r"no font Missing\*\.ttf below"),
    ):
        start("Missing*.ttf")
