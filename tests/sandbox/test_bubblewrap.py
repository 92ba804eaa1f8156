"""What is special about jobs in bubblewrap: how their rooms are built and ended."""

import os
import time
from pathlib import Path
from typing import NoReturn

import pytest

from skillforge import processes
from skillforge.sandbox import Job
from skillforge.sandbox.bubblewrap import Bubblewrap, _BwrapJob
from tests.sandbox.conftest import running


class InterruptedTestError(Exception):
    """What a signal that ends Skillforge raises."""


def test_nothing_is_left_of_a_room_that_is_interrupted_while_it_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Bubblewrap()
    if gaps := box.gaps():
        pytest.skip(gaps[0])
    if not Path("/proc/thread-self/children").exists():
        pytest.skip("this kernel does not list the children of a process")
    mark = f"54321.{os.getpid()}"
    delays = iter([0, 0.0001, 0.0002, 0.0005, 0.001, 0.002] * 3)

    def interrupt(
        _stay: _BwrapJob, process: processes.Process, _door: object
    ) -> NoReturn:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text():
            assert process.poll() is None
        time.sleep(next(delays))
        raise InterruptedTestError

    monkeypatch.setattr(_BwrapJob, "_arrival", interrupt)
    for _ in range(18):
        with pytest.raises(InterruptedTestError):
            box.run(Job(("sleep", mark), tmp_path))

    deadline = time.monotonic() + 20
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running(mark)
