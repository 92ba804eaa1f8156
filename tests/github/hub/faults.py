"""Faults on order, and the record of what went over the wire."""

import re
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Exchange:
    """A request and its answer; `fault` marks an answer that was made up on order.

    Git's own traffic has neither body nor answer here, and no token is ever kept.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int
    answer: Any
    headers: dict[str, str] = field(default_factory=dict)
    fault: bool = False
    dropped: bool = False


@dataclass
class Fault:
    """What goes wrong with the next requests that match."""

    method: str
    pattern: re.Pattern[str]
    status: int | None
    headers: dict[str, str]
    body: Any
    drop: bool
    after: bool
    delay: float
    left: int | None

    @property
    def prevents(self) -> bool:
        """Whether the request is never acted on."""
        return not self.after and (self.drop or self.status is not None)


class Faults:
    """The faults on order, oldest first; each is used up on its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ordered: list[Fault] = []

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._ordered.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._ordered.clear()

    def take(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for fault in self._ordered:
                if fault.method == method and fault.pattern.search(path):
                    self._use(fault)
                    return fault
        return None

    def _use(self, fault: Fault) -> None:
        if fault.left is not None:
            fault.left -= 1
            if fault.left <= 0:
                self._ordered.remove(fault)
