"""The usual use, recorded at once: git is not started for it, and little is imported.

What a key gets of a skill follows from two refs: main, and the skill's rollout. Where
every key gets the same, that is written down beside what the two point at. As long as
they point there, it still holds.
"""

import time

from skillforge.gitrepo.git_files import (
    git_dir_of,
    has_remote,
    read_ref,
    recorded_branch,
)
from skillforge.model import Assignment
from skillforge.operate.pseudonym import voice
from skillforge.operate.use_reports import RecordResult, UseReport
from skillforge.store import Uses

ROLLOUTS = "refs/skillforge/rollouts/"


def record(folder: str, report: UseReport) -> RecordResult | None:
    """Keep a report of a use of now; None if there is more to it.

    There is if words have to be redacted, if a rollout has to be judged, or if only
    git knows which version it was. Then nothing was written.
    """
    git_dir = git_dir_of(folder)
    has_more = report.note or report.pitfall or report.version or report.at is not None
    if not git_dir or has_more:
        return None
    uses, who = Uses.of(git_dir), voice(report.skill, report.key)
    given, known = uses.known(report.skill, who, _fact(report.skill))
    given = given or _recalled(git_dir, report.skill, known)
    if given is None or (given.rollout and report.is_verified):
        return None
    use = report.use_of(given, who, int(time.time()))
    return RecordResult((use,), uses.add([use]))


def standing(git_dir: str, skill: str, branch: str) -> str:
    """What decides who gets which version of a skill; empty if only git can tell."""
    main = read_ref(git_dir, f"refs/heads/{branch}") if branch else ""
    rollout = read_ref(git_dir, f"{ROLLOUTS}{skill}")
    return f"{main} {rollout or '-'}" if main and rollout is not None else ""


def remember(uses: Uses, before: str, after: str, given: Assignment) -> None:
    """Write down what every key gets, if that is so and was so all the while.

    `before` and `after` are how things stood before and after it was looked up.
    """
    if not before or given.rollout or before != after:
        return
    name, said = _fact(given.skill), f"{before} {given.version}"
    if uses.fact(name) != said:
        uses.set_fact(name, said)


def _recalled(git_dir: str, skill: str, said: str) -> Assignment | None:
    """What every key gets, if that is known and still holds."""
    known, _, version = said.rpartition(" ")
    if not known or has_remote(git_dir):
        return None
    now = standing(git_dir, skill, recorded_branch(git_dir))
    return Assignment(skill, version) if known == now else None


def _fact(skill: str) -> str:
    return f"everybody gets of {skill}"
