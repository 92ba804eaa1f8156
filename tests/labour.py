"""What children do in the tests of workers: quick to import, as each child does it."""

import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from socket import socket
from typing import Any, TypeVar
from unittest import mock

from skillforge import processes, worker_pool

R = TypeVar("R")


def spread(processors: int, work: Callable[[Sequence[Any]], R], items: Any) -> list[R]:
    with mock.patch("os.cpu_count", return_value=processors):
        return worker_pool.spread(work, items, 10)


def each(processors: int, work: Callable[[Any], R], items: Any) -> tuple[list[R], int]:
    """The results of the items, and how many were reported as they ended."""
    ended: list[R] = []
    with mock.patch("os.cpu_count", return_value=processors):
        return worker_pool.each(work, items, 10, ended.append), len(ended)


def process_and_number(number: int) -> tuple[int, int]:
    return os.getpid(), number


def number_or_dies_once(home: Path, number: int) -> int:
    """The first process to come to one of the items is killed."""
    if number == 7:
        try:
            (home / "7").touch(exist_ok=False)
        except FileExistsError:
            return number
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def reciprocal(number: int) -> float:
    return 1 / number


def doubled(part: Sequence[int]) -> list[int]:
    return [number * 2 for number in part]


def process_and_part(part: Sequence[int]) -> tuple[int, int]:
    return os.getpid(), len(part)


def dies_elsewhere(home: Path, part: Sequence[int]) -> list[int]:
    """The first to come is killed, unless it is the one that asked."""
    if part[0]:
        try:
            (home / str(part[0])).touch(exist_ok=False)
        except FileExistsError:
            return list(part)
        os.kill(os.getpid(), signal.SIGKILL)
    return list(part)


def divided(part: Sequence[int]) -> int:
    return 1 // (20 - part[-1])


def much() -> str:
    return "x" * 3_000_000


def no_answer() -> object:
    return [b"x" * 300_000, lambda: 0]


def starts_another(pid_file: Path) -> None:
    other = processes.start(["sleep", "60"])
    pid_file.write_text(str(other.pid))
    time.sleep(60)


def environment_and_folder() -> tuple[str | None, str]:
    return os.environ.get("SKILLFORGE_MARK"), str(Path.cwd())


def cleans_up(mark: Path) -> None:
    mark.touch()
    try:
        time.sleep(60)
    finally:
        mark.rename(mark.with_name("clean"))


def squared_or_dies(fatal: int, number: int) -> int:
    if number == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def farmed(work: Callable[[int], Any], items: Sequence[int], jobs: int) -> Any:
    return dict(worker_pool.farm(work, items, jobs))


def sleeps(folder: Path, _: int) -> None:
    (folder / str(os.getpid())).touch()
    time.sleep(60)


def farm_that_nobody_waits_for(folder: Path) -> None:
    with suppress(TimeoutError), alarm(folder):
        next(worker_pool.farm(partial(sleeps, folder), range(2), 2))


@contextmanager
def alarm(folder: Path) -> Iterator[None]:
    def ring(*_: object) -> None:
        if len(list(folder.iterdir())) == 2:
            raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def parent() -> int:
    return os.getppid()


def from_many_threads() -> list[int]:
    found: list[int] = []

    def ask(number: int) -> None:
        found.append(worker_pool.apart(partial(pow, number, 2), 60))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found)


def forks_and_ends() -> None:
    if os.fork() == 0:
        os._exit(0)


def refuse_forks() -> None:
    """Have this process fork no more: the system has no process left for it."""
    os.fork = refused


def refuse_first_fork() -> None:
    """The same, but only once."""
    real = os.fork

    def refuse() -> int:
        os.fork = real
        return refused()

    os.fork = refuse


def refused() -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def spread_without_forks() -> list[list[int]]:
    refuse_forks()
    return spread(2, doubled, range(20))


def apart_without_forks() -> None:
    refuse_forks()
    worker_pool.apart(os.getpid, 10)


def send_pid(to: socket) -> None:
    to.sendall(str(os.getpid()).encode())
