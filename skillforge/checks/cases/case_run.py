"""Run `skillforge test`: select skills, look up cached trials, run the others."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from skillforge import sandbox
from skillforge.checks import edition
from skillforge.checks.cases.case_check import settings, shortcomings, trial_findings
from skillforge.checks.cases.case_files import Case
from skillforge.checks.cases.trials import TrialPlan, plan, run
from skillforge.checks.result_cache import decoded
from skillforge.checks.skill_selection import Chosen, Selection, chosen
from skillforge.errors import RequestError
from skillforge.library import Library
from skillforge.model import FileKind, Finding, Report, Severity, Trial, TrialOutcome
from skillforge.store import Cache
from skillforge.worker_pool import Progress

_COUNTED = (FileKind.FILE, FileKind.EXECUTABLE, FileKind.SYMLINK)


@dataclass(frozen=True, slots=True)
class TestOptions:
    """How to test; `match` filters by name or file, `shard` selects a part."""

    match: str = ""
    jobs: int = 0
    repeat: int = 1
    shard: tuple[int, int] = (1, 1)
    use_cache: bool = True


class TestResults(NamedTuple):
    """The trials, other findings, the paths of skills, and how many were cached."""

    trials: list[Trial]
    findings: list[Finding]
    paths: dict[str, str]
    remembered: int

    @property
    def ok(self) -> bool:
        done = all(trial.ok or trial.known for trial in self.trials)
        return done and Report(tuple(self.findings)).ok


def read_shard(words: str) -> tuple[int, int]:
    """A shard such as `2/3` as two numbers."""
    part, _, count = words.partition("/")
    if part.isdecimal() and count.isdecimal() and 1 <= int(part) <= int(count):
        return int(part), int(count)
    raise RequestError(f"{words!r} is not a shard", hint="write 1/3, 2/3 or 3/3")


def run_tests(
    start: Path, selection: Selection, options: TestOptions, progress: Progress
) -> TestResults:
    """Run all cases of the selected skills."""
    selected = chosen(start, selection)
    plans = [plan(s.skill, s.evidence, s.policy) for s in selected]
    findings = [
        _advice(finding).under(planned.skill.path)
        for planned, chosen_skill in zip(plans, selected, strict=True)
        for finding in chosen_skill.known.marked(
            (*shortcomings(planned, chosen_skill.policy), *planned.findings),
            planned.skill,
        )
    ]
    plans = [_matching(planned, options.match) for planned in plans]
    memory = _TrialCache(start, options)
    keys = [memory.key(chosen) for chosen in selected]
    known = memory.recall(keys)
    fresh = [
        planned for planned, key in zip(plans, keys, strict=True) if key not in known
    ]
    fresh = _part(fresh, *options.shard)
    progress.start("trials", sum(len(p.cases) + len(p.trials) for p in fresh))
    trials = run(fresh, settings(options.jobs, options.repeat), progress.done)
    by_path = by_skill(trials, fresh)
    memory.remember(
        {
            key: by_path[p.skill.path]
            for p, key in zip(plans, keys, strict=True)
            if p.skill.path in by_path and key
        }
    )
    ordered = [
        trial
        for planned, key, chosen_skill in zip(plans, keys, selected, strict=True)
        for trial in _marked(
            known.get(key, by_path.get(planned.skill.path, [])), chosen_skill
        )
    ]
    paths = {planned.skill.name: planned.skill.path for planned in plans}
    return TestResults(ordered, findings, paths, len(known))


def _marked(trials: list[Trial], selected: Chosen) -> list[Trial]:
    """The trials of a skill; failures in the baseline are known."""
    findings = list(trial_findings(trials))  # one for each trial that did not pass
    marked = iter(selected.known.marked(findings, selected.skill))
    return [t if t.ok else replace(t, known=next(marked).known) for t in trials]


def _matching(planned: TrialPlan, words: str) -> TrialPlan:
    """The cases of a plan whose name or file contains a text."""

    def fits(item: Case | Trial) -> bool:
        name = item.case if isinstance(item, Trial) else item.name
        return words.lower() in f"{name}\n{item.path}".lower()

    return replace(
        planned,
        cases=tuple(filter(fits, planned.cases)),
        trials=tuple(filter(fits, planned.trials)),
    )


def _advice(finding: Finding) -> Finding:
    """Too few cases are an error at the gate, but a warning here."""
    if finding.rule in ("too-few-cases", "no-variant"):
        return replace(finding, severity=Severity.WARNING)
    return finding


def by_skill(
    trials: Sequence[Trial], plans: Sequence[TrialPlan]
) -> dict[str, list[Trial]]:
    """Trials by the path of their skill; names may not be unique."""
    remaining = iter(trials)
    return {
        p.skill.path: [next(remaining) for _ in range(len(p.cases) + len(p.trials))]
        for p in plans
    }


def _part(plans: list[TrialPlan], part: int, count: int) -> list[TrialPlan]:
    """Every n-th case of all skills; together, the shards are all cases."""
    if count == 1:
        return plans
    place = -1

    def is_ours() -> bool:
        nonlocal place
        place += 1
        return place % count == part - 1

    return [
        replace(
            planned,
            trials=tuple(trial for trial in planned.trials if is_ours()),
            cases=tuple(case for case in planned.cases if is_ours()),
        )
        for planned in plans
    ]


def _part_of(name: str, data: bytes) -> bytes:
    return os.fsencode(f"{name}\0{len(data)}\0") + data


class _TrialCache:
    """Trials that passed before on this machine. The gate never uses it."""

    def __init__(self, start: Path, options: TestOptions) -> None:
        library = Library.find(start)
        is_whole = options.shard == (1, 1) and options.repeat == 1 and not options.match
        repo = library.repo if library and options.use_cache and is_whole else None
        self.cache = Cache.of(repo.common_dir) if repo else None
        self.environments: dict[str, str] = {}  # by what a policy requires

    def _environment(self, required: str) -> str:
        """The tool and the sandbox that trials run in; empty without a sandbox."""
        if required not in self.environments:
            box, _ = sandbox.choose(required)
            about = f"{edition()} {box.about()}" if box else ""
            self.environments[required] = about
        return self.environments[required]

    def key(self, selected: Chosen) -> str:
        """Equal for the same bytes under the same conditions; empty if not cached."""
        environment = self._environment(selected.policy.sandbox) if self.cache else ""
        if not environment:
            return ""
        made_of = hashlib.sha256(environment.encode())
        made_of.update(
            json.dumps([selected.skill.path, asdict(selected.policy)]).encode()
        )
        for path, file in sorted(selected.skill.files.items()):
            data = selected.skill.read(path) if file.kind in _COUNTED else b""
            made_of.update(_part_of(f"{path}\0{file.kind}", data))
        for number, data in sorted(selected.evidence.items()):
            made_of.update(_part_of(number, data))
        return made_of.hexdigest()

    def recall(self, keys: list[str]) -> dict[str, list[Trial]]:
        if self.cache is None:
            return {}
        return decoded(self.cache.entries("trials", filter(None, keys)), _trial)

    def remember(self, results: dict[str, list[Trial]]) -> None:
        if self.cache is None:
            return
        self.cache.save_entries(
            "trials",
            {
                key: json.dumps([asdict(trial) for trial in trials])
                for key, trials in results.items()
                if trials and all(trial.ok for trial in trials)
            },
        )


def _trial(row: dict[str, Any]) -> Trial:
    return Trial(**{**row, "outcome": TrialOutcome(row["outcome"])})
