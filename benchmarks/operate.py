"""The canary's promises by simulation, and what a million uses cost."""

import random
import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import sync
from benchmarks.measure import Row, Work, command, git, library, milliseconds, seconds
from skillforge import worker_pool
from skillforge.model import (
    Arm,
    OutcomeSource,
    OutcomeStatus,
    Rollout,
    RolloutVerdict,
    Use,
)
from skillforge.operate import pseudonym
from skillforge.operate.assignment import has_canary
from skillforge.operate.canary import judge
from skillforge.policy import CanaryPolicy
from skillforge.store import Uses, Votes

SEED = 20_261_117
OLD, NEW = "1" * 40, "2" * 40
_NEVER = 10**9


def rows(work: Work) -> Iterator[Row]:
    count = work.size(1000, 6)
    yield from many_uses(work.folder, work.size(1_000_000, 2_000))
    yield from sync.rows(work)
    yield from assignment(work.size(100_000, 5_000))
    yield Row("seeds of the simulations", f"{SEED} to {SEED + count - 1}", "-", None)
    yield from verdicts(count)
    yield from idle_skills(count)


class Cell(NamedTuple):
    """Success rates of the two versions, and how many percent of keys get the new."""

    control: float
    canary: float
    share: float
    is_new_skill: bool = False


class Run(NamedTuple):
    """How one rollout ended, and after how many uses of the canary."""

    verdict: RolloutVerdict
    canary_uses: int


def simulate(cell: Cell, most: int, seed: int) -> Run:
    """One rollout by the code that judges real ones, looked at after every use."""
    chance = random.Random(seed)
    stable = "" if cell.is_new_skill else OLD
    rollout = Rollout("skill", "id", stable, NEW, cell.share, 0)
    rule = CanaryPolicy(share=cell.share)
    counts = dict.fromkeys(
        [(arm, status) for arm in Arm for status in OutcomeStatus], 0
    )
    canary_uses = 0
    while canary_uses < most:
        arm = Arm.CANARY if chance.random() < cell.share / 100 else Arm.STABLE
        rate = cell.canary if arm is Arm.CANARY else cell.control
        outcome = (
            OutcomeStatus.SUCCESS if chance.random() < rate else OutcomeStatus.FAILURE
        )
        counts[arm, outcome] += 1
        canary_uses += arm is Arm.CANARY
        votes = [Votes(cell.share, *key, count) for key, count in counts.items()]
        judged = judge(rollout, votes, rule, 0)
        if judged.verdict is not RolloutVerdict.CONTINUE:
            return Run(judged.verdict, canary_uses)
    return Run(RolloutVerdict.CONTINUE, canary_uses)


def _some(cell: Cell, most: int, seeds: list[int]) -> list[Run]:
    return [simulate(cell, most, seed) for seed in seeds]


def runs(cell: Cell, most: int, count: int) -> list[Run]:
    seeds = [SEED + number for number in range(count)]
    parts = worker_pool.spread(partial(_some, cell, most), seeds, 10)
    return [run for part in parts for run in part]


def part(done: list[Run], verdict: RolloutVerdict) -> float:
    return sum(run.verdict is verdict for run in done) / len(done)


def verdicts(count: int) -> Iterator[Row]:
    """False roll-backs without a difference, and how soon a drop of 20 points shows."""
    for control in (0.6, 0.8, 0.9):
        for share in (10.0, 50.0):
            most = 100 if share == 10 else 400
            same = part(
                runs(Cell(control, control, share), most, count),
                RolloutVerdict.ROLL_BACK,
            )
            where = f"success {control:g}, share {share:g} %"
            what = f"false roll-back, {where}, {most} canary uses"
            yield Row(what, f"{same:.3f}", "at most .05", same <= 0.05)
            done = runs(Cell(control, control - 0.2, share), 1000, count)
            uses = statistics.median(
                run.canary_uses if run.verdict is RolloutVerdict.ROLL_BACK else _NEVER
                for run in done
            )
            what = f"canary uses until a drop of 20 points is caught, {where}"
            value = f"{uses:.0f}" if uses < _NEVER / 2 else "never"
            yield Row(what, value, "at most 100", uses <= 100)


