"""All processes. The only module that imports subprocess."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from skillforge.errors import SkillforgeError, ToolError

if TYPE_CHECKING:
    import subprocess

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
R = TypeVar("R")
Process: TypeAlias = "subprocess.Popen[bytes]"


class Result(NamedTuple):
    """How a finished process ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes

    @property
    def complaint(self) -> str:
        return self.err.decode("utf-8", "replace").strip()


def start(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bool | int = False,
    handed: Sequence[int] = (),
) -> Process:
    """Start a process whose output is read while it runs.

    `stdin` may be a file descriptor; those `handed` on keep their number.
    """
    import subprocess  # takes a while to import, and not every command needs it

    source = stdin if not isinstance(stdin, bool) else None
    if source is None:
        source = subprocess.PIPE if stdin else subprocess.DEVNULL
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=handed,
        )
    except FileNotFoundError as err:
        if cwd is not None and not cwd.is_dir():
            raise ToolError(f"there is no folder {cwd}") from err
        raise ToolError(
            f"{argv[0]} is not installed", hint=f"install {argv[0]} and try again"
        ) from err
    except OSError as err:
        raise ToolError(f"{argv[0]} cannot be started: {err.strerror}") from err


def leave(
    argv: Sequence[str], *, env: Mapping[str, str], stdin: int | None = None
) -> None:
    """Start a process that goes on by itself, whatever becomes of this one.

    It has no terminal and no pipe of ours, but for a `stdin` to read from: nobody
    waits for it.
    """
    import subprocess

    quiet = subprocess.DEVNULL
    try:
        started = subprocess.Popen(
            list(argv),
            env=env,
            stdin=quiet if stdin is None else stdin,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
    except OSError as err:
        raise ToolError(f"{argv[0]} cannot be started: {err.strerror}") from err
    started.returncode = 0  # so that Python does not ask for how it ended


@contextmanager
def running(process: Process) -> Iterator[Process]:
    """Leave no process and no open pipe behind, whatever happens in between."""
    try:
        yield process
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        process.wait()


def finish(process: Process, stdin: bytes | None = None) -> Result:
    """Wait for a started process and collect what it wrote."""
    try:
        out, err = process.communicate(stdin)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return Result(process.returncode, out, err)


@contextmanager
def fed(process: Process, stdin: bytes) -> Iterator[None]:
    """Write to a process in the background, while its output is read here."""
    import threading

    def feed() -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError), process.stdin as pipe:
            pipe.write(stdin)

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    yield
    feeder.join(timeout=5)


