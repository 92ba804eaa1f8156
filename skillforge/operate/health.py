"""Run the cases of all skills again, to find skills that broke since their merge."""

import json
import platform
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log2
from typing import NamedTuple
from zlib import crc32

from skillforge import sandbox
from skillforge.checks.cases import dependencies
from skillforge.checks.cases.case_check import settings
from skillforge.checks.cases.case_run import by_skill
from skillforge.checks.cases.trials import OUT_OF_TIME, TrialPlan, plan, run
from skillforge.checks.status_metadata import is_pinned
from skillforge.errors import ToolError
from skillforge.history.lineage import require_skill
from skillforge.library import Library
from skillforge.model import Skill, Trial, TrialOutcome
from skillforge.model.time_units import DAY
from skillforge.operate import health_record
from skillforge.operate.health_record import (
    Checkup,
    Environment,
    HealthHistory,
    is_bad,
)
from skillforge.sandbox import Sandbox
from skillforge.store import Tally, Uses
from skillforge.worker_pool import Progress

_RECENT = 30  # days in which a use counts
_MAX_WEEKS = 8  # that waiting adds to urgency; also for a skill that never ran
_AT_ONCE = 32  # skills that are tried together
_LEFT = "health.left"  # the fact that lists skills without a result in the last run
_IMPORTANT = ("high", "critical")
_PASSED_AGAIN = "passed on the second try; the first one: "


@dataclass(frozen=True, slots=True)
class HealthOptions:
    """Which skills to try, and for how long."""

    names: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    seconds: float = 3600
    jobs: int = 0


class Urgency(NamedTuple):
    """How urgent it is to try a skill; compares by its fields in order."""

    was_left: bool  # without a result in the last run
    has_failed: bool
    score: float

    @classmethod
    def of(
        cls, skill: Skill, uses: int, last: float | None, past: HealthHistory
    ) -> "Urgency":
        """A week of waiting counts as much as twice the uses.

        `last` is how many days ago this version was tried here.
        """
        weeks = _MAX_WEEKS if last is None else min(last / 7, _MAX_WEEKS)
        score = log2(1 + uses) + weeks + 2 * _is_important(skill)
        return cls(False, past.has_failed, score)


def _is_important(skill: Skill) -> bool:
    document = skill.document
    importance = document.metadata("importance").lower() if document else ""
    return is_pinned(document) or importance in _IMPORTANT


def check_up(
    library: Library, tip: str, options: HealthOptions, progress: Progress
) -> Iterator[Checkup]:
    """Try skills of main, the most urgent first, and save the results.

    No case starts after the time is up, except those of the first skill. Skills without
    a result come first in the next run. Results are saved after each batch, so that a
    crash loses little.
    """
    box, why = sandbox.choose(library.policy(tip).sandbox)
    if box is None:
        raise ToolError(
            f"cases run only in a sandbox, and none is available: {why}",
            hint="skillforge doctor shows what is missing",
        )
    deadline = time.monotonic() + options.seconds
    store = Uses.of(library.repository().common_dir)
    machine = _machine(box)
    queue = _queue(library, tip, options, store, machine)
    progress.start("skills", len(queue))
    left: set[str] = set()
    for at, batch in enumerate(_batches(queue)):
        until = deadline if at else inf
        results = _run(library, tip, batch, machine, options.jobs, until)
        checkups = [
            queued.past.with_past(checkup, _now())
            for queued, checkup in zip(batch, results, strict=True)
        ]
        store.save_case_records(
            checkup.record(_now()) for checkup in checkups if checkup.condition.is_known
        )
        for checkup in checkups:
            if checkup.is_unfinished:
                left.add(checkup.name)
            trials = checkup.trials
            progress.done(trials[-1] if trials else _no_time(checkup.skill))
        yield from checkups
    _save_left(store, {queued.skill.name for queued in queue}, left)


class _QueuedSkill(NamedTuple):
    skill: Skill
    version: str
    past: HealthHistory
    urgency: Urgency


def _batches(queue: list[_QueuedSkill]) -> Iterator[list[_QueuedSkill]]:
    """The most urgent skill alone, then many at a time."""
    yield queue[:1]
    for at in range(1, len(queue), _AT_ONCE):
        yield queue[at : at + _AT_ONCE]


