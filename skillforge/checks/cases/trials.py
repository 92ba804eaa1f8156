"""Plan the trials of skills, run them in the sandbox, and decide their outcomes."""

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from skillforge import sandbox, worker_pool
from skillforge.checks.cases import case_files, code_blocks, held_out, job_setup
from skillforge.checks.cases.case_files import Case
from skillforge.checks.cases.dependencies import Dependencies, needs, prepare
from skillforge.checks.cases.expectations import differences
from skillforge.errors import RequestError, SkillforgeError
from skillforge.installation import install_command
from skillforge.model import Finding, Skill, Trial, TrialOutcome
from skillforge.policy import Policy
from skillforge.sandbox import JobResult, Limits

_ALLOW = "the policy allows it with tests: {dependencies: true}"
OUT_OF_TIME = "out of time"
_SHOWN = 2000  # characters of a job's output
_MOST_CASES, _MOST_BYTES = 10_000, 64 << 20  # of one skill


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """The cases to run for one skill, and the results known without running."""

    skill: Skill
    cases: tuple[Case, ...] = ()
    trials: tuple[Trial, ...] = ()
    findings: tuple[Finding, ...] = ()
    dependencies: bool = False  # whether the policy allows to install packages
    sandbox: str = sandbox.ANY  # what the policy requires


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """How trials are run; none starts after the `deadline` (monotonic clock)."""

    jobs: int = 1
    repeat: int = 1
    limits: Limits = field(default_factory=Limits)
    deadline: float = math.inf


class TrialRun(NamedTuple):
    """A case to run, with all that it needs."""

    plan: TrialPlan
    case: Case
    folder: Path
    packages: Path | None
    settings: TrialSettings


def plan(skill: Skill, evidence: Mapping[str, bytes], policy: Policy) -> TrialPlan:
    """All cases of a skill, including its held-out examples.

    Any bytes give a plan: a skill that cannot be read is a failed trial.
    """
    try:
        planned = _plan(skill, evidence)
        return replace(
            planned, dependencies=policy.dependencies, sandbox=policy.sandbox
        )
    except Exception as err:  # noqa: BLE001 - the skill's files may cause any error
        why = f"the tests cannot be read: {type(err).__name__}: {str(err)[:200]}"
        return TrialPlan(
            skill, (), (Trial(skill.name, "tests", TrialOutcome.ERROR, 0.0, why),)
        )


def _plan(skill: Skill, evidence: Mapping[str, bytes]) -> TrialPlan:
    examples, shown, unread = held_out.sort_examples(skill, evidence)
    sources = (
        unread,
        case_files.read_cases(skill),
        job_setup.test_files(skill),
        code_blocks.read_blocks(skill),
        held_out.read_replay(skill, examples),
    )
    items: list[Case | Trial] = []
    size = 0
    for item in chain.from_iterable(sources):
        items.append(item)
        size += sum(map(len, item.files.values())) if isinstance(item, Case) else 0
        if size > _MOST_BYTES or len(items) > _MOST_CASES:
            raise ValueError(
                f"more than {_MOST_CASES:,} cases, or 64 MB of their files"
            )
    return TrialPlan(
        skill,
        tuple(_with_unique_names(item for item in items if isinstance(item, Case))),
        tuple(item for item in items if isinstance(item, Trial)),
        (
            *job_setup.ignored(skill),
            *held_out.unused(skill, examples),
            *held_out.copied(skill, examples, shown),
        ),
    )


def _with_unique_names(cases: Iterable[Case]) -> list[Case]:
    """Cases with unique names."""
    counts: dict[str, int] = {}
    named = []
    for case in cases:
        counts[case.name] = count = counts.get(case.name, 0) + 1
        named.append(
            replace(case, name=f"{case.name} ({count})") if count > 1 else case
        )
    return named


