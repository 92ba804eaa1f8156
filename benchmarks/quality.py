"""How good the scan is on labelled skills: `python -m benchmarks.quality FOLDER...`.

Each folder holds skills of one kind (attacks, honest ones), or, for changes, folders
with `before` and `after`. Collections of attacks are not ours to publish; this says how
the figures of the documentation were made, and makes them again on others.
"""

import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from skillforge.checks.scan import scan
from skillforge.library import read_folder
from skillforge.model import Danger, Skill


def _read(folder: Path) -> Skill:
    return read_folder(str(folder), folder.name, folder.name, alone=True)


def _judge(folder: Path) -> Danger:
    if (folder / "after").is_dir():
        return scan(_read(folder / "after"), _read(folder / "before")).verdict
    return scan(_read(folder)).verdict


def measure(folder: Path) -> str:
    """The share of each verdict, and the time for one skill."""
    verdicts: Counter[Danger] = Counter()
    taken: list[float] = []
    for skill in sorted(path for path in folder.iterdir() if path.is_dir()):
        start = time.perf_counter()
        verdicts[_judge(skill)] += 1
        taken.append((time.perf_counter() - start) * 1000)
    count = len(taken) or 1
    shares = ", ".join(f"{d} {100 * verdicts[d] / count:.1f} %" for d in Danger)
    median, mean = statistics.median(taken or [0]), sum(taken) / count
    return (
        f"{folder}: {count} skills: {shares}; median {median:.1f}, mean {mean:.1f} ms"
    )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(measure(Path(name)), flush=True)
