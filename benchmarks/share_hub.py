"""How long a hub takes to build, against `git archive` and gzip of the same tree."""

import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

from benchmarks.measure import Row, Work, command, git, ratio, seconds


def rows(work: Work) -> list[Row]:
    """The build of a release whose skills were scanned and rendered before.

    Both write to memory where that is to be had: how fast a disk makes four thousand
    files is no matter of ours.
    """
    root = work.small
    git(
        root,
        "tag",
        "--force",
        "--annotate",
        "--message=Release v1.0.0",
        "v1.0.0",
        "main",
    )
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        return _rows(root, Path(folder))


def _rows(root: Path, work: Path) -> list[Row]:
    places = (work / f"hub-{number}" for number in count())

    def build() -> None:
        command("build", "v1.0.0", "--library", root, "--out", next(places))()

    start = time.perf_counter()
    build()
    first = time.perf_counter() - start
    floor, ours = seconds(lambda: _archive(root, work), build, times=4)
    assert (work / "hub-4/SHA256SUMS").is_file()
    return [
        ratio(
            "hub of 1,000 skills with its site, known ones, against archive+gzip",
            ours / floor,
            3,
        ),
        Row(
            "the same for the first time, with a scan of all",
            f"{first:.1f} s",
            "-",
            None,
        ),
    ]


def _archive(root: Path, work: Path) -> None:
    line = f"git archive --format=tar v1.0.0 | gzip -n > {work / 'tree.tar.gz'}"
    subprocess.run(["sh", "-c", line], cwd=root, check=True)