def run(
    plans: Sequence[TrialPlan],
    settings: TrialSettings,
    done: Callable[[Trial], None] = lambda _trial: None,
) -> list[Trial]:
    """Run every case of every plan, in order; `done` is called as each ends."""
    with job_setup.scratch() as scratch:
        slots: list[Trial | TrialRun] = []
        for number, planned in enumerate(plans):
            slots += planned.trials
            slots += _slots(planned, settings, scratch / str(number))
        for slot in slots:
            if isinstance(slot, Trial):
                done(slot)
        runs = [slot for slot in slots if isinstance(slot, TrialRun)]
        ended: dict[int, Trial] = {}
        for place, trial in worker_pool.farm(_try, runs, settings.jobs):
            ended[place] = trial or _lost(runs[place])
            done(ended[place])
    tried = (ended[place] for place in range(len(runs)))
    return [slot if isinstance(slot, Trial) else next(tried) for slot in slots]


def _slots(
    planned: TrialPlan, settings: TrialSettings, scratch: Path
) -> list[Trial | TrialRun]:
    """The cases of a plan that can run, and trials for those that cannot."""
    if not planned.cases:
        return []
    box, why = sandbox.choose(planned.sandbox)
    if box is None:
        why = f"no sandbox: {why}; run: skillforge doctor"
        return [_not_run(planned, case, why) for case in planned.cases]
    dependencies = list(needs(planned.skill))
    packages, lacking = _packages(planned, dependencies)
    scratch.mkdir()
    try:
        folder = job_setup.lay_out(planned.skill, scratch)
    except RequestError as err:
        return [
            _trial(planned.skill, case, TrialOutcome.ERROR, 0.0, err.message)
            for case in planned.cases
        ]
    slots: list[Trial | TrialRun] = []
    for case in planned.cases:
        why = lacking if lacking and _uses(planned.skill, case, dependencies) else ""
        if case.runner == "none":
            why = f"needs pytest: {install_command('sandbox')}"
        run_of = TrialRun(planned, case, folder, packages, settings)
        slots.append(_not_run(planned, case, why) if why else run_of)
    return slots


def _packages(
    planned: TrialPlan, dependencies: list[Dependencies]
) -> tuple[Path | None, str]:
    """A folder with the packages that scripts need, or why there is none."""
    if not dependencies:
        return None, ""
    for need in dependencies:
        if need.problem:
            return None, f"{need.script}: {need.problem}"
    if not planned.dependencies:
        names = ", ".join(
            sorted({r for need in dependencies for r in need.requirements})
        )
        return None, f"{dependencies[0].script} needs {names}; {_ALLOW}"
    try:
        return prepare(planned.skill, dependencies), ""
    except SkillforgeError as err:
        return None, f"{err.message}; {err.hint}" if err.hint else err.message


def _uses(skill: Skill, case: Case, dependencies: list[Dependencies]) -> bool:
    """Whether a case runs a script with dependencies; a test file may import it."""
    scripts = [need.script for need in dependencies]
    if case.runner or case.path.endswith(".sh"):
        text = skill.read(case.path).decode("utf-8", "replace")
        return case.path in scripts or any(Path(s).stem in text for s in scripts)
    return case_files.mentions(case, (Path(script).name for script in scripts))


def _not_run(planned: TrialPlan, case: Case, why: str) -> Trial:
    return _trial(planned.skill, case, TrialOutcome.NOT_RUN, 0.0, why)


def _lost(trial_run: TrialRun) -> Trial:
    why = "its process crashed"
    return _trial(trial_run.plan.skill, trial_run.case, TrialOutcome.ERROR, 0.0, why)


def _trial(
    skill: Skill, case: Case, outcome: TrialOutcome, seconds: float, detail: str
) -> Trial:
    detail = detail.strip()[:_SHOWN]
    return Trial(skill.name, case.name, outcome, seconds, detail, case.path, case.line)


def _try(trial_run: TrialRun) -> Trial:
    """Run a case as often as requested; different outcomes make it flaky."""
    if time.monotonic() > trial_run.settings.deadline:
        return _not_run(trial_run.plan, trial_run.case, OUT_OF_TIME)
    trials = [_try_once(trial_run) for _ in range(trial_run.settings.repeat)]
    seconds = sum(trial.seconds for trial in trials)
    bad = [trial for trial in trials if not trial.ok]
    if not bad or all(trial.outcome is bad[0].outcome for trial in trials):
        return replace((bad or trials)[0], seconds=seconds)
    detail = f"flaky: {len(trials) - len(bad)} of {len(trials)} passed; "
    flaky = _trial(
        trial_run.plan.skill, trial_run.case, TrialOutcome.FLAKY, seconds, detail
    )
    return replace(flaky, detail=detail + bad[0].detail)


