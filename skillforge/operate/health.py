"""Try the cases of all skills again: what worked when it was merged may not now."""

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
from skillforge.checks.cases.case_run import Progress, by_skill
from skillforge.checks.cases.trials import OUT_OF_TIME, TrialPlan, plan, run
from skillforge.checks.status_metadata import is_pinned
from skillforge.errors import ToolError
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
from skillforge.operate.skill_lookup import require_skill
from skillforge.sandbox import Sandbox
from skillforge.store import Tally, Uses

_RECENT = 30  # days in which a use counts
_LONGEST = 8  # weeks; what was never run waits as long
_AT_ONCE = 32  # skills that are laid out together
_LEFT = "health.left"  # the fact that tells what did not fit the last time
_IMPORTANT = ("high", "critical")


@dataclass(frozen=True, slots=True)
class HealthOptions:
    """Which skills to try, how long it may take, and what to do at once."""

    names: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    seconds: float = 3600
    jobs: int = 0


class Urgency(NamedTuple):
    """How soon a skill is to be tried; the greatest first."""

    was_left: bool  # it did not fit the last time
    has_failed: bool
    score: float

    @classmethod
    def of(
        cls, skill: Skill, uses: int, last: float | None, past: HealthHistory
    ) -> "Urgency":
        """A use more tells less each time; a week of waiting is worth a doubling.

        `last` is how many days ago this version was tried here.
        """
        weeks = _LONGEST if last is None else min(last / 7, _LONGEST)
        score = log2(1 + uses) + weeks + 2 * _is_important(skill)
        return cls(False, past.has_failed, score)


def _is_important(skill: Skill) -> bool:
    document = skill.document
    said = document.metadata("importance").lower() if document else ""
    return is_pinned(document) or said in _IMPORTANT


def check_up(
    library: Library, tip: str, ask: HealthOptions, progress: Progress
) -> Iterator[Checkup]:
    """Try skills of main, the most urgent first, and remember how they fared.

    No case begins after the time is up, but for those of the first skill: what is left
    comes first the next time.
    Each result is kept before the next part begins, so that a crash costs little.
    """
    policy = library.policy(tip)
    box, why = sandbox.choose(policy.sandbox)
    if box is None:
        raise ToolError(
            f"there is no sandbox here, and nothing runs outside of one: {why}",
            hint="skillforge doctor tells what is missing",
        )
    deadline = time.monotonic() + ask.seconds
    store = Uses.of(library.repository().common_dir)
    machine = _machine(box)
    queue = _queue(library, tip, ask, store, machine)
    progress.start(len(queue))
    left: set[str] = set()
    for at, part in enumerate(_parts(queue)):
        until = deadline if at else inf  # however little time there is, it goes on
        found = _part(library, tip, part, machine, ask.jobs, until)
        found = [
            one.past.judged(it, _now()) for one, it in zip(part, found, strict=True)
        ]
        store.check(it.record(_now()) for it in found if it.condition.is_known)
        left |= {it.name for it in found if it.is_unfinished}
        for it in found:
            progress.done(it.trials[-1] if it.trials else _no_time(it.skill))
        yield from found
    _note_left(store, {one.skill.name for one in queue}, left)


def _parts(queue: "list[_QueuedSkill]") -> "Iterator[list[_QueuedSkill]]":
    """What is tried together: the most urgent skill alone, then many."""
    yield queue[:1]
    for at in range(1, len(queue), _AT_ONCE):
        yield queue[at : at + _AT_ONCE]


class _QueuedSkill(NamedTuple):
    skill: Skill
    version: str
    past: HealthHistory
    urgency: Urgency


def _queue(
    library: Library, tip: str, ask: HealthOptions, store: Uses, machine: Environment
) -> list[_QueuedSkill]:
    for name in ask.names:
        require_skill(library, tip, name)
    trees = library.skill_trees(tip)
    part, count = ask.shard
    wanted = [
        name
        for name in trees
        if (not ask.names or name in ask.names)
        and crc32(name.encode("utf-8", "replace")) % count == part - 1
    ]
    pasts = health_record.by_skill(store.checked())
    uses = recent(store.tally(), _now() // DAY - _RECENT)
    left = set(_left(store))
    found = []
    for skill in library.read_at(tip, wanted) if wanted else ():
        version = trees[skill.name]
        past = pasts.get(skill.name, HealthHistory())
        last = past.last(version, machine)
        days = (_now() - last.at) / DAY if last else None
        urgency = Urgency.of(skill, uses[skill.name], days, past)
        urgency = urgency._replace(was_left=skill.name in left)
        found.append(_QueuedSkill(skill, version, past, urgency))
    return sorted(found, key=lambda it: (it.urgency, it.skill.name), reverse=True)


def recent(tally: Sequence[Tally], first: int) -> Counter[str]:
    """How often each skill was used from a day on; to be offered is no use."""
    counts: Counter[str] = Counter()
    for row in tally:
        if row.is_loaded and row.version and row.day >= first:
            counts[row.skill] += row.uses
    return counts


def _part(  # noqa: PLR0913, PLR0917 - what trials take
    library: Library,
    tip: str,
    part: list[_QueuedSkill],
    machine: Environment,
    jobs: int,
    deadline: float,
) -> list[Checkup]:
    """Try some skills; what failed once more, to tell what is flaky from what broke."""
    if time.monotonic() > deadline:
        return [
            Checkup(it.skill, it.version, machine, (_no_time(it.skill),)) for it in part
        ]
    policy = library.policy(tip)
    how = replace(settings(jobs), deadline=deadline)
    plans = [
        plan(it.skill, library.evidence_at(tip, it.skill.name), policy) for it in part
    ]
    first = by_skill(run(plans, how), plans)
    doubtful = [_only_bad(it, first[it.skill.path]) for it in plans]
    second = by_skill(run(doubtful, how), doubtful)
    found = []
    for it in part:
        path = it.skill.path
        trials, is_sure = compared(first[path], second[path])
        here = machine._replace(dependency=dependencies.digest(it.skill))
        done = Checkup(it.skill, it.version, here, trials, is_confirmed=is_sure)
        found.append(done)
    return found


def _only_bad(planned: TrialPlan, trials: list[Trial]) -> TrialPlan:
    """What is to be tried again; what cannot be read is no other the second time."""
    bad = {trial.case for trial in trials if is_bad(trial)}
    cases = tuple(case for case in planned.cases if case.name in bad)
    return replace(planned, cases=cases, trials=())


def compared(first: list[Trial], second: list[Trial]) -> tuple[tuple[Trial, ...], bool]:
    """Trials after a second try, and whether every failure is sure."""
    again = {trial.case: trial.outcome for trial in second}
    trials = tuple(
        replace(trial, outcome=TrialOutcome.FLAKY, detail=f"{_AGAIN}{trial.detail}")
        if is_bad(trial) and again.get(trial.case) is TrialOutcome.PASSED
        else trial
        for trial in first
    )
    return trials, TrialOutcome.NOT_RUN not in again.values()


_AGAIN = "it passed when it was tried again; before: "


def _machine(box: Sandbox) -> Environment:
    """Where cases run here; a container brings its own interpreter."""
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


def _note_left(store: Uses, tried: set[str], left: set[str]) -> None:
    """Remember what did not fit; what another shard has left stays noted."""
    before = set(_left(store))
    now = sorted((before - tried) | left)
    if now != sorted(before):
        store.set_fact(_LEFT, json.dumps(now))


def _now() -> int:
    return int(time.time())
