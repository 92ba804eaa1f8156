"""How we measure: ratios within one run, the least time of several turns."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpus import generate


class Row(NamedTuple):
    """One figure beside its target; `met` is None where there is nothing to meet."""

    what: str
    value: str
    target: str
    met: bool | None
    peers: str = ""


@dataclass(frozen=True)
class Work:
    """Where a part of the benchmarks works, and on what.

    A quick run is a try of the benchmarks themselves: sizes are small, and its figures
    say nothing.
    """

    folder: Path
    is_quick: bool = False
    data: Path | None = None  # what others labelled and is not ours to publish

    def size(self, full: int, quick: int) -> int:
        return quick if self.is_quick else full

    @cached_property
    def small(self) -> Path:
        """A library of 1,000 skills."""
        return library(self.folder, "small", self.size(1_000, 40))

    @cached_property
    def large(self) -> Path:
        """A library of 10,000 skills."""
        return library(self.folder, "large", self.size(10_000, 120))

    @cached_property
    def huge(self) -> Path:
        """A library of 20,000 skills."""
        return library(self.folder, "huge", self.size(20_000, 150))

    def given(self, name: str) -> Path | None:
        """A file or folder of the data, if it is there."""
        found = self.data / name if self.data else None
        return found if found and found.exists() else None


def git(root: Path, *args: str) -> str:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    done = subprocess.run(
        ["git", *identity, *args], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout


def seconds(*works: Callable[[], object], times: int = 5) -> list[float]:
    """The least time of each work; they take turns, so that noise hits all alike."""
    best = [float("inf")] * len(works)
    for _ in range(times):
        for index, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


def command(
    *arguments: object, cwd: Path | None = None
) -> Callable[[], "subprocess.CompletedProcess[bytes]"]:
    line = [sys.executable, "-m", "skillforge", *map(str, arguments)]
    return lambda: subprocess.run(line, cwd=cwd, capture_output=True, check=False)


def ratio(what: str, value: float, target: float, *, least: bool = False) -> Row:
    met = value >= target if least else value <= target
    sign = "at least" if least else "at most"
    return Row(what, f"{value:.2f} x", f"{sign} {target:g} x", met)


def milliseconds(what: str, taken: float, most: float) -> Row:
    return Row(
        what, f"{taken * 1000:.0f} ms", f"within {most:g} ms", taken * 1000 <= most
    )


def share(what: str, part: float, whole: float, least: float, peers: str = "") -> Row:
    """How many of the whole; so many at least."""
    value = part / (whole or 1)
    return Row(what, f"{value:.3f}", f"at least {least:g}", value >= least, peers)


def at_most(what: str, part: float, whole: float, most: float, peers: str = "") -> Row:
    """How many of the whole; so many at most."""
    value = part / (whole or 1)
    return Row(what, f"{value:.3f}", f"at most {most:g}", value <= most, peers)


def needs_data(name: str, *rows: tuple[str, str]) -> list[Row]:
    """Rows for figures that cannot be had without data that is not here."""
    return [Row(what, f"needs {name}", target, None) for what, target in rows]


def library(work: Path, name: str, count: int) -> Path:
    root = work / name
    generate(root, count)
    committed(root)
    old = time.time() - 3600
    for folder, _folders, _files in os.walk(root / "skills"):
        os.utime(folder, (old, old))
    return root


def committed(root: Path) -> None:
    """Make a folder of skills a repository."""
    git(root.parent, "init", "-q", "-b", "main", root.name)
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "Start")


def identify() -> None:
    """Let git know who is at work, whatever the machine says."""
    for who in ("AUTHOR", "COMMITTER"):
        os.environ[f"GIT_{who}_NAME"] = "Bench"
        os.environ[f"GIT_{who}_EMAIL"] = "bench@example.invalid"


def first(folders: Sequence[Path]) -> Path:
    return sorted(folders)[0]
