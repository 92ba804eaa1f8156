"""The gate: the path policy, then the required checks, all from the base.

The judged cannot change the judge: policy and rules are those of the base, and a draft
may touch its own skill and its own evidence only. What crashes, takes too long or is
missing has not passed.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from skillforge import proc
from skillforge.checks import paths
from skillforge.checks.registry import Check, Subject, checks
from skillforge.config import POLICY_FILE, Policy
from skillforge.errors import SkillforgeError
from skillforge.library import SKILLS, Library
from skillforge.model import (
    Action,
    CheckResult,
    Finding,
    Proposal,
    Severity,
    Status,
    Verdict,
)
from skillforge.propose import history, trailers
from skillforge.propose.drafts import EVIDENCE

Findings: TypeAlias = Callable[[], Iterable[Finding]]
_FILES = ("100644", "100755")
_POLICY_HINT = "propose it separately: a draft changes one skill and its evidence"


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be judged: a head on a base, and which skills it is about."""

    base: str
    head: str
    skills: tuple[str, ...]
    action: str
    origin: str

    @property
    def is_rollback(self) -> bool:
        return self.action == Action.ROLLBACK

    @classmethod
    def of(cls, proposal: Proposal) -> "Case":
        """A proposal is about what it was opened for, whatever its branch holds now."""
        return cls(
            proposal.base,
            proposal.head,
            proposal.skills,
            proposal.action,
            proposal.origin,
        )

    @classmethod
    def between(cls, library: Library, base: str, head: str) -> "Case":
        """What a branch changed since it left its base, as CI sees it.

        Its commits say which skills they are about; one that says nothing may be about
        one skill.
        """
        repo = library.repository()
        start = repo.merge_base(base, head)
        changed = repo.changed_paths(start, head, ".")
        ours = (f"{SKILLS}/", f"{EVIDENCE}/")
        touched = sorted({p.split("/")[1] for p in changed if p.startswith(ours)})
        said: dict[str, list[str]] = {}
        for commit in repo.log("--reverse", f"{start}..{head}"):
            written = trailers.read(commit.message)
            said = said or (written if "Skill" in written else {})
        named = tuple(said.get("Skill", ())) or tuple(touched[:1])
        action = trailers.first(said, "Action")
        return cls(start, head, named, action, trailers.first(said, "Origin"))


def judge(library: Library, case: Case) -> Verdict:
    """Run every required check on exactly these bytes."""
    repo = library.repository()
    base, head = repo.resolve(case.base), repo.resolve(case.head)
    case = replace(case, base=base, head=head)
    policy = library.policy(base)
    results = [_timed("paths", lambda: _path_findings(library, case))]
    if results[0].status is Status.PASSED:
        if case.is_rollback:
            results.append(_timed("exact", lambda: _exact_findings(library, case)))
        results += [_check(library, policy, case, name) for name in _ordered(policy)]
    return Verdict(
        head,
        base,
        repo.name_of(f"{head}^{{tree}}"),
        repo.name_of(f"{base}:{POLICY_FILE}"),
        tuple(results),
    )


def _ordered(policy: Policy) -> list[str]:
    """The required checks, the cheap ones first; unknown ones last, and they fail."""
    known = [name for name in checks() if name in policy.checks]
    return known + [name for name in policy.checks if name not in known]


def _own(library: Library, case: Case) -> tuple[str, ...]:
    """The skills that a draft may touch: one, what it absorbs, what it restores."""
    if case.is_rollback:
        return case.skills
    repo = library.repository()
    gone = [
        name
        for name in case.skills[1:]
        if case.action == Action.CONSOLIDATE
        and not repo.name_of(f"{case.head}:{SKILLS}/{name}")
    ]
    return (*case.skills[:1], *gone)


