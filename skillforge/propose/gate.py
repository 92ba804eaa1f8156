"""The gate: the path policy, then the required checks, all from the base.

Authors cannot change the rules: policy and rules come from the base, and a draft may
touch only its own skill and evidence. A check that crashes, times out or is missing has
not passed.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

from skillforge import fork_server, worker_pool
from skillforge.checks.baseline import Baseline, library_baseline
from skillforge.checks.registry import Check, Subject, checks, warm_up
from skillforge.errors import SkillforgeError
from skillforge.library import Library, Listing
from skillforge.model import (
    NOT_RUN,
    CheckResult,
    Finding,
    Severity,
    Status,
    Verdict,
)
from skillforge.policy import POLICY_FILE, Policy
from skillforge.propose.candidate import (
    Candidate,
    exact_findings,
    path_findings,
    waiver_findings,
)

Rule: TypeAlias = Callable[[Library, Candidate], Iterable[Finding]]

fork_server.prepare(warm_up)


class _Inputs(NamedTuple):
    """What a check needs: a candidate, and its skills' files before and after."""

    library: Library
    policy: Policy
    candidate: Candidate
    before: Listing
    after: Listing
    known: Baseline


def judge(
    library: Library, candidate: Candidate, skip: tuple[str, ...] = ()
) -> Verdict:
    """Run every required check on exactly these bytes.

    A check in `skip` does not run, so it does not pass.
    """
    repo = library.repository()
    policy = library.policy(candidate.base)
    results = [_timed("paths", candidate, path_findings, library)]
    if results[0].status is Status.PASSED:
        if candidate.is_rollback:
            results.append(_timed("exact", candidate, exact_findings, library))
        if candidate.is_waiver:  # its skill does not change
            results.append(_timed("waivers", candidate, waiver_findings, library))
        else:
            results += _check_all(library, policy, candidate, skip)
    return Verdict(
        candidate.head,
        candidate.base,
        repo.name_of(f"{candidate.head}^{{tree}}"),
        repo.name_of(f"{candidate.base}:{POLICY_FILE}"),
        tuple(results),
    )


def _check_all(
    library: Library, policy: Policy, candidate: Candidate, skip: tuple[str, ...]
) -> list[CheckResult]:
    names = _ordered(policy, candidate.is_rollback)
    try:
        inputs = _Inputs(
            library,
            policy,
            candidate,
            before=library.listing(candidate.base, candidate.skills),
            after=library.listing(candidate.head, candidate.skills),
            known=library_baseline(library, candidate.base),
        )
    except SkillforgeError as err:
        return [_error(name, err.message) for name in names]
    return [
        CheckResult(name, Status.NOT_RUN) if name in skip else _check(inputs, name)
        for name in names
    ]


def _ordered(policy: Policy, is_rollback: bool) -> list[str]:
    """The required checks, the cheap ones first; unknown ones last, and they fail."""
    available = checks(policy.checks)
    known = [name for name in available if name in policy.checks]
    names = known + [name for name in policy.checks if name not in known]
    if not is_rollback:
        return names
    return [n for n in names if n not in available or available[n].is_for_rollbacks]


def _timed(
    name: str, candidate: Candidate, rule: Rule, library: Library
) -> CheckResult:
    """Run one of the gate's own rules in this process."""
    start = time.monotonic()
    try:
        findings = tuple(rule(library, candidate))
    except SkillforgeError as err:
        return _error(name, err.message)
    status = _status(findings)
    skills = dict.fromkeys(candidate.skills, status)
    return CheckResult(name, status, findings, skills, time.monotonic() - start)


def _check(inputs: _Inputs, name: str) -> CheckResult:
    """Run one required check on every skill, each in its own process."""
    available = checks(inputs.policy.checks)
    check = available.get(name)
    if check is None:
        why = f"the policy requires an unknown check {name!r}; known checks are "
        why += ", ".join(available)
        return _error(name, why, Status.NOT_RUN, POLICY_FILE)
    if missing := check.missing():
        return _error(name, missing, Status.NOT_RUN)
    start = time.monotonic()
    results = {
        skill: _check_one(inputs, check, skill) for skill in inputs.candidate.skills
    }
    skills = {skill: result.status for skill, result in results.items()}
    findings = tuple(f for result in results.values() for f in result.findings)
    statuses = set(skills.values()) or {Status.PASSED}
    order = (Status.ERROR, Status.FAILED, Status.NOT_RUN, Status.PASSED)
    status = next(status for status in order if status in statuses)
    return CheckResult(name, status, findings, skills, time.monotonic() - start)


def _check_one(inputs: _Inputs, check: Check, skill: str) -> CheckResult:
    try:
        run = partial(_findings, inputs, check, skill)
        findings = tuple(worker_pool.apart(run, check.seconds))
    except SkillforgeError as err:
        return _error(check.name, err.message, path=inputs.library.path_of(skill))
    return CheckResult(check.name, _status(findings), findings)


def _findings(inputs: _Inputs, check: Check, skill: str) -> list[Finding]:
    library, policy, candidate, before, after, known = inputs
    current = library.read_one(after, skill)
    subject = Subject(
        library,
        policy,
        candidate.base,
        candidate.head,
        replace(current, origin=candidate.origin) if current else None,
        library.read_one(before, skill),
        candidate.skills,
    )
    found = list(check.run(subject))
    found = known.marked(found, current) if current else found
    findings = [f.under(library.path_of(skill)) for f in found]
    return list(map(check.on_rollback, findings)) if candidate.is_rollback else findings


def _status(findings: tuple[Finding, ...]) -> Status:
    blocking = [finding for finding in findings if finding.blocks]
    if not blocking:
        return Status.PASSED
    is_not_run = all(finding.rule == NOT_RUN for finding in blocking)
    return Status.NOT_RUN if is_not_run else Status.FAILED


def _error(
    name: str, why: str, status: Status = Status.ERROR, path: str = "."
) -> CheckResult:
    """The result of a check that did not finish, which fails the gate."""
    hint = "a check that did not run has not passed; fix it and run the gate again"
    finding = Finding(name, Severity.ERROR, f"{name}: {why}", path, 1, hint)
    return CheckResult(name, status, (finding,))
