"""A lost, empty or replaced store is an error, and not mistaken for a new one."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from skillforge.errors import ToolError
from skillforge.store import Examples, Uses
from tests.store.writers import use


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace(path: Path) -> None:
    other = path.with_name("other") / "state.db"
    Uses(other).add([use(9)])
    shutil.copy(other, path)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store" / "state.db"
    Uses(path).add([use(1)])
    for beside in ("-wal", "-shm"):
        path.with_name(path.name + beside).unlink(missing_ok=True)
    return path


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        pytest.param(remove, "is gone", id="gone"),
        pytest.param(empty, "is empty", id="empty"),
        pytest.param(replace, "was replaced", id="replaced"),
    ],
)
@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda path: Uses(path).tally(), id="read"),
        pytest.param(lambda path: Uses(path).add([use(2)]), id="write"),
        pytest.param(lambda path: Examples(path).rows(), id="examples"),
    ],
)
def test_the_error_says_how_to_continue(
    store: Path,
    damage: Callable[[Path], None],
    words: str,
    work: Callable[[Path], None],
) -> None:
    damage(store)
    before = store.read_bytes() if store.exists() else None

    with pytest.raises(ToolError) as stopped:
        work(store)

    assert words in stopped.value.message
    assert "sync-uses" in stopped.value.hint
    assert (store.read_bytes() if store.exists() else None) == before
    Path(f"{store}.generation").unlink()  # as the hint says
    work(store)


def test_a_store_of_an_older_version_is_taken_over(store: Path) -> None:
    mark = Path(f"{store}.generation")
    mark.unlink()
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA application_id = 0")

    assert len(Uses(store).after(0)) == 1
    assert mark.exists()


def test_a_process_that_died_before_it_noted_the_generation(store: Path) -> None:
    mark = Path(f"{store}.generation")
    noted = mark.read_text()
    mark.unlink()

    assert Uses(store).add([use(2)]) == 1
    assert mark.read_text() == noted
