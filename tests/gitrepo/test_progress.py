"""The progress bar of fetch and push."""

import io
import os
import pty
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skillforge.errors import ToolError
from skillforge.gitrepo import GitRepo, progress
from skillforge.gitrepo.progress import ProgressBar
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.gitrepo.remote import Remote, fetch, push
from tests.conftest import LibraryFolder

RECEIVING = 32
SPEC = "+refs/heads/*:refs/other/*"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def here(tmp_path: Path) -> GitRepo:
    (tmp_path / "here").mkdir()
    return GitRepo.init(tmp_path / "here")


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Standard error is a terminal; the result reads what was drawn on it."""
    main, side = pty.openpty()
    with os.fdopen(main, "rb", buffering=0) as screen, os.fdopen(side, "w") as stderr:
        os.set_blocking(main, False)
        monkeypatch.setattr(sys, "stderr", stderr)
        yield lambda: (screen.read() or b"").decode()


def test_a_fetch_shows_its_progress_on_a_terminal_and_erases_it(
    here: GitRepo, library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal(monkeypatch) as drawn:
        fetch(here, Remote(str(library.root)), [SPEC])

        shown = drawn()

    assert "Counting objects" in shown
    assert "100%" in shown
    assert shown.endswith("\r\x1b[K")
    assert here.ref("refs/other/main") == library.git("rev-parse", "main").strip()


def test_a_push_shows_its_progress_on_a_terminal(
    here: GitRepo, library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = library.git("rev-parse", "main").strip()
    with terminal(monkeypatch) as drawn:
        push(
            library.library.repository(),
            Remote(str(here.root)),
            RefUpdate("refs/heads/pushed", tip, ""),
        )

        shown = drawn()

    assert "Writing objects" in shown
    assert here.ref("refs/heads/pushed") == tip


def test_a_failed_transfer_is_the_same_error_on_a_terminal(
    here: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ToolError) as quiet:
        fetch(here, Remote("/nowhere/at/all"), [SPEC])

    with terminal(monkeypatch), pytest.raises(ToolError) as shown:
        fetch(here, Remote("/nowhere/at/all"), [SPEC])

    assert sorted(shown.value.message.split()) == sorted(quiet.value.message.split())


def test_a_configured_program_is_not_run_on_a_terminal(
    here: GitRepo,
    library: LibraryFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hook = tmp_path / "hooks" / "reference-transaction"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    here.git("config", "core.hooksPath", str(hook.parent))
    monkeypatch.setenv("GIT_DIR", str(tmp_path))

    with terminal(monkeypatch):
        fetch(here, Remote(str(library.root)), [SPEC])

    assert here.ref("refs/other/main")
    assert not (tmp_path / "ran").exists()


def test_nothing_is_drawn_where_no_terminal_is(
    here: GitRepo, library: LibraryFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    fetch(here, Remote(str(library.root)), [SPEC])

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("count", "maximum", "message", "line"),
    [
        pytest.param(
            1,
            2,
            "1.20 MiB | 3.00 MiB/s",
            "Receiving objects    [##########          ]  50% 1.20 MiB | 3.00 MiB/s",
            id="half",
        ),
        pytest.param(
            9, 2, "", "Receiving objects    [####################] 100%", id="too-many"
        ),
        pytest.param(
            1,
            2,
            "\x1b]0;title\x07",
            "Receiving objects    [##########          ]  50%",
            id="control-characters",
        ),
    ],
)
def test_a_bar_shows_share_and_amount(
    count: float, maximum: float, message: str, line: str
) -> None:
    screen = io.StringIO()

    ProgressBar(screen)(RECEIVING, count, maximum, message)

    assert screen.getvalue() == f"\r\x1b[K{line}"


def test_a_count_without_end_draws_nothing() -> None:
    screen = io.StringIO()

    ProgressBar(screen)(RECEIVING, float("inf"), float("inf"))

    assert screen.getvalue() == ""
