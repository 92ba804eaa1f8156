"""All processes. The only module that imports subprocess."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from skillforge.errors import ToolError

if TYPE_CHECKING:
    import subprocess

F = TypeVar("F", bound=Callable[..., Any])
Process: TypeAlias = "subprocess.Popen[bytes]"


class ProcessResult(NamedTuple):
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
            raise ToolError(f"no such folder: {cwd}") from err
        raise ToolError(
            f"{argv[0]} is not installed", hint=f"install {argv[0]} and try again"
        ) from err
    except OSError as err:
        raise ToolError(f"{argv[0]} cannot be started: {err.strerror}") from err


def leave(
    argv: Sequence[str], *, env: Mapping[str, str], stdin: int | None = None
) -> None:
    """Start a background process that outlives this one.

    It has no terminal and none of our pipes, except an optional `stdin`.
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
    started.returncode = 0  # so that Python doesn't wait for it


@contextmanager
def running(process: Process) -> Iterator[Process]:
    """Kill the process and close its pipes at the end."""
    try:
        yield process
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        process.wait()


def finish(process: Process, stdin: bytes | None = None) -> ProcessResult:
    """Wait for a started process and collect what it wrote."""
    try:
        out, err = process.communicate(stdin)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return ProcessResult(process.returncode, out, err)


@contextmanager
def fed(process: Process, stdin: bytes) -> Iterator[None]:
    """Write to a process in the background while its output is read here."""
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
    handed: Sequence[int] = (),
) -> ProcessResult:
    """Run a process to its end; a non-zero exit is a value, not an error."""
    has_input = stdin is not None
    return finish(start(argv, cwd=cwd, env=env, stdin=has_input, handed=handed), stdin)


def without_cycles(work: F) -> F:
    """Turn the garbage collector off during `work`, which creates no cycles."""

    @wraps(work)
    def undisturbed(*args: Any, **kwargs: Any) -> Any:
        restore = gc.enable if gc.isenabled() else gc.disable
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            restore()

    return cast("F", undisturbed)
