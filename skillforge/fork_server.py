"""Child processes that call our functions. The only module that forks.

Only a process without threads forks: a child inherits locks that other threads hold,
and no thread to release them. A process with threads asks a fork server, a process
without threads that is started once. The call is pickled then.
"""

import os
import pickle
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from skillforge import processes
from skillforge.errors import ToolError

if TYPE_CHECKING:
    from socket import socket

_NUMBER = 8  # bytes of a number on a socket
_RELEASE = 1.0  # seconds that a child has to clean up before it is killed
_SERVER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from skillforge import fork_server; fork_server._serve()"
)


class Child:
    """A process that calls `main(socket, *args)`; `socket` is the other end of that.

    It ends with the call, and when this process ends. From a process with threads,
    `main` and `args` have to be picklable.
    """

    def __init__(self, main: Callable[..., None], *args: Any) -> None:
        import socket

        self.socket, theirs = socket.socketpair()
        self._server: _Server | None = None
        with theirs:
            try:
                if _has_threads():
                    self._ask_server(theirs, main, args)
                else:
                    self._fork(theirs, main, args)
            except OSError as err:
                self.socket.close()
                raise _no_process(err.strerror) from err
            except BaseException:
                self.socket.close()
                raise

    def _fork(self, theirs: "socket", main: Callable[..., None], args: Any) -> None:
        parent = os.getpid()
        _prctl()  # looked up once, not in each child
        self.pid = os.fork()
        if self.pid == 0:
            self.socket.close()
            _live(parent, main, theirs, *args)

    def _ask_server(
        self, theirs: "socket", main: Callable[..., None], args: Any
    ) -> None:
        try:
            request = pickle.dumps((_folder(), dict(os.environ), main, args))
        except (pickle.PicklingError, AttributeError, TypeError) as err:
            raise ToolError(f"cannot be given to another process: {err}") from err
        for _ in range(2):  # one that was killed is started again
            self._server = _server()
            if pid := self._server.fork(theirs):
                break
        else:
            raise _no_process("the fork server has ended, or cannot fork")
        self.pid = pid
        with suppress(BrokenPipeError, ConnectionResetError):  # it died: reading tells
            send(self.socket, request)

    def read(self, seconds: float | None = None) -> bytes:
        """All that it sends until it ends; ToolError if that takes longer."""
        data = bytearray()
        deadline = None if seconds is None else time.monotonic() + seconds
        while self._is_readable(deadline):
            try:
                part = self.socket.recv(1 << 18)
            except ConnectionResetError:
                part = b""
            if not part:
                return bytes(data)
            data += part
        raise ToolError(f"it took longer than {seconds:.0f} s")

    def _is_readable(self, deadline: float | None) -> bool:
        import select

        if deadline is None:
            return True
        ready = select.poll()
        ready.register(self.socket, select.POLLIN)
        return bool(ready.poll(max(0.0, deadline - time.monotonic()) * 1000))

    def kill(self) -> None:
        """End the process; safe to repeat."""
        import signal

        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._release()

    def terminate(self) -> None:
        """Ask the process to clean up and end; `end` waits for that."""
        import signal

        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def end(self) -> None:
        """Wait a moment for a process that was asked to end, then kill it."""
        if self.pid:
            with suppress(ToolError):
                self.read(_RELEASE)
            self.kill()

    def kill_group(self) -> None:
        """End the process and all it started: asked first, so that it can clean up."""
        import signal

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGTERM)
        with suppress(ToolError):
            self.read(_RELEASE)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.kill()

    def _release(self) -> None:
        """Release its pid, which is reserved until then."""
        self.socket.close()
        if self._server:
            self._server.release(self.pid)
        else:
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
        self.pid = 0


def _no_process(why: str | None) -> ToolError:
    hint = "is there enough memory, or a limit on processes? try again"
    return ToolError(f"no process can be started: {why}", hint=hint)


def send(to: "socket", data: bytes) -> None:
    """Send data so that `receive` knows where it ends."""
    to.sendall(len(data).to_bytes(_NUMBER, "big"))
    to.sendall(data)


def receive(source: "socket") -> bytes:
    """What the other side has sent; empty once it is gone."""
    return _exactly(source, int.from_bytes(_exactly(source, _NUMBER), "big"))


