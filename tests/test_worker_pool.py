"""Work in other processes comes back whole, from a process with threads or without."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import Mock

import pytest

from skillforge import fork_server, worker_pool
from skillforge.errors import ToolError
from tests.labour import (
    apart_without_forks,
    cleans_up,
    dies_elsewhere,
    divided,
    doubled,
    each,
    environment_and_folder,
    farm_that_nobody_waits_for,
    farmed,
    forks_and_ends,
    from_many_threads,
    much,
    no_answer,
    number_or_dies_once,
    parent,
    process_and_number,
    process_and_part,
    reciprocal,
    refuse_first_fork,
    refuse_forks,
    send_pid,
    spread,
    spread_without_forks,
    squared_or_dies,
    starts_another,
)

R = TypeVar("R")
Caller = Callable[..., Any]


def alone(work: Callable[..., R], *args: Any) -> R:
    """Call a function in a process without threads, which forks by itself."""
    return worker_pool.apart(partial(work, *args), 60)


def beside_threads(work: Callable[..., R], *args: Any) -> R:
    """Call a function here, while another thread runs."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        return work(*args)
    finally:
        over.set()
        thread.join()


@pytest.fixture(params=[alone, beside_threads], ids=["alone", "beside-threads"])
def call(request: pytest.FixtureRequest) -> Caller:
    """Calls a function in a process that has no threads, or some."""
    caller: Caller = request.param
    return caller


@pytest.mark.parametrize("processors", [1, 2, 3, 8])
def test_spread_work_keeps_order_and_loses_nothing(
    call: Caller, processors: int
) -> None:
    parts = call(spread, processors, doubled, range(100))

    assert len(parts) == processors
    assert [n for part in parts for n in part] == [n * 2 for n in range(100)]


def test_each_part_has_a_process_of_its_own(call: Caller) -> None:
    parts = call(spread, 4, process_and_part, range(100))

    assert len({process for process, _ in parts}) == 4
    assert [size for _, size in parts] == [25] * 4


def test_a_part_whose_process_dies_is_done_again(call: Caller, tmp_path: Path) -> None:
    work = partial(dies_elsewhere, tmp_path)

    assert call(spread, 2, work, range(20)) == [
        list(range(10)),
        list(range(10, 20)),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["10"]


def test_an_error_in_a_part_is_raised_here(call: Caller) -> None:
    with pytest.raises((ZeroDivisionError, ToolError), match="by zero"):
        call(spread, 2, divided, range(1, 21))


def test_a_part_that_cannot_be_sent_is_done_here() -> None:
    parts = beside_threads(spread, 2, lambda part: len(part), range(20))

    assert parts == [10, 10]


@pytest.mark.parametrize("processors", [1, 2, 3])
def test_items_done_one_by_one_keep_their_order(call: Caller, processors: int) -> None:
    results, ended = call(each, processors, process_and_number, range(40))

    assert [number for _, number in results] == list(range(40))
    assert ended == 40
    assert len({process for process, _ in results}) == processors


def test_an_item_whose_process_dies_is_done_again(call: Caller, tmp_path: Path) -> None:
    work = partial(number_or_dies_once, tmp_path)
    results, ended = call(each, 2, work, range(40))

    assert results == list(range(40))
    assert ended == 40


def test_an_item_that_cannot_be_sent_is_done_here() -> None:
    results, _ = beside_threads(each, 2, lambda number: number + 1, range(40))

    assert results == list(range(1, 41))


def test_an_error_in_an_item_is_raised_here(call: Caller) -> None:
    with pytest.raises((ZeroDivisionError, ToolError), match="by zero"):
        call(each, 2, reciprocal, range(40))


def test_work_apart_returns_its_result(call: Caller) -> None:
    assert call(worker_pool.apart, partial(sorted, [2, 1]), 10) == [1, 2]
    assert call(worker_pool.apart, much, 10) == much()


def test_work_apart_has_todays_environment_and_folder(
    call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert call(worker_pool.apart, environment_and_folder, 10) == (
        None,
        str(Path.cwd()),
    )

    monkeypatch.setenv("SKILLFORGE_MARK", "later")
    monkeypatch.chdir(tmp_path)

    assert call(worker_pool.apart, environment_and_folder, 10) == (
        "later",
        str(tmp_path),
    )


def test_a_folder_that_is_gone_does_not_matter(
    call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    assert call(worker_pool.apart, partial(len, "abc"), 10) == 3


def test_work_apart_that_takes_too_long_is_ended(call: Caller) -> None:
    start = time.monotonic()
    with pytest.raises(ToolError, match="longer than"):
        call(worker_pool.apart, partial(time.sleep, 30), 0.2)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("work", "says"),
    [
        pytest.param(partial(int, "x"), "ValueError: invalid literal", id="raises"),
        pytest.param(partial(os._exit, 1), "crashed", id="exits"),
        pytest.param(partial(os.kill, 0, signal.SIGKILL), "crashed", id="is-killed"),
        pytest.param(no_answer, "crashed", id="no-answer"),
    ],
)
def test_work_apart_that_fails_is_an_error(
    call: Caller, work: Callable[[], object], says: str
) -> None:
    with pytest.raises(ToolError, match=says):
        call(worker_pool.apart, work, 10)


def test_work_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(ToolError, match="cannot be given to another process"):
        beside_threads(worker_pool.apart, lambda: 1, 10)


def test_work_apart_that_is_ended_cleans_up(call: Caller, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="longer than"):
        call(worker_pool.apart, partial(cleans_up, tmp_path / "mark"), 0.5)

    assert [path.name for path in tmp_path.iterdir()] == ["clean"]


def test_what_work_apart_starts_ends_with_it(call: Caller, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="longer than"):
        call(worker_pool.apart, partial(starts_another, tmp_path / "pid"), 1)

    other = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(other))


def test_a_pool_finishes_and_reports_why_workers_died(call: Caller) -> None:
    done = call(farmed, partial(squared_or_dies, 3), range(8), 3)

    assert done == {n: None if n == 3 else n * n for n in range(8)}


def test_a_pool_without_workers_reports_the_unfinished_jobs(call: Caller) -> None:
    done = call(farmed, partial(squared_or_dies, 0), range(3), 1)

    assert done == {0: None, 1: None, 2: None}


def test_a_pool_ends_its_workers_when_the_reader_is_gone(
    call: Caller, tmp_path: Path
) -> None:
    call(farm_that_nobody_waits_for, tmp_path)

    assert len(list(tmp_path.iterdir())) == 2
    wait_until(lambda: not any(is_running(int(p.name)) for p in tmp_path.iterdir()))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_fork_server_has_no_threads() -> None:
    server = beside_threads(worker_pool.apart, parent, 10)
    for _ in range(3):
        assert beside_threads(worker_pool.apart, parent, 10) == server

    assert server != os.getpid()
    assert len(list(Path(f"/proc/{server}/task").iterdir())) == 1


def test_a_fork_server_keeps_no_dead_children() -> None:
    def has_few() -> bool:
        server = beside_threads(worker_pool.apart, parent, 10)
        children = Path(f"/proc/{server}/task/{server}/children").read_text()
        return len(children.split()) < 3  # the last ones may be about to end

    for _ in range(10):
        has_few()
    wait_until(has_few)


def test_a_fork_server_that_was_killed_is_started_again() -> None:
    server = beside_threads(worker_pool.apart, parent, 10)
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: not is_running(server))

    assert beside_threads(worker_pool.apart, parent, 10) != server


