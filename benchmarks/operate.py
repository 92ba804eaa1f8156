"""The canary's promises by simulation, and what a million uses cost.

`python -m benchmarks.operate [--runs 1000] [--uses 1000000]`; seeds are printed.
"""

import argparse
import random
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Row, command, library, seconds
from skillforge import proc
from skillforge.config import CanaryPolicy
from skillforge.model import Arm, Ended, Judged, Rollout, Source, Use
from skillforge.operate import voices
from skillforge.operate.canary import judge
from skillforge.store import Uses, Votes

SEED = 20_261_117
OLD, NEW = "1" * 40, "2" * 40
_NEVER = 10**9


class Cell(NamedTuple):
    """Success rates of the two versions, and how many percent of keys get the new."""

    control: float
    canary: float
    share: float
    is_new_skill: bool = False


class Run(NamedTuple):
    """How one rollout ended, and after how many uses of the canary."""

    verdict: Judged
    canary_uses: int


def simulate(cell: Cell, most: int, seed: int) -> Run:
    """One rollout by the code that judges real ones, looked at after every use."""
    chance = random.Random(seed)
    stable = "" if cell.is_new_skill else OLD
    rollout = Rollout("skill", "id", stable, NEW, cell.share, 0)
    rule = CanaryPolicy(share=cell.share)
    counts = dict.fromkeys([(arm, it) for arm in Arm for it in Ended], 0)
    heard = 0
    while heard < most:
        arm = Arm.CANARY if chance.random() < cell.share / 100 else Arm.STABLE
        rate = cell.canary if arm is Arm.CANARY else cell.control
        outcome = Ended.SUCCESS if chance.random() < rate else Ended.FAILURE
        counts[arm, outcome] += 1
        heard += arm is Arm.CANARY
        votes = [Votes(cell.share, *key, count) for key, count in counts.items()]
        judged = judge(rollout, votes, rule, 0)
        if judged.verdict is not Judged.CONTINUE:
            return Run(judged.verdict, heard)
    return Run(Judged.CONTINUE, heard)


def _some(cell: Cell, most: int, seeds: list[int]) -> list[Run]:
    return [simulate(cell, most, seed) for seed in seeds]


def runs(cell: Cell, most: int, count: int) -> list[Run]:
    seeds = [SEED + number for number in range(count)]
    parts = proc.spread(partial(_some, cell, most), seeds, 10)
    return [run for part in parts for run in part]


def part(done: list[Run], verdict: Judged) -> float:
    return sum(run.verdict is verdict for run in done) / len(done)


def verdicts(count: int) -> list[Row]:
    """False roll-backs without a difference, and how soon a drop of 20 points shows."""
    rows = []
    for control in (0.6, 0.8, 0.9):
        for share in (10.0, 50.0):
            most = 100 if share == 10 else 400
            same = part(
                runs(Cell(control, control, share), most, count), Judged.ROLL_BACK
            )
            where = f"success {control:g}, share {share:g} %"
            what = f"false roll-back, {where}, {most} canary uses"
            rows.append(Row(what, f"{same:.3f}", "at most .05", same <= 0.05))
            done = runs(Cell(control, control - 0.2, share), 1000, count)
            uses = statistics.median(
                run.canary_uses if run.verdict is Judged.ROLL_BACK else _NEVER
                for run in done
            )
            what = f"canary uses until a drop of 20 points is caught, {where}"
            rows.append(Row(what, f"{uses:.0f}", "at most 100", uses <= 100))
    return rows


def idle_skills(count: int) -> list[Row]:
    """A new skill that does nothing, beside no skill."""
    rows = []
    for control in (0.6, 0.9):
        cell = Cell(control, control, 50.0, is_new_skill=True)
        good = part(runs(cell, 400, count), Judged.PROMOTE)
        what = f"new skill that does nothing called good, success {control:g}"
        rows.append(Row(what, f"{good:.3f}", "at most .05", good <= 0.05))
    return rows


def fill(path: Path, count: int) -> None:
    """Uses of a hundred skills over a year."""
    chance = random.Random(SEED)
    start = 1_760_000_000
    batch: list[Use] = []
    for number in range(count):
        outcome = Ended.SUCCESS if chance.random() < 0.9 else Ended.FAILURE
        skill = f"skill-{number % 100:05d}"
        voice = voices.voice(skill, str(chance.randrange(count // 4)))
        at = start + number * 31_536_000 // count
        use = Use(f"{number:032x}", skill, OLD, voice, at, outcome, Source.TEST)
        batch.append(use)
        if len(batch) == 50_000 or number == count - 1:
            Uses(path).add(batch)
            batch.clear()


def many_uses(work: Path, count: int) -> list[Row]:
    """What `stats` and `record` take over a start of the program."""
    root = library(work, "used", 100)
    names = sorted(path.name for path in (root / "skills").iterdir())
    line = ("--library", root, "--key", "k", "--outcome", "success")
    tenth: list[float] = []
    whole: list[float] = []
    for part_of, times in ((count // 10, tenth), (count, whole)):
        path = root / ".git" / "skillforge" / "state.db"
        for old in path.parent.glob("state.db*"):
            old.unlink()
        fill(path, part_of)
        took = seconds(
            command("--version"),
            command("stats", "--library", root, "--json"),
            command("record", names[0], *line),
        )
        times += took
    start, stats, record = whole
    over = (record - start) * 1000
    growth = (stats - start) / max(tenth[1] - tenth[0], 1e-6)
    million = f"{count:,} uses"
    return [
        Row(f"stats of {million}", f"{stats:.2f} s", "at most 3 s", stats <= 3),
        Row(f"record with {million}, over start-up", f"{over:.0f} ms",
            "at most 20 ms", over <= 20),
        Row("stats of ten times the uses", f"{growth:.2f} x", "at most 10 x",
            growth <= 10),
    ]  # fmt: skip


def rows(work: Path, count: int = 1000, uses: int = 1_000_000) -> list[Row]:
    return [*verdicts(count), *idle_skills(count), *many_uses(work, uses)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--uses", type=int, default=1_000_000)
    given = parser.parse_args()
    began = time.perf_counter()
    print(f"seeds {SEED} to {SEED + given.runs - 1}")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), given.runs, given.uses):
            sign = {True: "met", False: "MISSED", None: ""}[row.met]
            print(f"{row.what:75} {row.value:>10}  {row.target:14} {sign}")
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
