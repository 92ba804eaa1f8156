"""The gate: the path policy, then the required checks, all from the base.

The judged cannot change the judge: policy and rules are those of the base, and a draft
may touch its own skill and its own evidence only. What crashes, takes too long or is
missing has not passed.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

from skillforge import fork_server, worker_pool
from skillforge.checks.registry import Check, Subject, checks, warm_up
from skillforge.errors import SkillforgeError
from skillforge.library import Library, Listing
from skillforge.model import (
    SKILLS,
    CheckResult,
    Finding,
    Report,
    Severity,
    Status,
    Verdict,
)
from skillforge.policy import POLICY_FILE, Policy
from skillforge.propose.candidate import Candidate, exact_findings, path_findings

Findings: TypeAlias = Callable[[Library, Candidate], Iterable[Finding]]

fork_server.prepare(warm_up)


class _Inputs(NamedTuple):
    """What a check needs of a candidate: also its skills' files, before and after."""

    library: Library
    policy: Policy
    candidate: Candidate
    before: Listing
    after: Listing


def judge(
    library: Library, candidate: Candidate, leave_out: tuple[str, ...] = ()
) -> Verdict:
    """Run every required check on exactly these bytes.

    What is left out has not run, so it has not passed.
    """
    repo = library.repository()
    policy = library.policy(candidate.base)
    results = [_timed("paths", candidate, path_findings, library)]
    if results[0].status is Status.PASSED:
        if candidate.is_rollback:
            results.append(_timed("exact", candidate, exact_findings, library))
        results += _check_all(library, policy, candidate, leave_out)
    return Verdict(
        candidate.head,
        candidate.base,
        repo.name_of(f"{candidate.head}^{{tree}}"),
        repo.name_of(f"{candidate.base}:{POLICY_FILE}"),
        tuple(results),
    )


def _check_all(
    library: Library, policy: Policy, candidate: Candidate, leave_out: tuple[str, ...]
) -> list[CheckResult]:
    names = _ordered(policy, candidate.is_rollback)
    try:
        inputs = _Inputs(
            library,
            policy,
            candidate,
            before=library.listing(candidate.base, candidate.skills),
            after=library.listing(candidate.head, candidate.skills),
        )
    except SkillforgeError as err:
        return [_error(name, err.message) for name in names]
    return [
        CheckResult(name, Status.NOT_RUN) if name in leave_out else _check(inputs, name)
        for name in names
    ]


def _ordered(policy: Policy, is_rollback: bool) -> list[str]:
    """The required checks, the cheap ones first; unknown ones last, and they fail."""
    every = checks(policy.checks)
    known = [name for name in every if name in policy.checks]
    names = known + [name for name in policy.checks if name not in known]
    if not is_rollback:
        return names
    return [n for n in names if n not in every or every[n].is_for_rollbacks]


def _timed(
    name: str, candidate: Candidate, findings: Findings, library: Library
) -> CheckResult:
    """Run one part of the gate here, and see how long it takes."""
    start = time.monotonic()
    try:
        found = tuple(findings(library, candidate))
    except SkillforgeError as err:
        return _error(name, err.message)
    status = _status(found)
    taken = time.monotonic() - start
    return CheckResult(
        name, status, found, dict.fromkeys(candidate.skills, status), taken
    )


def _check(inputs: _Inputs, name: str) -> CheckResult:
    """Run one required check on every skill, each in a process of its own."""
    every = checks(inputs.policy.checks)
    check = every.get(name)
    if check is None:
        known = ", ".join(every)
        lacks = f"the policy asks for a check {name!r}; there are {known}"
        return _error(name, lacks, Status.NOT_RUN, POLICY_FILE)
    if lacks := check.missing():
        return _error(name, lacks, Status.NOT_RUN)
    start = time.monotonic()
    found: list[Finding] = []
    skills: dict[str, Status] = {}
    for skill in inputs.candidate.skills:
        result = _check_one(inputs, check, skill)
        skills[skill] = result.status
        found += result.findings
    ends = set(skills.values()) or {Status.PASSED}
    status = next(s for s in (Status.ERROR, Status.FAILED, Status.PASSED) if s in ends)
    return CheckResult(name, status, tuple(found), skills, time.monotonic() - start)


def _check_one(inputs: _Inputs, check: Check, skill: str) -> CheckResult:
    try:
        work = partial(_findings, inputs, check, skill)
        found = tuple(worker_pool.apart(work, check.seconds))
    except SkillforgeError as err:
        return _error(check.name, err.message, path=f"{SKILLS}/{skill}")
    return CheckResult(check.name, _status(found), found)


def _findings(inputs: _Inputs, check: Check, skill: str) -> list[Finding]:
    library, policy, candidate, before, after = inputs
    now = library.read_one(after, skill)
    subject = Subject(
        library,
        policy,
        candidate.base,
        candidate.head,
        replace(now, origin=candidate.origin) if now else None,
        library.read_one(before, skill),
        candidate.skills,
    )
    found = [f.under(f"{SKILLS}/{skill}") for f in check.run(subject)]
    return list(map(check.on_rollback, found)) if candidate.is_rollback else found


def _status(findings: tuple[Finding, ...]) -> Status:
    return Status.PASSED if Report(findings).ok else Status.FAILED


def _error(
    name: str, why: str, status: Status = Status.ERROR, path: str = SKILLS
) -> CheckResult:
    """A check that did not come to an end; closed on doubt."""
    hint = "a check that has not run has not passed; mend it and run the gate again"
    finding = Finding(name, Severity.ERROR, f"{name}: {why}", path, 1, hint)
    return CheckResult(name, status, (finding,))
