"""What main's history says of skills, from one pass over `git log`.

A step is one commit of main's first-parent line, with what it did to skills and with
the commits that it brought in.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TypeAlias
from weakref import WeakKeyDictionary

from skillforge import processes
from skillforge.errors import ConflictError
from skillforge.gitrepo import GitRepo, trailers
from skillforge.gitrepo.commit_log import Commit, PathChange
from skillforge.gitrepo.git_command import AS_IT_IS
from skillforge.history import github_merges
from skillforge.library import Library
from skillforge.model import ARCHIVE, EVIDENCE, OURS, SKILLS, Action

NOW = "Rolled-Back-By"  # trailer of a merge: who did not wait for an approval
_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{7,64})\b", re.MULTILINE)
_REVERTS_NUMBER = re.compile(
    r"^Reverts (?:[\w.-]+/[\w.-]+)?#(\d{1,9})\s*$", re.MULTILINE
)
_TOPS: dict[str, tuple[str, ...]] = {
    Action.ARCHIVE: (SKILLS, ARCHIVE),
    Action.ROLLBACK: OURS,
}
_RAW = ("--raw", "-t", "--root", "--no-abbrev", *AS_IT_IS)
Notes: TypeAlias = dict[str, github_merges.Said]
HeadsOf: TypeAlias = Callable[[GitRepo, list[Commit], Notes], dict[str, str]]
MAIN_LINE = ("--first-parent", "--diff-merges=first-parent", *_RAW)


@dataclass(frozen=True, eq=False)
class HistoryStep:
    """One commit on main's own line; `reverts` are steps that it takes back.

    What is asked of every step again and again is worked out once.
    """

    commit: Commit
    brought: tuple[Commit, ...]
    skills: dict[str, PathChange]
    said: dict[str, list[str]]  # trailers of the commit itself
    drafted: dict[str, list[str]]  # trailers of the proposal's commit
    is_noted: bool = False  # what it said was noted later, for a merge in GitHub's UI
    reverts: list["HistoryStep"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.commit.name

    @cached_property
    def is_promotion(self) -> bool:
        """Whether it claims to be a proposal's merge; the audit checks the claim."""
        # What GitHub's button writes is its author's word: only a note counts there.
        is_ours = len(self.commit.parents) == 2 and self.pull_request is None
        is_noted = self.is_noted and bool(self.commit.parents)
        return "Proposal" in self.said and (is_ours or is_noted)

    @property
    def brings_promotions(self) -> bool:
        """Whether it merges promotions that are no steps of main any more."""
        return any("Proposal" in trailers.read(c.message) for c in self.brought)

    @property
    def is_cut(self) -> bool:
        """Whether it was squashed or rebased, and what it was made of is not here."""
        is_github = self.is_noted or self.pull_request is not None
        return is_github and not self.brought

    @cached_property
    def number(self) -> int | None:
        """The number of the proposal that it merged."""
        said = trailers.first(self.said, "Proposal")
        is_number = self.is_promotion and re.fullmatch(r"[1-9][0-9]{0,8}", said)
        return int(said) if is_number else None

    @cached_property
    def pull_request(self) -> int | None:
        """The number of the pull request that GitHub merged with it."""
        return github_merges.pull_request(self.commit.subject)

    @property
    def date(self) -> str:
        return datetime.fromtimestamp(self.commit.seconds, UTC).isoformat()

    @property
    def author(self) -> str:
        said = trailers.first(self.drafted, "Proposed-By")
        return said or (self.brought[0] if self.brought else self.commit).author

    @property
    def approvers(self) -> list[str]:
        return self.said.get("Approved-By", []) if self.is_promotion else []

    @property
    def reason(self) -> str:
        """What was said for it, between the title and the trailers."""
        message = (self.brought[-1] if self.brought else self.commit).message
        _title, *paragraphs = message.strip().split("\n\n")
        kept = paragraphs[:-1] if trailers.read(message) else paragraphs
        return "\n\n".join(kept).strip()

    @property
    def action(self) -> str:
        said = trailers.first(self.drafted, "Action")
        if self.is_promotion:
            return said
        if self.pull_request is not None and said:
            return said
        return "revert" if self.reverts else "direct"

    def took_back(self, name: str, other: "HistoryStep") -> bool:
        """Whether it made a skill what it was before another step."""
        ours, theirs = self.skills.get(name), other.skills.get(name)
        return bool(ours and theirs and ours.after == theirs.before)

    @property
    def is_exact_revert(self) -> bool:
        """Whether all that it touched is just as it was before what it reverts."""
        beside = [
            path
            for path, change in self.commit.changes.items()
            if not change.is_tree
            and not path.startswith(f"{SKILLS}/")  # `skills` has those
            and any(is_of(path, top) for top in OURS)
        ]
        return (
            bool(self.reverts)
            and bool(self.skills)
            and all(change.is_tree for change in self.skills.values())
            and all(self._is_back(name) for name in self.skills)
            and all(self._has_back(path) for path in beside)
        )

    def _is_back(self, name: str) -> bool:
        return any(self.took_back(name, other) for other in self.reverts)

    def _has_back(self, path: str) -> bool:
        now = self.commit.changes[path].after
        before = (other.commit.changes.get(path) for other in self.reverts)
        return any(change is not None and change.before == now for change in before)


