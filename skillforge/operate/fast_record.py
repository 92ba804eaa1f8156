"""Record the usual use without starting git, and with few imports.

What a key gets of a skill depends on two refs: main, and the skill's rollout. If all
keys get the same version, it is stored as a fact, together with the commits that both
refs are at. The fact is valid while they are there.
"""

import time

from skillforge.gitrepo.git_files import (
    git_dir_of,
    has_remote,
    read_ref,
    recorded_branch,
)
from skillforge.model import Assignment
from skillforge.model.layout import ref_name
from skillforge.operate import pseudonym
from skillforge.operate.use_reports import RecordResult, UseReport
from skillforge.store import Uses

ROLLOUTS = "refs/skillforge/rollouts/"


def record(folder: str, report: UseReport) -> RecordResult | None:
    """Record a use; None, with nothing written, if that takes more.

    It does if text has to be redacted, if the use is a vote on a rollout, or if only
    git knows the version.
    """
    git_dir = git_dir_of(folder)
    takes_more = (
        report.note or report.pitfall or report.version or report.at is not None
    )
    if not git_dir or takes_more:
        return None
    uses, skill = Uses.of(git_dir), report.skill
    voice = pseudonym.of_key(skill, report.key)
    assignment, fact = uses.assignment_and_fact(skill, voice, _fact_name(skill))
    assignment = assignment or _parse_fact(git_dir, skill, fact)
    if assignment is None or (assignment.rollout and report.is_verified):
        return None
    use = report.to_use(assignment, voice, int(time.time()))
    return RecordResult((use,), uses.add([use]))


def ref_state(git_dir: str, skill: str, branch: str) -> str:
    """The commits that decide which version a key gets; empty if only git knows."""
    main = read_ref(git_dir, f"refs/heads/{branch}") if branch else ""
    rollout = read_ref(git_dir, f"{ROLLOUTS}{ref_name(skill)}")
    return f"{main} {rollout or '-'}" if main and rollout is not None else ""


def save_fact(uses: Uses, before: str, after: str, assignment: Assignment) -> None:
    """Save what all keys get, unless it depends on the key.

    `before` and `after` are the states of the refs before and after it was read.
    """
    if not before or assignment.rollout or before != after:
        return
    name, value = _fact_name(assignment.skill), f"{before} {assignment.version}"
    if uses.fact(name) != value:
        uses.set_fact(name, value)


def _parse_fact(git_dir: str, skill: str, fact: str) -> Assignment | None:
    """What all keys get, if that is known and still valid."""
    known, _, version = fact.rpartition(" ")
    if not known or has_remote(git_dir):
        return None
    now = ref_state(git_dir, skill, recorded_branch(git_dir))
    return Assignment(skill, version) if known == now else None


def _fact_name(skill: str) -> str:
    return f"everybody gets of {skill}"
