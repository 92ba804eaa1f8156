"""Functions that tests of the store run in other processes; quick to import."""

from pathlib import Path
from socket import socket

from skillforge.model import OutcomeSource, OutcomeStatus, Use
from skillforge.store import Uses


def use(number: object, **more: object) -> Use:
    fields = {"outcome": OutcomeStatus.SUCCESS, "source": OutcomeSource.TEST, **more}
    return Use(f"id-{number}", "csv", "1" * 40, f"v-{number}", 1_700_000_000, **fields)  # type: ignore[arg-type]


def write_three(path: Path, writer: int) -> int:
    """Add three uses; returns how many were new."""
    return sum(Uses(path).add([use(f"{writer}-{number}")]) for number in range(3))


def write_on(listener: socket, path: Path) -> None:
    """Write uses until killed, and report each."""
    for number in range(100_000):
        Uses(path).add([use(number)])
        listener.sendall(b".")
