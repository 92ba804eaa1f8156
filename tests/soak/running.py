"""A run: choose, start, kill, listen; halt now and then, and see if all agrees."""

import random
import resource
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from skillforge.report import plural
from tests.soak.actors import Actors
from tests.soak.branch_checkout import BranchCheckout
from tests.soak.checks import Checks, sound
from tests.soak.damage import Damages
from tests.soak.model import Disagreement, Model
from tests.soak.places import make, settle_environment
from tests.soak.processes import Crew, Ended, adopt_orphans, warm_up

_DEATHS = 0.35  # share of commands that are killed
_BETWEEN = 30.0  # seconds between two halts, about
_HANDLES = 10  # open files more than at the start
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How long, with how many at once, and with which luck."""

    seconds: float
    seed: int
    actors: int = 4
    between: float = _BETWEEN


class Soak:
    """One library under everything at once."""

    def __init__(self, top: Path, plan: Plan, progress: Progress) -> None:
        self.plan = plan
        self.progress = progress
        settle_environment(top)
        adopt_orphans()
        warm_up()
        self.luck = random.Random(plan.seed)
        self.model = Model()
        self.places = make(top)
        self.crew = Crew(top, self.places.outputs, self.luck)
        self.actors = Actors(self.places, self.model, self.luck)
        self.checks = Checks(self.places, self.model, self.crew)
        self.checkout = BranchCheckout(self.places, self.model, self.crew)
        self.damages = Damages(self.checks, self.actors)
        self.last: deque[str] = deque(maxlen=60)
        self.answers: Counter[tuple[str, str]] = Counter()
        self.handles = _handles()

    def run(self) -> None:
        """Go on until time is up; Disagreement tells what is wrong."""
        start = reported = halted = time.monotonic()
        while (now := time.monotonic()) - start < self.plan.seconds:
            self.actors.may_push |= self._is_late(now - start)
            if now - halted > self.plan.between:
                self.halt()
                halted = time.monotonic()
            if len(self.crew.running) < self.plan.actors:
                self.crew.start(self.actors.choose(), may_die=_DEATHS)
            self.listen()
            if now - reported > 10:
                self.progress(self.summary())
                reported = now
        self.halt()

    def _is_late(self, gone: float) -> bool:
        """Once, near the end: what the audit says then keeps back all releases."""
        is_late = gone > 0.8 * self.plan.seconds
        return is_late and not self.model.counts["push by hand"]

    def listen(self) -> None:
        for ended in self.crew.ended():
            self.note(ended)
            sound(ended)
            self.model.hear(ended)

    def note(self, ended: Ended) -> None:
        how = "killed" if ended.was_killed else f"exit {ended.code} {ended.message}"
        gone = f"{ended.start:.2f}-{ended.end:.2f}"
        self.last.append(f"{gone} {ended.command.line} -> {how}")
        self.answers[ended.command.kind, how.split(":")[0][:60]] += 1

    def halt(self) -> None:
        """Let all come to an end, and hold the library against the model."""
        while self.crew.running:
            self.listen()
        self.checkout.check()
        self.checks.all()
        self.damages.damage_one()
        self.model.counts["checks"] += 1
        if self.model.counts["checks"] % 2:
            self.checkout.remove()  # so that people can push for a while
        if _handles() > self.handles + _HANDLES:
            raise Disagreement(f"{_handles()} open files, {self.handles} at the start")

    def summary(self) -> str:
        counts = self.model.counts
        killed = sum(n for kind, n in counts.items() if kind.startswith("killed "))
        promoted = sum(c.how == "promotion" for c in self.model.changes.values())
        rollbacks = counts["done rollback"] + counts["done rollback-now"]
        return (
            f"{plural(self.crew.count, 'command')}, {killed} killed; "
            f"{plural(len(self.model.proposals), 'proposal')}, "
            f"{plural(promoted, 'promotion')}, "
            f"{plural(rollbacks, 'rollback')}, "
            f"{plural(counts['revert by hand'], 'revert')} by hand, "
            f"{plural(counts['uses'], 'use')}, "
            f"{plural(len(self.model.tags), 'release')}, "
            f"{plural(counts['killed rollback-now'], 'rollback')} killed, "
            f"{plural(counts['left behind'], 'checkout')} left behind, "
            f"{plural(counts['damaged records'], 'damaged record')}, "
            f"{plural(counts['checks'], 'check')}"
        )

    def table(self) -> str:
        """How often each command was called, done and killed."""
        counts = self.model.counts
        kinds = sorted({kind for kind, _ in self.answers})
        lines = [f"{'command':<16}{'answered':>9}{'done':>7}{'killed':>8}"]
        lines += [
            f"{kind:<16}{counts[kind]:>9}{counts[f'done {kind}']:>7}"
            f"{counts[f'killed {kind}']:>8}"
            for kind in kinds
        ]
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        return "\n".join([*lines, f"largest process: {memory} MiB", self.summary()])


def _handles() -> int:
    """How many files this process has open, where that can be told."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0
