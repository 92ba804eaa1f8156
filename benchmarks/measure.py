"""How we measure: ratios within one run, the least time of several turns."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpus import generate


class Row(NamedTuple):
    what: str
    value: str
    target: str
    met: bool | None


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


def library(work: Path, name: str, count: int) -> Path:
    root = work / name
    generate(root, count)
    git(work, "init", "-q", "-b", "main", name)
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "Start")
    old = time.time() - 3600
    for folder, _folders, _files in os.walk(root / "skills"):
        os.utime(folder, (old, old))
    return root
