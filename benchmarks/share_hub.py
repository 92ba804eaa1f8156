"""How long a hub takes to build, against `git archive` and gzip of the same tree."""

import subprocess
import time
from pathlib import Path

from benchmarks.measure import Row, command, git, ratio, seconds


def rows(root: Path) -> list[Row]:
    """The build of a release, as `skillforge release` leaves it: scanned already."""
    git(root, "tag", "--annotate", "--message=Release v1.0.0", "v1.0.0", "main")
    out = root.parent / "hub"
    build = command("build", "v1.0.0", "--library", root, "--out", out)
    start = time.perf_counter()
    build()
    first = time.perf_counter() - start
    floor, ours = seconds(lambda: _archive(root), build, times=3)
    assert (out / "SHA256SUMS").is_file()
    return [
        ratio("hub of 1,000 skills against archive+gzip", ours / floor, 3),
        Row("the same, with the first scan of all", f"{first:.1f} s", "-", None),
    ]


def _archive(root: Path) -> None:
    line = f"git archive --format=tar v1.0.0 | gzip -n > {root.parent / 'tree.tar.gz'}"
    subprocess.run(["sh", "-c", line], cwd=root, check=True)
