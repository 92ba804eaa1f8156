"""The gate's check `test`: enough cases, all passed, no held-out text copied."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from skillforge.checks.cases.trials import TrialPlan, TrialSettings, plan, run
from skillforge.checks.registry import Check, Subject
from skillforge.checks.status_metadata import is_only_marked
from skillforge.model import (
    CANARY,
    NOT_RUN,
    SKILL_FILE,
    File,
    FileKind,
    Finding,
    Severity,
    Skill,
    Trial,
    TrialOutcome,
)
from skillforge.policy import Policy
from skillforge.report import plural

_PROGRAMS = re.compile(
    r"\.(?:bash|bat|cjs|cmd|fish|go|ipynb|js|lua|mjs|php|pl|ps1|py|r|rb|sh|ts|zsh)$",
    re.I,
)
_FOR_PROGRAMS = ("bin/", "lib/", "scripts/", "src/", "tools/")
_FOR_READING = ("references/", "assets/", "templates/")
_OF_TESTS = ("tests/", "evals/")
_WRITE_ONE = "write one in tests/; docs/testing-skills.md shows how"
MOST_JOBS = 4
_LONGEST_DETAIL = 500  # characters of a trial's output in a finding


def has_scripts(skill: Skill) -> bool:
    """Whether a skill contains programs for an agent to run."""
    return any(
        _is_program(skill, path, file)
        for path, file in skill.files.items()
        if not path.startswith(_OF_TESTS) and path != SKILL_FILE
    )


def _is_program(skill: Skill, path: str, file: File) -> bool:
    """Whether a file is a program, by its folder, mode, name or first two bytes."""
    if file.kind is FileKind.EXECUTABLE or path.startswith(_FOR_PROGRAMS):
        return True
    if file.kind is FileKind.FILE and skill.read(path)[:2] == b"#!":
        return True
    return bool(_PROGRAMS.search(path)) and not path.startswith(_FOR_READING)


def settings(jobs: int = 0, repeat: int = 1) -> TrialSettings:
    """How to run trials; by default, one at a time for each processor."""
    return TrialSettings(jobs or min(MOST_JOBS, os.cpu_count() or 1), repeat)


def shortcomings(planned: TrialPlan, policy: Policy) -> Iterator[Finding]:
    """Findings for missing cases, before any case is run."""
    skill = planned.skill
    least, whose = policy.least_cases_prose, "a skill"
    if has_scripts(skill):
        least, whose = policy.least_cases, "a skill with scripts"
        if skill.is_agent_made:
            least, whose = policy.least_cases_agent, "an agent's skill with scripts"
    unread = [t for t in planned.trials if t.outcome is TrialOutcome.ERROR]
    if len(planned.cases) + len(unread) < least:  # unreadable cases are reported anyway
        needs = f"{whose} needs at least {least}"
        also = (
            ", a variant or a held-out example among them"
            if skill.is_agent_made
            else ""
        )
        message = f"has {plural(len(planned.cases), 'case')}; {needs}{also}"
        yield Finding(
            "too-few-cases", Severity.ERROR, message, SKILL_FILE, 1, _WRITE_ONE
        )
    elif (
        least
        and skill.is_agent_made
        and not unread
        and not any(case.is_from_table for case in planned.cases)
    ):
        message = "no case is a variant or a held-out example"
        hint = "add `variants` to a case, or tests/replay.yaml for held-out examples"
        yield Finding("no-variant", Severity.ERROR, message, SKILL_FILE, 1, hint)


def trial_findings(trials: Sequence[Trial]) -> Iterator[Finding]:
    """Trials that did not pass, as findings; paths are relative to the skill."""
    for trial in trials:
        if not trial.ok:
            rule = CANARY if trial.is_alarm else f"trial-{trial.outcome}"
            detail = " / ".join(filter(None, map(str.strip, trial.detail.split("\n"))))
            message = f"{trial.case}: {detail[:_LONGEST_DETAIL]}"
            path = trial.path or SKILL_FILE
            hint = f"fix it, then run: skillforge test {trial.skill}"
            if rule == NOT_RUN:
                hint = "skillforge doctor shows what this machine lacks"
            yield Finding(rule, Severity.ERROR, message, path, trial.line, hint)


def _findings(subject: Subject) -> Iterator[Finding]:
    if subject.skill is None:
        return
    findings = _tried(subject, subject.skill)
    before = subject.before
    if before is not None and is_only_marked(before, subject.skill):
        findings = map(_known, findings)
    yield from findings


def _tried(subject: Subject, skill: Skill) -> Iterator[Finding]:
    planned = _planned(subject, skill)
    yield from _of_plan(planned, subject.policy)
    yield from trial_findings(run([planned], settings()))


def lasting(subject: Subject, skill: Skill) -> Iterator[Finding]:
    """The findings that a baseline may have: not those about this machine."""
    for finding in _tried(subject, skill):
        if finding.rule not in (NOT_RUN, CANARY):
            yield finding


def _planned(subject: Subject, skill: Skill) -> TrialPlan:
    evidence = subject.library.evidence_at(subject.head, skill.name)
    return plan(skill, evidence, subject.policy)


def _of_plan(planned: TrialPlan, policy: Policy) -> Iterator[Finding]:
    yield from shortcomings(planned, policy)
    yield from (_needed(f, planned.skill) for f in planned.findings)


def _known(finding: Finding) -> Finding:
    """Errors as warnings, for a change of status: main has the same failures."""
    is_worse = finding.rule == CANARY or finding.severity is not Severity.ERROR
    return finding if is_worse else replace(finding, severity=Severity.WARNING)


def _needed(finding: Finding, skill: Skill) -> Finding:
    """An error if a skill with scripts has held-out examples that are not tried."""
    is_needed = finding.rule == "no-replay" and has_scripts(skill)
    return replace(finding, severity=Severity.ERROR) if is_needed else finding


CHECK = Check("test", _findings, seconds=900, is_for_rollbacks=False)
