"""Progress bars: on a terminal only, for each stage that takes long."""

import os
import pty
import sys

import pytest

from skillforge.cli import progress
from tests.conftest import LibraryFolder, Run


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")


def drawn(monkeypatch: pytest.MonkeyPatch, *, is_quiet: bool = False) -> str:
    """What two of two steps draw on standard error, which is a terminal."""
    main, side = pty.openpty()
    with (
        os.fdopen(main, "rb", buffering=0) as screen,
        os.fdopen(side, "w") as stderr,
        monkeypatch.context() as patched,
    ):
        patched.setattr(sys, "stderr", stderr)
        with progress.progress(is_quiet) as bar:
            bar.start("scan", 2)
            bar.done(1)
            bar.done(2)
        stderr.flush()
        os.set_blocking(screen.fileno(), False)
        return (screen.read() or b"").decode()


def test_a_bar_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = drawn(monkeypatch)

    assert "scan" in bar
    assert "50%" in bar
    assert "100%" in bar


def test_no_bar_is_drawn_beside_json(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not drawn(monkeypatch, is_quiet=True)


def test_no_bar_is_drawn_in_a_pipe(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root)

    assert run("scan").err == ""


def test_a_stage_that_is_soon_over_has_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 60.0)

    assert not drawn(monkeypatch)
