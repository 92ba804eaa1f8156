"""The gate's check `test`: enough cases, all of them passed, none of them copied."""

import os
from collections.abc import Iterator, Sequence

from skillforge.checks.registry import Check, Subject
from skillforge.checks.testing.trials import Plan, Settings, plan, run
from skillforge.config import Policy
from skillforge.model import (
    SKILL_FILE,
    Finding,
    Kind,
    Outcome,
    Severity,
    Skill,
    Trial,
)
from skillforge.report import many

_PROGRAMS = (".bash", ".cjs", ".js", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".ts")
_NOT_ITS_OWN = ("tests/", "evals/", "references/", "assets/", "templates/")
_WRITE_ONE = "write one in tests/; docs/testing-skills.md shows how"
MOST_JOBS = 4
_SAID = 500  # characters of what a trial says, in a finding; `test` tells all


def has_scripts(skill: Skill) -> bool:
    """Whether a skill brings programs for an agent to run."""
    return any(
        file.kind is Kind.EXECUTABLE
        or path.startswith("scripts/")
        or path.endswith(_PROGRAMS)
        for path, file in skill.files.items()
        if not path.startswith(_NOT_ITS_OWN)
    )


def settings(policy: Policy, jobs: int = 0, repeat: int = 1) -> Settings:
    usual = min(MOST_JOBS, os.cpu_count() or 1)
    return Settings(jobs or usual, repeat, policy.dependencies)


def shortcomings(planned: Plan, policy: Policy) -> Iterator[Finding]:
    """What a skill's cases lack before any of them is run."""
    skill = planned.skill
    proofs = [case for case in planned.cases if case.is_proof]
    least, whose = policy.least_cases_prose, "a skill"
    if has_scripts(skill):
        least, whose = policy.least_cases, "a skill with scripts"
        if skill.is_agent_made:
            least, whose = policy.least_cases_agent, "an agent's skill with scripts"
    unread = [t for t in planned.trials if t.outcome is Outcome.ERROR]
    if len(proofs) + len(unread) < least:  # what cannot be read is told anyway
        said = f"{whose} needs at least {least} of them"
        also = (
            ", a variant or a held-out example among them"
            if skill.is_agent_made
            else ""
        )
        message = f"it has {many(len(proofs), 'case')} to prove itself; {said}{also}"
        yield Finding(
            "too-few-cases", Severity.ERROR, message, SKILL_FILE, 1, _WRITE_ONE
        )
    elif (
        least
        and skill.is_agent_made
        and not unread
        and not any(case.is_from_table for case in proofs)
    ):
        message = "no case of it is a variant or a held-out example"
        hint = "add `variants` to a case, or tests/replay.yaml for held-out examples"
        yield Finding("no-variant", Severity.ERROR, message, SKILL_FILE, 1, hint)


def trial_findings(trials: Sequence[Trial]) -> Iterator[Finding]:
    """What did not pass, as findings; paths are inside the skill."""
    for trial in trials:
        if not trial.ok:
            rule = f"trial-{trial.outcome}"
            said = " / ".join(filter(None, map(str.strip, trial.detail.split("\n"))))
            message = f"{trial.case}: {said[:_SAID]}"
            path = trial.path or SKILL_FILE
            hint = f"mend it; skillforge test {trial.skill} tries it again"
            yield Finding(rule, Severity.ERROR, message, path, trial.line, hint)


def _findings(subject: Subject) -> Iterator[Finding]:
    if subject.skill is None:
        return
    evidence = subject.library.evidence_at(subject.head, subject.skill.name)
    planned = plan(subject.skill, evidence)
    yield from shortcomings(planned, subject.policy)
    yield from planned.findings
    yield from trial_findings(run([planned], settings(subject.policy)))


CHECK = Check("test", _findings, seconds=900, is_for_rollbacks=False)