def _path_findings(library: Library, case: Case) -> Iterator[Finding]:
    repo = library.repository()
    own = _own(library, case)
    if not own:
        return  # a branch that touches no skill is not the gate's business
    for path, mode, is_new in repo.changed_files(case.base, case.head):
        inside = paths.inside(path, own, SKILLS)
        evidence = paths.inside(path, own, EVIDENCE)
        why = paths.refusal(inside or evidence) if inside or evidence else ""
        if not inside and not evidence:
            about = " and ".join(own) or "no skill"
            why = f"a draft about {about} may not touch it"
        elif mode and mode not in _FILES:
            why = "it is a link or a repository, not an ordinary file"
        elif evidence and not is_new:
            why = "evidence is a record: it is added to, never changed"
        if why:
            yield Finding("path", Severity.ERROR, why, path, 1, _POLICY_HINT)
    for name in case.skills:
        if path := paths.clash(repo.files_in(f"{case.head}:{SKILLS}/{name}")):
            where = f"{SKILLS}/{name}/{path}"
            why = "it collides with another path of the skill"
            yield Finding("path", Severity.ERROR, why, where, 1, "rename one of them")


def _exact_findings(library: Library, case: Case) -> Iterator[Finding]:
    """A rollback brings back what main held before, to the byte."""
    repo = library.repository()
    all_steps = history.steps(library, case.base)
    for name in case.skills:
        tree = repo.name_of(f"{case.head}:{SKILLS}/{name}")
        if not history.was_version(all_steps, name, tree):
            yield Finding(
                "exact",
                Severity.ERROR,
                "this is no version that main ever held",
                f"{SKILLS}/{name}",
                hint="propose it as an edit",
            )


def _timed(name: str, findings: Findings) -> CheckResult:
    """Run one part of the gate here, and see how long it takes."""
    start = time.monotonic()
    try:
        found = tuple(findings())
    except SkillforgeError as err:
        return _error(name, err.message)
    status = _status(found)
    return CheckResult(name, status, found, seconds=time.monotonic() - start)


def _check(library: Library, policy: Policy, case: Case, name: str) -> CheckResult:
    """Run one required check on every skill, each in a process of its own."""
    check = checks().get(name)
    lacks = f"there is no check {name!r} here" if check is None else check.missing()
    if check is None or lacks:
        return _error(name, lacks, Status.NOT_RUN)
    start = time.monotonic()
    found: list[Finding] = []
    skills: dict[str, Status] = {}
    for skill in case.skills:
        result = _check_one(library, policy, case, check, skill)
        skills[skill] = result.status
        found += result.findings
    ends = set(skills.values()) or {Status.PASSED}
    status = next(s for s in (Status.ERROR, Status.FAILED, Status.PASSED) if s in ends)
    return CheckResult(name, status, tuple(found), skills, time.monotonic() - start)


def _check_one(
    library: Library, policy: Policy, case: Case, check: Check, skill: str
) -> CheckResult:
    def work() -> list[Finding]:
        subject = Subject(
            library,
            policy,
            case.base,
            case.head,
            library.skill_at(case.head, skill, case.origin),
            library.skill_at(case.base, skill),
            case.skills,
        )
        found = [f.under(f"{SKILLS}/{skill}") for f in check.run(subject)]
        return [_judged_before(f) for f in found] if case.is_rollback else found

    try:
        found = tuple(proc.apart(work, check.seconds))
    except SkillforgeError as err:
        return _error(check.name, err.message, path=f"{SKILLS}/{skill}")
    return CheckResult(check.name, _status(found), found)


def _judged_before(finding: Finding) -> Finding:
    """Rules may be stricter by now; that must not stand in the way of a rollback."""
    is_error = finding.severity is Severity.ERROR
    return replace(finding, severity=Severity.WARNING) if is_error else finding


def _status(findings: Iterable[Finding]) -> Status:
    failed = any(finding.severity is Severity.ERROR for finding in findings)
    return Status.FAILED if failed else Status.PASSED


def _error(
    name: str, why: str, status: Status = Status.ERROR, path: str = ""
) -> CheckResult:
    """A check that did not come to an end; closed on doubt."""
    hint = "a check that has not run has not passed; mend it and run the gate again"
    finding = Finding(name, Severity.ERROR, f"{name}: {why}", path, 1, hint)
    return CheckResult(name, status, (finding,))
