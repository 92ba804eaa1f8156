"""The log of hook runs is private, small, and can be written by many at once."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillforge.store import hook_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / ".git/skillforge/hook.log"


def add(log: Path, number: int, error: str = "no such session") -> None:
    entry = hook_log.entry("codex", str(number), error=error)
    hook_log.append(entry, log.parents[1])


def last_session(log: Path) -> str:
    found = hook_log.last(log.parents[1])
    assert found is not None
    return str(found[0]["session"])


def test_only_its_owner_may_read_it(log: Path) -> None:
    add(log, 1)

    assert log.stat().st_mode & 0o777 == 0o600


def test_it_stays_small_and_keeps_what_is_newest(log: Path) -> None:
    for number in range(500):
        add(log, number, "x" * 5000)

    assert log.stat().st_size <= 64 << 10
    sessions = [json.loads(line)["session"] for line in log.open()]
    assert sessions == [str(number) for number in range(500)][-len(sessions) :]
    assert len(sessions) > 20


def test_many_may_write_at_once(log: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: add(log, number), range(100)))

    sessions = {json.loads(line)["session"] for line in log.open()}
    assert sessions == set(map(str, range(100)))


def test_damage_hides_only_itself(log: Path) -> None:
    add(log, 1)
    with log.open("ab") as file:
        file.write(b'\xff\x00{"at": \n[1]\n{"at": "x"}\n{"at"')

    assert last_session(log) == "1"


def test_without_write_access_entries_go_to_the_users_log(log: Path) -> None:
    log.parents[1].mkdir()
    log.parent.write_text("a file in the way")

    add(log, 7)

    cache = Path(os.environ["SKILLFORGE_CACHE"]) / "hook.log"
    assert json.loads(cache.read_text())["session"] == "7"
    assert last_session(log) == "7"


def test_the_newest_of_both_counts(log: Path) -> None:
    hook_log.append({"at": 2, "session": "here"}, log.parents[1])
    hook_log.append({"at": 1, "session": "elsewhere"})
    assert last_session(log) == "here"
    hook_log.append({"at": 3, "session": "later"})
    assert last_session(log) == "later"


def test_a_missing_log_has_no_entry(log: Path) -> None:
    assert hook_log.last(log.parents[1]) is None
    assert hook_log.last() is None