def _queue(
    library: Library,
    tip: str,
    options: HealthOptions,
    store: Uses,
    machine: Environment,
) -> list[_QueuedSkill]:
    for name in options.names:
        require_skill(library, tip, name)
    trees = library.skill_trees(tip)
    shard, shards = options.shard
    chosen = [
        name
        for name in trees
        if (not options.names or name in options.names)
        and crc32(name.encode("utf-8", "replace")) % shards == shard - 1
    ]
    pasts = health_record.histories(store.case_records())
    uses = recent(store.tally(), _now() // DAY - _RECENT)
    left = set(_left(store))
    queue = []
    for skill in library.read_at(tip, chosen) if chosen else ():
        version = trees[skill.name]
        past = pasts.get(skill.name, HealthHistory())
        last = past.last(version, machine)
        days = (_now() - last.at) / DAY if last else None
        urgency = Urgency.of(skill, uses[skill.name], days, past)
        urgency = urgency._replace(was_left=skill.name in left)
        queue.append(_QueuedSkill(skill, version, past, urgency))
    return sorted(queue, key=lambda q: (q.urgency, q.skill.name), reverse=True)


def recent(tally: Sequence[Tally], first: int) -> Counter[str]:
    """How often each skill was loaded from a day on."""
    counts: Counter[str] = Counter()
    for row in tally:
        if row.is_loaded and row.version and row.day >= first:
            counts[row.skill] += row.uses
    return counts


def _run(  # noqa: PLR0913, PLR0917 - what trials take
    library: Library,
    tip: str,
    batch: list[_QueuedSkill],
    machine: Environment,
    jobs: int,
    deadline: float,
) -> list[Checkup]:
    """Try some skills; failed cases run again, to find flaky ones."""
    if time.monotonic() > deadline:
        return [
            Checkup(queued.skill, queued.version, machine, (_no_time(queued.skill),))
            for queued in batch
        ]
    policy = library.policy(tip)
    how = replace(settings(jobs), deadline=deadline)
    plans = [
        plan(queued.skill, library.evidence_at(tip, queued.skill.name), policy)
        for queued in batch
    ]
    first = by_skill(run(plans, how), plans)
    retries = [_failed(planned, first[planned.skill.path]) for planned in plans]
    second = by_skill(run(retries, how), retries)
    checkups = []
    for skill, version, _, _ in batch:
        trials, is_confirmed = compared(first[skill.path], second[skill.path])
        here = machine._replace(dependency=dependencies.digest(skill))
        checkup = Checkup(skill, version, here, trials, is_confirmed=is_confirmed)
        checkups.append(checkup)
    return checkups


def _failed(planned: TrialPlan, trials: list[Trial]) -> TrialPlan:
    """The cases to run again; unreadable ones would only fail again."""
    bad = {trial.case for trial in trials if is_bad(trial)}
    cases = tuple(case for case in planned.cases if case.name in bad)
    return replace(planned, cases=cases, trials=())


def compared(first: list[Trial], second: list[Trial]) -> tuple[tuple[Trial, ...], bool]:
    """The trials after a second try, and whether all failed ones ran twice."""
    again = {trial.case: trial.outcome for trial in second}
    trials = tuple(
        replace(
            trial, outcome=TrialOutcome.FLAKY, detail=f"{_PASSED_AGAIN}{trial.detail}"
        )
        if is_bad(trial) and again.get(trial.case) is TrialOutcome.PASSED
        else trial
        for trial in first
    )
    return trials, TrialOutcome.NOT_RUN not in again.values()


def _machine(box: Sandbox) -> Environment:
    """The environment of cases here; a container has its own interpreter."""
    is_here = box.name in ("bubblewrap", "landlock")
    python = box.about().rpartition(", ")[2] if is_here else box.about()
    return Environment(python, f"{platform.system()} {platform.machine()}", box.name)


def _no_time(skill: Skill) -> Trial:
    return Trial(skill.name, "all cases", TrialOutcome.NOT_RUN, 0.0, OUT_OF_TIME)


def _left(store: Uses) -> list[str]:
    try:
        names = json.loads(store.fact(_LEFT) or "[]")
    except ValueError:
        return []
    return names if isinstance(names, list) else []


def _save_left(store: Uses, tried: set[str], left: set[str]) -> None:
    """Save which skills have no result; those of other shards stay."""
    before = set(_left(store))
    now = sorted((before - tried) | left)
    if now != sorted(before):
        store.set_fact(_LEFT, json.dumps(now))


def _now() -> int:
    return int(time.time())
