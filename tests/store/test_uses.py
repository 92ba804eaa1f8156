"""The private store of uses: nothing is lost, and nothing counts twice."""

import os
import signal
import sqlite3
import stat
import time
from functools import partial
from pathlib import Path

import pytest

from skillforge.errors import ToolError
from skillforge.fork_server import Child
from skillforge.model import OutcomeStatus
from skillforge.store import ExampleRow, Examples, Uses
from tests.forks import at_once
from tests.store.writers import use, write_on, write_three

WRITERS = 64


def test_sixty_four_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.db"

    added = at_once([partial(write_three, path, n) for n in range(WRITERS)])

    assert added == [3] * WRITERS
    assert sum(row.uses for row in Uses(path).tally()) == 3 * WRITERS


def test_killed_at_any_instant_it_has_lost_at_most_the_last_use(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Child(write_on, path)
    assert writer.socket.recv(1)
    time.sleep(0.3)
    os.kill(writer.pid, signal.SIGKILL)
    written = b"." + writer.read()
    writer.kill()

    rows = Uses(path).after(0)
    assert 0 <= len(rows) - len(written) <= 1
    assert sum(row.uses for row in Uses(path).tally()) == len(rows)


def test_what_is_shown_follows_from_the_uses(tmp_path: Path) -> None:
    uses = Uses(tmp_path / "state.db")
    some = [
        use(1, seconds=2.0, tokens=5),
        use(2, seconds=4.0),
        use(3, outcome=OutcomeStatus.FAILURE, rollout="aa", share=10.0, is_vote=True),
    ]

    assert uses.add(some) == 3
    assert uses.add(some) == 0

    [failed, good] = sorted(uses.tally(), key=lambda row: row.outcome)
    assert (good.uses, good.timed, good.seconds, good.tokens) == (2, 2, 6.0, 5)
    assert failed.uses == 1
    assert uses.voices() == {"csv": 3}
    assert uses.votes("aa") == [(10.0, "stable", "failure", 1)]


def test_a_store_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Examples(path).add([ExampleRow("id", "raw", "origin", "{}", "{}")])
    with sqlite3.connect(path) as db:
        tables = ("uses", "tally", "votes", "voices", "handed", "health", "facts")
        for name in tables:
            db.execute(f"DROP TABLE {name}")
        db.execute("PRAGMA user_version = 1")
    db.close()

    assert Uses(path).add([use(1)]) == 1
    assert [row.id for row in Examples(path).rows()] == ["id"]


def test_a_store_of_a_newer_version_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Uses(path).add([use(1)])
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()

    with pytest.raises(ToolError, match="newer skillforge"):
        Uses(path).add([use(2)])

    assert path.read_bytes() == before


def test_other_users_cannot_read_it(tmp_path: Path) -> None:
    Uses(tmp_path / "state.db").add([use(1)])

    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_damaged_store_is_reported_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"no database, but maybe somebody's last copy" * 100)

    with pytest.raises(ToolError, match="cannot be used"):
        Uses(path).add([use(1)])

    assert path.read_bytes().startswith(b"no database")