def run(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> Result:
    """Run a process to its end; a non-zero exit is a value, not an error."""
    return finish(start(argv, cwd=cwd, env=env, stdin=stdin is not None), stdin)


def without_cycles(work: F) -> F:
    """Stop Python's search for reference cycles during `work`, which makes none."""

    @wraps(work)
    def undisturbed(*args: Any, **kwargs: Any) -> Any:
        restore = gc.enable if gc.isenabled() else gc.disable
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            restore()

    return cast("F", undisturbed)


def spread(work: Callable[[Sequence[T]], R], items: Sequence[T], least: int) -> list[R]:
    """Do `work` on parts of `items` at the same time, one part for each processor.

    Parts have at least `least` items. A part whose process dies is done again here, so
    that nothing is lost; the order of parts is kept. In a thread of a server all is
    done in one part: a child would have the locks of other threads, and never them.
    """
    parts = min(os.cpu_count() or 1, max(1, len(items) // least))
    if parts == 1 or not hasattr(os, "fork") or _is_beside_others():
        return [work(items)]
    import pickle

    size = -(-len(items) // parts)
    first, *others = (items[at : at + size] for at in range(0, len(items), size))
    pipes = [_fork(work, part) for part in others]
    results = [work(first)]
    for part, (pid, pipe) in zip(others, pipes, strict=True):
        with open(pipe, "rb") as answer:
            data = answer.read()
        _, status = os.waitpid(pid, 0)
        results.append(pickle.loads(data) if status == 0 else work(part))
    return results


def _is_beside_others() -> bool:
    import threading

    return threading.current_thread() is not threading.main_thread()


def _fork(work: Callable[[Sequence[T]], R], part: Sequence[T]) -> tuple[int, int]:
    receive, send = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(send)
        return pid, receive
    import pickle

    code = 1
    try:
        _end_with(parent)
        with open(send, "wb") as answer:
            pickle.dump(work(part), answer, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        # Not sys.exit: the parent's open files and handlers are not ours to flush.
        os._exit(code)


def _end_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends, however that comes."""
    import signal
    import sys

    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def apart(work: Callable[[], R], seconds: float) -> R:
    """Do `work` in a process of its own, which ends with it or when time is up.

    Whatever becomes of that process, this one goes on: a crash is a ToolError.
    """
    import pickle
    import select
    import signal

    def alone(_: Sequence[None]) -> tuple[R | None, str]:
        os.setsid()  # so that what it starts ends with it
        signal.alarm(int(seconds) + 2)  # also if nobody is left to end it
        return _outcome(work)

    pid, receive = _fork(alone, [])
    try:
        with open(receive, "rb") as pipe:
            data = b""
            deadline = time.monotonic() + seconds
            ready = select.poll()
            ready.register(pipe, select.POLLIN)
            while True:
                left = deadline - time.monotonic()
                if left <= 0 or not ready.poll(left * 1000):
                    raise ToolError(f"it took longer than {seconds:.0f} s")
                if not (part := os.read(pipe.fileno(), 1 << 16)):
                    break
                data += part
    finally:
        _end(pid)
    try:
        result, complaint = pickle.loads(data)
    except Exception as err:
        raise ToolError("it crashed") from err
    if complaint:
        raise ToolError(complaint)
    return cast("R", result)


def _end(pid: int) -> None:
    """End a process and all it started: asked first, so that it can clean up."""
    import signal

    deadline = time.monotonic() + 1
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGTERM)
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            for end in (os.killpg, os.kill):
                with suppress(ProcessLookupError, PermissionError):
                    end(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(0.005)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)  # what it has left behind


def _outcome(work: Callable[[], R]) -> tuple[R | None, str]:
    try:
        return work(), ""
    except SkillforgeError as err:
        return None, f"{err.message}; {err.hint}" if err.hint else err.message
    except Exception as err:  # noqa: BLE001 - whatever it is, the caller has to know
        return None, f"{type(err).__name__}: {err}" if str(err) else type(err).__name__


def farm(
    work: Callable[[T], R], items: Sequence[T], jobs: int
) -> Iterator[tuple[int, R | None]]:
    """Do `work` on each item, several at a time, each in a process that does no other.

    Yields an item's place and its result as they come; None if its process died of it.
    """
    import selectors

    waiting = iter(range(len(items)))
    with selectors.DefaultSelector() as ready:
        workers = [_Worker(work, items) for _ in range(min(jobs, len(items)))]
        try:
            for worker in workers:
                ready.register(worker.pipe, selectors.EVENT_READ, worker)
                worker.give(next(waiting))
            while ready.get_map():
                for key, _ in ready.select():
                    worker = key.data
                    place, result = worker.place, worker.take()
                    following = next(waiting, None) if worker.is_alive else None
                    if following is None:
                        ready.unregister(worker.pipe)
                    else:
                        worker.give(following)
                    yield place, result
        finally:
            for worker in workers:
                worker.end()
    for place in waiting:  # nobody is left to do it
        yield place, None


class _Worker:
    """A process that does one item after the other, as it is told."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T]) -> None:
        import socket

        self.place = -1
        self.is_alive = True
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _end_with(parent)
                ours.close()
                _serve(theirs, work, items)
            finally:
                os._exit(0)
        theirs.close()
        self.pipe = ours

    def give(self, place: int) -> None:
        self.place = place
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.sendall(place.to_bytes(4, "big"))

    def take(self) -> Any:
        """The result of the item at hand; None once the process is gone."""
        import pickle

        size = self._read(4)
        data = self._read(int.from_bytes(size, "big")) if size else b""
        self.is_alive = bool(data)
        return pickle.loads(data) if data else None

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                part = self.pipe.recv(min(1 << 16, size - len(data)))
            except ConnectionResetError:
                part = b""
            if not part:
                return b""
            data += part
        return data

    def end(self) -> None:
        import signal

        self.pipe.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _serve(pipe: Any, work: Callable[[T], R], items: Sequence[T]) -> None:
    import pickle

    while place := pipe.recv(4):
        data = pickle.dumps(work(items[int.from_bytes(place, "big")]))
        pipe.sendall(len(data).to_bytes(4, "big") + data)