def _exactly(source: "socket", size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        try:
            part = source.recv(min(1 << 18, size - len(data)))
        except ConnectionResetError:
            part = b""
        if not part:
            return b""
        data += part
    return bytes(data)


def _has_threads() -> bool:
    """Whether this process has more than one thread, also one that is not Python's."""
    try:
        return len(os.listdir("/proc/self/task")) > 1
    except OSError:  # not on Linux
        return threading.active_count() > 1


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return ""


def _live(parent: int, main: Callable[..., None], *args: Any) -> NoReturn:
    """In the child: call `main`, then exit without the parent's cleanup."""
    code = 1
    try:
        _end_with(parent)
        _end_cleanly_when_asked()
        main(*args)
        code = 0
    finally:
        # Not sys.exit: the parent's open files and handlers are not ours to flush.
        os._exit(code)


@cache
def _prctl() -> Callable[[int, int], object]:
    """Linux' `prctl`; elsewhere a function that does nothing."""
    import sys

    if sys.platform != "linux":
        return lambda _option, _value: None
    import ctypes

    return ctypes.CDLL(None).prctl


def _end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends."""
    import signal

    set_death_signal = 1
    _prctl()(set_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def _end_cleanly_when_asked() -> None:
    import signal
    import sys

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))


_starting = threading.Lock()
_preparations: list[Callable[[], object]] = []
_running: "_Server | None" = None


def prepare(work: Callable[[], object]) -> None:
    """Have the fork server call this once, such as imports for all children."""
    if work not in _preparations:
        _preparations.append(work)


def _server() -> "_Server":
    """The fork server of this process; a fork of us has none yet."""
    global _running
    with _starting:
        if _running is None or _running.owner != os.getpid() or _running.has_ended:
            _running = _Server()
        return _running


class _Server:
    """The process that forks for this one, as long as this one lives."""

    def __init__(self) -> None:
        import json
        import socket
        import sys

        self.owner = os.getpid()
        self.has_ended = False
        self._lock = threading.Lock()
        self._requests = 0
        self._control, theirs = socket.socketpair()
        # -P: nothing is imported from the current folder, unless it is here, too.
        line = [sys.executable, "-P", "-c", _SERVER, json.dumps(sys.path)]
        with theirs:
            processes.leave(line, env=os.environ, stdin=theirs.fileno())
        with suppress(BrokenPipeError, ConnectionResetError):
            send(self._control, pickle.dumps(_preparations))

    def fork(self, theirs: "socket") -> int:
        """A new child that has this socket and waits there; 0 if there is none."""
        import socket

        with self._lock, suppress(OSError):
            self._requests += 1
            number = self._requests.to_bytes(_NUMBER, "big")
            socket.send_fds(self._control, [number], [theirs.fileno()])
            while answer := _exactly(self._control, 2 * _NUMBER):
                pid = answer[_NUMBER:]
                if answer.startswith(number):
                    return int.from_bytes(pid, "big")
                # The answer to a request during which this process was interrupted.
                self._control.sendall(pid)
        self.has_ended = True
        return 0

    def release(self, pid: int) -> None:
        """A child has ended: its pid may be reused."""
        with self._lock, suppress(OSError):
            self._control.sendall(pid.to_bytes(_NUMBER, "big"))


def _serve() -> None:
    """Be a fork server, until the process that started us is gone."""
    import gc
    import socket

    _prctl()
    control = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # no child reads our requests
    os.chdir("/")
    for work in pickle.loads(receive(control)):
        work()
    gc.collect()
    gc.freeze()  # else the next search for cycles copies all that children share
    released: set[int] = set()
    while True:
        number, handed, _, _ = socket.recv_fds(control, _NUMBER, 1)
        if not number:
            os._exit(0)
        if handed:
            pid = _fork_for(handed[0], control)
            control.sendall(number + pid.to_bytes(_NUMBER, "big"))
        elif any(number):  # 0 is what was answered where no fork was possible
            released.add(int.from_bytes(number, "big"))
        # One that cannot die at once is asked for again the next time.
        released -= {pid for pid in released if os.waitpid(pid, os.WNOHANG)[0]}


def _fork_for(descriptor: int, control: "socket") -> int:
    """The child that gets this socket; 0 if the system has no more processes."""
    import socket

    server = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        os.close(descriptor)
        return 0
    if pid == 0:
        control.close()
        _live(server, _answer_request, socket.socket(fileno=descriptor))
    os.close(descriptor)
    return pid


def _answer_request(asking: "socket") -> None:
    folder, environment, main, args = pickle.loads(receive(asking))
    os.environ.clear()
    os.environ.update(environment)
    with suppress(OSError):
        os.chdir(folder)
    main(asking, *args)