def _try_once(trial_run: TrialRun) -> Trial:
    skill, case = trial_run.plan.skill, trial_run.case
    box, why = sandbox.choose(trial_run.plan.sandbox)
    limits = trial_run.settings.limits
    seconds = case.timeout or limits.seconds
    limits = replace(limits, seconds=seconds, cpu_seconds=2 * math.ceil(seconds))
    try:
        if box is None:
            return _trial(skill, case, TrialOutcome.NOT_RUN, 0.0, why)
        ended = box.run(
            job_setup.job(case, skill, trial_run.folder, trial_run.packages, limits)
        )
    except SkillforgeError as err:
        return _trial(skill, case, TrialOutcome.ERROR, 0.0, err.message)
    except (OSError, ValueError) as err:
        return _trial(
            skill, case, TrialOutcome.ERROR, 0.0, f"the sandbox failed: {err}"
        )
    try:
        outcome, detail = judge(case, ended)
    except Exception as err:  # noqa: BLE001 - a schema of the skill may cause any error
        outcome, detail = (
            TrialOutcome.ERROR,
            f"cannot compare with the expectation: {err!r}",
        )
    trial = _trial(skill, case, outcome, ended.seconds, detail)
    return replace(trial, is_alarm=bool(alarms(case, ended)))


def judge(case: Case, ended: JobResult) -> tuple[TrialOutcome, str]:
    """The outcome of a trial, decided only by observation from outside."""
    if ended.limit:
        outcome = TrialOutcome.TIMEOUT if ended.is_timeout else TrialOutcome.LIMIT
        output = (ended.err or ended.out)[-200:].decode("utf-8", "backslashreplace")
        return outcome, f"{ended.limit}; it was stopped" + (
            f" after: {output}" if output else ""
        )
    failures = alarms(case, ended)
    problems = _runner_problems(case, ended) if case.runner else []
    failures += problems or differences(case.expect, ended)
    if not failures and case.decoy is not None and not differences(case.decoy, ended):
        failures.append("passes with any answer: `expect` does not depend on it")
    return (
        (TrialOutcome.FAILED, "\n".join(failures))
        if failures
        else (TrialOutcome.PASSED, "")
    )


def alarms(case: Case, ended: JobResult) -> list[str]:
    """What honest skills never do in a sandbox: use planted keys, try to connect."""
    reasons = list(ended.triggered)
    if ended.tried_to_connect and not case.expect.get("connects", False):
        reasons.append("tried to connect; the sandbox has no network")
    return reasons


def _runner_problems(case: Case, ended: JobResult) -> list[str]:
    """Why a test runner failed, or did not run tests to the end."""
    report = ended.files.get(job_setup.REPORT)
    is_pytest = case.runner == "pytest"
    ran = _ran(report.data if report else b"") if is_pytest else _ran_units(ended.err)
    output = ended.out if is_pytest else ended.err
    shown = output[-_SHOWN:].decode("utf-8", "backslashreplace")
    if ran is None:
        return [f"the tests did not finish\n{shown}"]
    if ended.code and ran:
        return [shown]
    return [] if ran else ["no tests, or all of them were skipped"]


def _ran(report: bytes) -> int | None:
    """How many tests pytest ran, by its report; None without a report."""
    suite = re.search(rb"<testsuite [^>]*>", report)
    if suite is None:
        return None
    counts = dict(re.findall(rb'\b(tests|skipped)="(\d+)"', suite[0]))
    return int(counts.get(b"tests", 0)) - int(counts.get(b"skipped", 0))


def _ran_units(output: bytes) -> int | None:
    """How many tests unittest ran, by its last lines; None if it did not finish."""
    counted = re.findall(rb"^Ran (\d+) tests? in ", output, re.MULTILINE)
    skipped = re.findall(rb"^OK \(.*skipped=(\d+)", output, re.MULTILINE)
    if not counted:
        return None
    return int(counted[-1]) - int(skipped[-1] if skipped else 0)
