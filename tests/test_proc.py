"""Processes end as told, and work that is spread comes back whole."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from skillforge import proc
from skillforge.errors import ToolError


def test_a_missing_program_is_a_tool_error() -> None:
    with pytest.raises(ToolError, match="no-such-program is not installed"):
        proc.run(["no-such-program"])


def test_a_failure_is_a_value() -> None:
    result = proc.run(["sh", "-c", "cat; echo wrong >&2; exit 3"], stdin=b"in")

    assert result == (3, b"in", b"wrong\n")


def test_a_process_left_early_is_gone() -> None:
    process = proc.start(["sleep", "60"])
    with pytest.raises(KeyError), proc.running(process):
        raise KeyError

    assert process.poll() is not None


@pytest.mark.parametrize("processors", [1, 2, 3, 8])
def test_spread_work_keeps_order_and_loses_nothing(
    processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    items = list(range(100))

    parts = proc.spread(lambda part: [n * 2 for n in part], items, least=10)

    assert [n for part in parts for n in part] == [n * 2 for n in items]


def test_a_part_whose_process_dies_is_done_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    parent = os.getpid()

    def work(part: Sequence[int]) -> list[int]:
        if os.getpid() != parent:
            os.kill(os.getpid(), 9)
        return list(part)

    assert proc.spread(work, [1, 2, 3, 4], least=1) == [[1, 2], [3, 4]]


def test_an_error_in_a_part_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def work(part: Sequence[int]) -> int:
        return 1 // part[-1]

    with pytest.raises(ZeroDivisionError):
        proc.spread(work, [1, 2, 3, 0], least=1)


def test_work_apart_returns_its_result() -> None:
    assert proc.apart(lambda: [1, "two"], 10) == [1, "two"]


def test_work_apart_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ToolError, match="longer than"):
        proc.apart(lambda: time.sleep(30), 0.2)


def test_work_apart_that_raises_or_dies_is_an_error() -> None:
    with pytest.raises(ToolError, match="KeyError"):
        proc.apart(lambda: os.environ["NO_SUCH_VARIABLE"], 10)
    with pytest.raises(ToolError, match="crashed"):
        proc.apart(lambda: os._exit(1), 10)


def test_work_apart_may_return_much() -> None:
    assert len(proc.apart(lambda: "x" * 3_000_000, 10)) == 3_000_000


def test_a_farm_does_all_and_tells_what_its_workers_died_of() -> None:
    def work(number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), 9)
        return number * number

    done = dict(proc.farm(work, range(8), 3))

    assert done == {n: None if n == 3 else n * n for n in range(8)}


def test_a_farm_without_workers_left_says_so_of_the_rest() -> None:
    done = dict(proc.farm(lambda _: os.kill(os.getpid(), 9), range(3), 1))

    assert done == {0: None, 1: None, 2: None}


def test_a_farm_ends_its_workers_when_nobody_listens(tmp_path: Path) -> None:
    def work(_: int) -> None:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(60)

    farm = proc.farm(work, range(2), 2)
    with pytest.raises(TimeoutError), alarm():
        next(farm)

    workers = [int(file.name) for file in tmp_path.iterdir()]
    assert workers
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


@contextlib.contextmanager
def alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    yield
    signal.signal(signal.SIGALRM, before)