_MadeOf: TypeAlias = tuple[str, Notes, dict[str, str]]  # tip, notes, pull requests
# The steps that were read last of a repository: `release` needs them twice.
_KNOWN: WeakKeyDictionary[GitRepo, tuple[_MadeOf, list[HistoryStep]]]
_KNOWN = WeakKeyDictionary()


@processes.without_cycles
def read_steps(library: Library, tip: str) -> list[HistoryStep]:
    """Every step of a branch, the oldest first."""
    return _steps(
        library, tip, github_merges.read(library.repository()), github_merges.heads
    )


@processes.without_cycles
def reproducible_steps(library: Library, tip: str, notes: str) -> list[HistoryStep]:
    """The same from a commit and from notes of one time alone: alike in any clone.

    What was fetched of pull requests is not looked at, as others may not have it.
    """
    noted = github_merges.read(library.repository(), notes) if notes else {}
    return _steps(library, tip, noted, lambda *_: {})


def _steps(
    library: Library, tip: str, noted: Notes, heads_of: HeadsOf
) -> list[HistoryStep]:
    repo = library.repository()
    commits, line = _logs(repo, tip)
    heads = heads_of(repo, line, noted)
    made_of = (tip, noted, heads)
    known = _KNOWN.get(repo)
    if known is None or known[0] != made_of:
        known = _KNOWN[repo] = made_of, _steps_of(repo, commits, line, made_of)
    return list(known[1])


def _steps_of(
    repo: GitRepo, commits: dict[str, Commit], line: list[Commit], made_of: _MadeOf
) -> list[HistoryStep]:
    tip, noted, heads = made_of
    others, by_merge = github_merges.pulled(repo, heads, tip)
    line = github_merges.folded(line, noted, by_merge)
    commits |= others
    on_line = {commit.name for commit in line}
    seen: set[str] = set()
    found = []
    for commit in line:
        starts = commit.parents[1:] or (heads.get(commit.name, ""),)
        brought = _brought(starts, commits, on_line, seen)
        found.append(_step(commit, brought, noted.get(commit.name)))
    _find_reverts(found)
    return found


def _logs(repo: GitRepo, tip: str) -> tuple[dict[str, Commit], list[Commit]]:
    """The commits of a history by name, and its own line, the oldest first.

    A repository keeps those that were read last: `release` needs them twice.
    """
    if tip not in repo.logs:
        whole, own = repo.start_log(tip), repo.start_log(*MAIN_LINE, tip)
        with processes.running(whole.process), processes.running(own.process):
            commits = {commit.name: commit for commit in whole.wait()}
            repo.logs = {tip: (commits, list(own.wait())[::-1])}
    known, line = repo.logs[tip]
    return dict(known), list(line)


def _step(
    commit: Commit, brought: tuple[Commit, ...], noted: dict[str, list[str]] | None
) -> HistoryStep:
    skills = {
        path.split("/")[1]: change
        for path, change in commit.changes.items()
        if path.startswith(f"{SKILLS}/") and path.count("/") == 1
    }
    said = trailers.read(commit.message)
    # The oldest commit is the tool's own; what was put on top of it is not believed.
    drafts = (trailers.read(c.message) for c in reversed(brought))
    drafted = next((draft for draft in drafts if "Skill" in draft), {})
    if not drafted and len(commit.parents) == 1:
        drafted = trailers.of_draft(commit.message)
    is_github = github_merges.pull_request(commit.subject) is not None
    is_noted = noted is not None and (is_github or "Proposal" not in said)
    said = noted if noted is not None and is_noted else said
    return HistoryStep(commit, brought, skills, said, drafted, is_noted)