def idle_skills(count: int) -> Iterator[Row]:
    """A new skill that does nothing, beside no skill."""
    for control in (0.6, 0.9):
        cell = Cell(control, control, 50.0, is_new_skill=True)
        good = part(runs(cell, 400, count), RolloutVerdict.PROMOTE)
        what = f"new skill that does nothing called good, success {control:g}"
        yield Row(what, f"{good:.3f}", "at most .05", good <= 0.05)


def assignment(count: int) -> Iterator[Row]:
    """Who gets a canary: as many as configured, and not the same ones as before."""
    first, second = (
        Rollout("skill", rollout_id, OLD, NEW, 10.0, 0) for rollout_id in ("one", "two")
    )
    keys = [f"key-{number}" for number in range(count)]
    in_one, in_two = (
        {k for k in keys if has_canary(rollout, k)} for rollout in (first, second)
    )
    error = 3 * (0.1 * 0.9 / count) ** 0.5
    off = abs(len(in_one) / count - 0.1)
    what = f"share of {count:,} keys, off the 10 % that were asked for"
    yield Row(what, f"{off:.4f}", f"at most {error:.4f}", off <= error)
    both = len(in_one & in_two) / count
    apart = abs(both - len(in_one) / count * len(in_two) / count) / 0.09
    most = 3 / count**0.5
    what = "correlation of two rollouts"
    yield Row(what, f"{apart:.4f}", f"at most {most:.4f}", apart <= most)


def fill(path: Path, count: int) -> None:
    """Uses of a hundred skills over a year."""
    chance = random.Random(SEED)
    start = 1_760_000_000
    batch: list[Use] = []
    for number in range(count):
        outcome = (
            OutcomeStatus.SUCCESS if chance.random() < 0.9 else OutcomeStatus.FAILURE
        )
        skill = f"skill-{number % 100:05d}"
        voice = pseudonym.of_key(skill, str(chance.randrange(count // 4)))
        at = start + number * 31_536_000 // count
        use = Use(f"{number:032x}", skill, OLD, voice, at, outcome, OutcomeSource.TEST)
        batch.append(use)
        if len(batch) == 50_000 or number == count - 1:
            Uses(path).add(batch)
            batch.clear()


def many_uses(work: Path, count: int) -> Iterator[Row]:
    """What `stats` and `record` take over a start of the program."""
    root = library(work, "used", 100)
    stats = command("stats", "--library", root, "--json")
    tenth = whole = taken = 0.0
    for part_of in (count // 10, count):
        path = root / ".git" / "skillforge" / "state.db"
        for old in path.parent.glob("state.db*"):
            old.unlink()
        fill(path, part_of)
        start, taken = seconds(command("--version"), stats)
        tenth, whole = whole, taken - start
    what = f"stats of {count:,} uses"
    yield Row(what, f"{taken:.2f} s", "at most 3 s", taken <= 3)
    growth = whole / max(tenth, 1e-6)
    what = "stats of ten times the uses"
    yield Row(what, f"{growth:.2f} x", "at most 10 x", growth <= 10)
    yield from recording(root, count)


def recording(root: Path, count: int) -> Iterator[Row]:
    """The usual use; and one after main has moved, which asks git for the version."""
    line = ("--library", root, "--key", "k", "--outcome", "success")
    record = command("record", "skill-000000", *line)
    record()
    start, usual = seconds(command("--version"), record, times=15)
    what = f"record with {count:,} uses, over --version"
    yield milliseconds(what, usual - start, 20)
    slow = []
    for number in range(5):
        git(root, "commit", "-q", "--allow-empty", "-m", f"Move {number}")
        slow += seconds(record, times=1)
    over = f"{(min(slow) - start) * 1000:.0f} ms"
    yield Row("the same after main has moved", over, "-", None)
