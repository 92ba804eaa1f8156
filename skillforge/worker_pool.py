"""Work in other processes: spread over processors, isolated, or one item at a time.

Long work reports its `Progress`.

In a process with threads, work and its arguments are pickled: see `fork_server`.
"""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from skillforge.errors import SkillforgeError, ToolError
from skillforge.fork_server import Child, receive, send

if TYPE_CHECKING:
    from socket import socket

T = TypeVar("T")
R = TypeVar("R")


class Progress(NamedTuple):
    """Receives what is done and how many there are, then each item that is done."""

    start: Callable[[str, int], None] = lambda _what, _count: None
    done: Callable[[object], None] = lambda _item: None


def spread(work: Callable[[Sequence[T]], R], items: Sequence[T], least: int) -> list[R]:
    """Do `work` on parts of `items` at the same time, one part for each processor.

    Parts have at least `least` items, and their order is kept. A part whose process
    cannot be started, or dies, is done here, so that nothing is lost.
    """
    parts = min(os.cpu_count() or 1, max(1, len(items) // least))
    if parts == 1 or not hasattr(os, "fork"):
        return [work(items)]
    size = -(-len(items) // parts)
    first, *others = (items[at : at + size] for at in range(0, len(items), size))
    children = [_start(work, part) for part in others]
    try:
        results = [work(first)]
        for child, part in zip(children, others, strict=True):
            results.append(_result(child, work, part))
    finally:
        for child in filter(None, children):
            child.kill()
    return results


def each(
    work: Callable[[T], R],
    items: Sequence[T],
    least: int,
    done: Callable[[R], None] = lambda _result: None,
) -> list[R]:
    """Do `work` on each item, on all processors if there are `least` items for each.

    `done` is called as each item ends; the results are in order. An item whose process
    cannot be started, or dies, is done here, so that nothing is lost.
    """
    jobs = min(os.cpu_count() or 1, max(1, len(items) // least))
    results: dict[int, R] = {}
    if jobs > 1 and hasattr(os, "fork"):
        with suppress(ToolError):  # no process can be started
            for place, result in farm(work, items, jobs):
                if result is not None:
                    results[place] = result
                    done(result)
    for place, item in enumerate(items):
        if place not in results:
            results[place] = work(item)
            done(results[place])
    return [results[place] for place in range(len(items))]


def _start(work: Callable[[T], R], part: T) -> Child | None:
    try:
        return Child(_send_result, work, part)
    except ToolError:  # it cannot be pickled, or no process can be started
        return None


def _result(child: Child | None, work: Callable[[T], R], part: T) -> R:
    try:
        return cast("R", pickle.loads(child.read() if child else b""))
    except Exception:  # noqa: BLE001 - the error repeats here
        return work(part)


def _send_result(to: "socket", work: Callable[[T], R], item: T) -> None:
    to.sendall(pickle.dumps(work(item), pickle.HIGHEST_PROTOCOL))


def apart(work: Callable[[], R], seconds: float) -> R:
    """Do `work` in a separate process, with a time limit.

    A crash of that process is a ToolError.
    """
    child = Child(_send_outcome, work, seconds)
    try:
        data = child.read(seconds)
    finally:
        child.kill_group()
    try:
        result, complaint = pickle.loads(data)
    except Exception as err:
        raise ToolError("it crashed") from err
    if complaint:
        raise ToolError(complaint)
    return cast("R", result)


def _send_outcome(to: "socket", work: Callable[[], R], seconds: float) -> None:
    import signal

    os.setsid()  # so that what it starts ends with it
    signal.alarm(int(seconds) + 2)  # in case this process dies first
    to.sendall(pickle.dumps(_outcome(work), pickle.HIGHEST_PROTOCOL))


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
    """Do `work` on each item in separate processes, several at a time.

    Yields an item's place and its result as they come; None if its process died of it.
    """
    import selectors

    waiting = iter(range(len(items)))
    with selectors.DefaultSelector() as ready:
        workers: list[_Worker] = []
        try:
            for _ in range(min(jobs, len(items))):
                workers.append(worker := _Worker(work, items))
                ready.register(worker.child.socket, selectors.EVENT_READ, worker)
                worker.give(next(waiting))
            while ready.get_map():
                for key, _ in ready.select():
                    worker = key.data
                    place, result = worker.place, worker.take()
                    following = next(waiting, None) if worker.is_alive else None
                    if following is None:
                        ready.unregister(worker.child.socket)
                    else:
                        worker.give(following)
                    yield place, result
        finally:
            for worker in workers:  # all first, so that they clean up at the same time
                worker.child.terminate()
            for worker in workers:
                worker.child.end()
    for place in waiting:  # all workers are gone
        yield place, None


class _Worker:
    """A process that works on one item at a time."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T]) -> None:
        self.place = -1
        self.is_alive = True
        self.child = Child(_do_items, work, items)

    def give(self, place: int) -> None:
        self.place = place
        with suppress(BrokenPipeError, ConnectionResetError):
            send(self.child.socket, str(place).encode())

    def take(self) -> Any:
        """The result of the current item; None once the process is gone."""
        data = receive(self.child.socket)
        self.is_alive = bool(data)
        return pickle.loads(data) if data else None


def _do_items(asking: "socket", work: Callable[[T], R], items: Sequence[T]) -> None:
    while place := receive(asking):
        send(asking, pickle.dumps(work(items[int(place)])))