@pytest.fixture
def new_server(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has the next request start a fork server that does this work first."""

    def start(*preparations: Callable[[], None]) -> None:
        monkeypatch.setattr(fork_server, "_running", None)
        monkeypatch.setattr(fork_server, "_preparations", list(preparations))

    return start


def test_an_interrupted_request_is_not_answered_as_the_next_one(
    new_server: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    new_server()
    server = beside_threads(worker_pool.apart, parent, 10)
    with monkeypatch.context() as patch:
        patch.setattr(fork_server, "_exactly", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            beside_threads(worker_pool.apart, parent, 10)

    child = beside_threads(fork_server.Child, send_pid)
    try:
        assert child.read(10) == str(child.pid).encode()
    finally:
        child.kill()
    assert beside_threads(worker_pool.apart, parent, 10) == server


def test_a_fork_server_that_cannot_fork_keeps_running(
    new_server: Callable[..., None],
) -> None:
    new_server(refuse_first_fork)

    server = beside_threads(worker_pool.apart, parent, 10)

    assert beside_threads(worker_pool.apart, parent, 10) == server


def test_where_no_process_can_be_started_that_is_the_error(
    new_server: Callable[..., None],
) -> None:
    with pytest.raises(ToolError, match="no process can be started: Resource"):
        alone(apart_without_forks)

    new_server(refuse_forks)
    with pytest.raises(ToolError, match="no process can be started"):
        beside_threads(worker_pool.apart, parent, 10)


def test_where_no_process_can_be_started_spread_work_is_done_here(
    new_server: Callable[..., None],
) -> None:
    expected = [doubled(range(10)), doubled(range(10, 20))]

    assert alone(spread_without_forks) == expected
    new_server(refuse_forks)
    assert beside_threads(spread, 2, doubled, range(20)) == expected


def test_many_threads_ask_at_once() -> None:
    assert from_many_threads() == [number**2 for number in range(16)]


def test_a_child_with_threads_has_a_fork_server_of_its_own() -> None:
    assert beside_threads(worker_pool.apart, from_many_threads, 60) == [
        number**2 for number in range(16)
    ]


# A program with a thread: asks for work that takes long, says who does it, is killed.
PROGRAM = """
import os, sys, threading, time
from functools import partial
from pathlib import Path
from skillforge import worker_pool
from tests.labour import sleeps
if sys.argv[2] == "beside-threads":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
worker_pool.apart(partial(sleeps, Path(sys.argv[1]), 0), 60)
"""


@pytest.mark.parametrize("how", ["alone", "beside-threads"])
def test_nothing_is_left_of_a_program_that_is_killed(tmp_path: Path, how: str) -> None:
    top = Path(__file__).parents[1]
    program = [sys.executable, "-c", PROGRAM, str(tmp_path), how]
    with subprocess.Popen(program, cwd=top) as process:
        wait_until(lambda: bool(list(tmp_path.iterdir())))
        process.kill()

    [child] = [int(path.name) for path in tmp_path.iterdir()]
    wait_until(lambda: not is_running(child))


def test_a_fork_beside_threads_is_an_error_in_these_tests() -> None:
    with pytest.raises(RuntimeError, match="beside threads"):
        beside_threads(forks_and_ends)


def test_only_one_module_forks() -> None:
    """Elsewhere a fork could happen beside threads, whatever the process is."""
    top = Path(fork_server.__file__).parent
    forking = re.compile(
        r"\bos\.fork(pty)?\(|\bmultiprocessing\b|ProcessPool|preexec_fn"
    )
    # The sandbox forks in a launcher of its own, which never has threads.
    outside = (p for p in top.rglob("*.py") if p.parent.name != "sandbox")
    found = {p.name for p in outside if forking.search(p.read_text("utf-8"))}

    assert found == {"fork_server.py"}
