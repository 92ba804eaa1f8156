"""What tests of the store have other processes write: quick to import."""

from pathlib import Path
from socket import socket

from skillforge.model import OutcomeSource, OutcomeStatus, Use
from skillforge.store import Uses


def use(number: object, **more: object) -> Use:
    said = {"outcome": OutcomeStatus.SUCCESS, "source": OutcomeSource.TEST, **more}
    return Use(f"id-{number}", "csv", "1" * 40, f"v-{number}", 1_700_000_000, **said)  # type: ignore[arg-type]


def write_three(path: Path, writer: int) -> int:
    """How many of three uses were new."""
    return sum(Uses(path).add([use(f"{writer}-{number}")]) for number in range(3))


def write_on(told: socket, path: Path) -> None:
    """Write uses for ever, and tell of each."""
    for number in range(100_000):
        Uses(path).add([use(number)])
        told.sendall(b".")