def _brought(
    starts: Iterable[str], commits: dict[str, Commit], on_line: set[str], seen: set[str]
) -> tuple[Commit, ...]:
    """What a merge brought in: reachable from it, and from nothing before it."""
    found: list[Commit] = []
    pending = list(starts)
    while pending:
        name = pending.pop()
        if name in on_line or name in seen or name not in commits:
            continue
        seen.add(name)
        found.append(commits[name])
        pending.extend(commits[name].parents)
    return tuple(found)


def _find_reverts(found: list[HistoryStep]) -> None:
    """Say of each step which older ones it takes back; a later one it cannot know."""
    by_commit: dict[str, HistoryStep] = {}
    by_number: dict[int, HistoryStep] = {}
    for step in found:
        for other in _reverted(step, by_commit, by_number):
            if other not in step.reverts:
                step.reverts.append(other)
        by_commit |= {commit.name: step for commit in (step.commit, *step.brought)}
        if number := step.number or step.pull_request:
            by_number[number] = step


def _reverted(
    step: HistoryStep,
    by_commit: dict[str, HistoryStep],
    by_number: dict[int, HistoryStep],
) -> Iterator[HistoryStep]:
    """The steps that one says it reverts: in its trailers, or in plain git's words."""
    if step.is_promotion:
        names: Iterable[str] = step.drafted.get("Reverts", ())
        yield from (by_commit[name] for name in names if name in by_commit)
        return
    for commit in (step.commit, *step.brought):
        for name in _REVERTS.findall(commit.message):
            is_whole = name in by_commit
            known = [name] if is_whole else [n for n in by_commit if n.startswith(name)]
            yield from (by_commit[n] for n in known)
        for number in _REVERTS_NUMBER.findall(commit.message):
            if int(number) in by_number:
                yield by_number[int(number)]


def refuse_shallow(
    library: Library, some: Iterable[HistoryStep], hint: str = "git fetch --unshallow"
) -> None:
    """Stop where a shallow clone ends: the commit there looks as if all began in it."""
    cut = library.repository().shallow_commits()
    if cut and any(step.name in cut for step in some):
        raise ConflictError("this clone is shallow: history is not all here", hint=hint)


def is_of(path: str, top: str) -> bool:
    """Whether a path is a folder or in it, also where case is ignored."""
    return path.partition("/")[0].casefold() == top


def trees_now(step: HistoryStep) -> Iterator[str]:
    """The trees that a step wrote below the folders that only proposals change."""
    for path, change in step.commit.changes.items():
        if change.is_tree_now and any(is_of(path, top) for top in OURS):
            yield change.after


def touches_skills(step: HistoryStep) -> bool:
    return any(is_of(p, top) for p in step.commit.changes for top in OURS)


def outside(step: HistoryStep, names: Iterable[str]) -> list[str]:
    """Paths that a step changed beyond some skills and their evidence.

    What moves a skill to the archive or back may touch its place there, too.
    """
    own = _TOPS.get(step.action, (SKILLS, EVIDENCE))
    tops = tuple(f"{top}/{name}/" for name in names for top in own)
    return [
        path
        for path, change in step.commit.changes.items()
        if not change.is_tree and not path.startswith(tops)
    ]


def of_skill(all_steps: list[HistoryStep], name: str) -> list[HistoryStep]:
    """The steps that changed a skill, the oldest first."""
    return [step for step in all_steps if name in step.skills]


def reverted_by(all_steps: list[HistoryStep], name: str) -> dict[str, str]:
    """Steps of a skill that were taken back, and the steps that did it."""
    return {
        other.name: step.name
        for step in all_steps
        for other in step.reverts
        if name in step.skills and name in other.skills
    }


def was_version(all_steps: list[HistoryStep], name: str, tree: str) -> bool:
    """Whether a skill was ever at a tree; the empty one is before its first."""
    changes = [step.skills[name] for step in of_skill(all_steps, name)]
    return any(tree in (change.before, change.after) for change in changes)
