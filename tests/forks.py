"""Processes for tests: changed before they start, killed at a step, many at once.

pytest-xdist has threads, so a test never forks: it asks the fork server, as a server
of ours does. What it is asked for has to be picklable, and quick to import.
"""

import importlib
import io
import os
import pickle
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from socket import socket
from typing import Any, TypeVar
from unittest import mock

import skillforge
from skillforge import cli, sandbox, worker_pool
from skillforge.checks import registry
from skillforge.errors import ToolError
from skillforge.fork_server import Child
from skillforge.policy import read_policy

R = TypeVar("R")

_CHANGES = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod")
# Has a Python that a test starts tell of a fork beside threads, from Python 3.12 on.
TELL_OF_FORKS = ("-W", "always:This process:DeprecationWarning")
FORKED_BESIDE_THREADS = "is multi-threaded"
_SECONDS = 120  # that any of this may take, on a busy machine


def refuse_forks_beside_threads() -> None:
    """Make it an error in this process, which is one to debug and not to wait for.

    Python warns only after the fork, where no filter can make an error of it.
    """

    def refuse(name: str) -> None:
        fork = getattr(os, name)

        def refusing() -> Any:
            if len(list(Path("/proc/self/task").glob("*"))) > 1:
                raise RuntimeError(
                    f"os.{name} beside threads; see skillforge.fork_server"
                )
            return fork()

        setattr(os, name, refusing)

    refuse("fork")
    refuse("forkpty")


def warm_up() -> None:
    """Import all of us and find a sandbox: once, not in each process."""
    for module in pkgutil.walk_packages(skillforge.__path__, "skillforge."):
        if not module.name.endswith("__main__") and "mcp" not in module.name:
            importlib.import_module(module.name)
    registry.warm_up()
    read_policy(b"checks: [validate]\n")
    sandbox.choose()


def at_once(works: Sequence[Callable[[], R]]) -> list[R]:
    """The results of many processes that run at the same time."""
    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(partial(worker_pool.apart, seconds=_SECONDS), works))


def run(arguments: Sequence[str], **env: str) -> tuple[int, str, str]:
    """Code and output of a command in a process of its own; -9 if that is killed."""
    child = Child(_send_run, tuple(arguments), env)
    data = child.read()
    child.kill()
    found: tuple[int, str, str] = pickle.loads(data) if data else (-9, "", "")
    return found


def _send_run(to: socket, arguments: Sequence[str], env: Mapping[str, str]) -> None:
    os.environ.update(env)
    to.sendall(pickle.dumps(_run_changed({}, arguments)))


def run_changed(
    changes: Mapping[str, Callable[..., object]], arguments: Sequence[str]
) -> tuple[int, str, str]:
    """Code and output of a command in a process where names stand for other things."""
    return worker_pool.apart(partial(_run_changed, changes, tuple(arguments)), _SECONDS)


def _run_changed(
    changes: Mapping[str, Callable[..., object]], arguments: Sequence[str]
) -> tuple[int, str, str]:
    if changes:
        sandbox.choose.cache_clear()
    for name, other in changes.items():
        mock.patch(name, other).start()
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.run(list(arguments))
    return code, out.getvalue(), err.getvalue()


def killed_at(number: int, below: Path, work: Callable[[], object]) -> bool:
    """Do work in a process that ends just before it changes files for the nth time.

    Whether it ended so: False once there are not that many changes.
    """
    return _ends_early(partial(_die_at_change, number, str(below), work))


def dies_at(step: int, *arguments: str) -> bool:
    """Run a command in a process that dies before its n-th rename; whether it did."""
    return _ends_early(partial(_die_at_rename, step, arguments))


def _ends_early(work: Callable[[], object]) -> bool:
    try:
        worker_pool.apart(work, _SECONDS)
    except ToolError as err:
        if err.message == "it crashed":
            return True
        raise
    return False


def _die_at_change(number: int, below: str, work: Callable[[], object]) -> None:
    changes = 0

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal changes
        is_new = event == "open" and isinstance(args[2], int) and args[2] & os.O_CREAT
        # What is removed with its folder is named by its name in it.
        is_there = str(args[0]).startswith(below) or "/" not in str(args[0])
        if (is_new or event in _CHANGES) and is_there:
            changes += 1
            if changes == number:
                os._exit(9)

    sys.addaudithook(watch)
    work()


def _die_at_rename(step: int, arguments: Sequence[str]) -> int:
    count = 0

    def deadly(name: str) -> None:
        real = getattr(os, name)

        def move(*arguments: Any, **options: Any) -> None:
            nonlocal count
            count += 1
            if count == step:
                os._exit(9)
            real(*arguments, **options)

        setattr(os, name, move)

    deadly("rename")
    deadly("replace")
    return cli.run(list(arguments))
