"""The steps of main's history, from one pass over `git log`.

A step is one commit of main's first-parent line, with its changes of skills and the
commits that it merged.
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
from skillforge.library.skill_trees import with_skill_file
from skillforge.model import ARCHIVE, EVIDENCE, WAIVERS_FILE, Action, Layout

NOW = "Rolled-Back-By"  # trailer of a merge without an approval: who merged it
_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{7,64})\b", re.MULTILINE)
_REVERTS_NUMBER = re.compile(
    r"^Reverts (?:[\w.-]+/[\w.-]+)?#(\d{1,9})\s*$", re.MULTILINE
)
# Of a skill, besides its folder, what a proposal may change.
_TOPS: dict[str, tuple[str, ...]] = {
    Action.ARCHIVE: (ARCHIVE,),
    Action.ROLLBACK: (EVIDENCE, ARCHIVE),
}
_RAW = ("--raw", "-t", "--root", "--no-abbrev", *AS_IT_IS)
Notes: TypeAlias = dict[str, github_merges.Trailers]
HeadsOf: TypeAlias = Callable[[GitRepo, list[Commit], Notes], dict[str, str]]
MAIN_LINE = ("--first-parent", "--diff-merges=first-parent", *_RAW)


@dataclass(frozen=True, eq=False)
class HistoryStep:
    """One commit on main's first-parent line; `reverts` are the steps it reverts."""

    commit: Commit
    merged: tuple[Commit, ...]  # the newest first
    skills: dict[str, PathChange]
    trailers: dict[str, list[str]]  # of the commit itself, or of its note
    draft_trailers: dict[str, list[str]]  # of the proposal's commit
    is_noted: bool = False  # its trailers come from a note, for a merge in GitHub's UI
    layout: Layout = field(default_factory=Layout)
    brings_promotions: bool = False  # it merges promotions that are not steps of main
    reverts: list["HistoryStep"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.commit.name

    @cached_property
    def is_promotion(self) -> bool:
        """Whether it claims to be a proposal's merge; the audit checks the claim."""
        # The message of GitHub's merge button is its author's text: only a note counts.
        is_ours = len(self.commit.parents) == 2 and self.pull_request is None
        is_noted = self.is_noted and bool(self.commit.parents)
        return "Proposal" in self.trailers and (is_ours or is_noted)

    @property
    def is_cut(self) -> bool:
        """Whether it was squashed or rebased, and its own commits are not here."""
        is_github = self.is_noted or self.pull_request is not None
        return is_github and not self.merged

    @cached_property
    def number(self) -> int | None:
        """The number of the proposal that it merged."""
        text = trailers.first(self.trailers, "Proposal")
        is_number = self.is_promotion and re.fullmatch(r"[1-9][0-9]{0,8}", text)
        return int(text) if is_number else None

    @cached_property
    def pull_request(self) -> int | None:
        """The number of the pull request that GitHub merged with it."""
        return github_merges.pull_request(self.commit.subject)

    @property
    def date(self) -> str:
        return datetime.fromtimestamp(self.commit.seconds, UTC).isoformat()

    @property
    def author(self) -> str:
        named = trailers.first(self.draft_trailers, "Proposed-By")
        return named or (self.merged[0] if self.merged else self.commit).author

    @property
    def approvers(self) -> list[str]:
        return self.trailers.get("Approved-By", []) if self.is_promotion else []

    @property
    def reason(self) -> str:
        """The paragraphs between the title and the trailers of its message."""
        message = (self.merged[-1] if self.merged else self.commit).message
        _title, *paragraphs = message.strip().split("\n\n")
        if trailers.read(message):
            del paragraphs[-1:]
        return "\n\n".join(paragraphs).strip()

    @property
    def action(self) -> str:
        action = trailers.first(self.draft_trailers, "Action")
        if self.is_promotion or (self.pull_request is not None and action):
            return action
        return "revert" if self.reverts else "direct"

    @property
    def is_exact_revert(self) -> bool:
        """Whether everything it touches is exactly as before what it reverts."""
        others = [
            path
            for path in paths_of_ours(self)
            if not self.commit.changes[path].is_tree
            and self.skills.keys().isdisjoint(self.layout.names_around(path))
        ]
        return (
            bool(self.reverts)
            and bool(self.skills)
            and all(change.is_tree for change in self.skills.values())
            and all(self._restores_skill(name) for name in self.skills)
            and all(self._restores_path(path) for path in others)
        )

    def _restores_skill(self, name: str) -> bool:
        before = (step.skills.get(name) for step in self.reverts)
        after = self.skills[name].after
        return any(change is not None and change.before == after for change in before)

    def _restores_path(self, path: str) -> bool:
        before = (step.commit.changes.get(path) for step in self.reverts)
        after = self.commit.changes[path].after
        return any(change is not None and change.before == after for change in before)


_Key: TypeAlias = tuple[str, Layout, Notes, dict[str, str]]  # and pull requests
# The steps that were read last of a repository: `release` needs them twice.
_KNOWN: WeakKeyDictionary[GitRepo, tuple[_Key, list[HistoryStep]]]
_KNOWN = WeakKeyDictionary()


@processes.without_cycles
def read_steps(library: Library, tip: str) -> list[HistoryStep]:
    """Every step of a branch, the oldest first."""
    notes = github_merges.read(library.repository())
    return _steps(library, tip, notes, github_merges.heads)


@processes.without_cycles
def reproducible_steps(library: Library, tip: str, notes: str) -> list[HistoryStep]:
    """The same from a commit and one state of the notes alone: equal in any clone.

    Fetched commits of pull requests are not used, as other clones may not have them.
    """
    read = github_merges.read(library.repository(), notes) if notes else {}
    return _steps(library, tip, read, lambda *_: {})


def _steps(
    library: Library, tip: str, notes: Notes, heads_of: HeadsOf
) -> list[HistoryStep]:
    repo = library.repository()
    commits, line = _logs(repo, tip)
    heads = heads_of(repo, line, notes)
    key = (tip, library.layout, notes, heads)
    known = _KNOWN.get(repo)
    if known is None or known[0] != key:
        known = _KNOWN[repo] = key, _build_steps(repo, commits, line, key)
    return list(known[1])


def _build_steps(
    repo: GitRepo, commits: dict[str, Commit], line: list[Commit], key: _Key
) -> list[HistoryStep]:
    tip, layout, notes, heads = key
    pulled, by_merge = github_merges.pulled(repo, heads, tip)
    line = github_merges.folded(line, notes, by_merge)
    commits |= pulled
    on_line = {commit.name for commit in line}
    visited: set[str] = set()
    skills = _skill_changes(repo, line, layout)
    steps = []
    for commit in line:
        starts = commit.parents[1:] or (heads.get(commit.name, ""),)
        merged = _merged(starts, commits, on_line, visited)
        note = notes.get(commit.name)
        steps.append(_step(commit, merged, note, skills[commit.name], layout))
    _find_reverts(steps)
    return steps


def _logs(repo: GitRepo, tip: str) -> tuple[dict[str, Commit], list[Commit]]:
    """The commits of a history by name, and its first-parent line, the oldest first.

    A repository keeps those that were read last: `release` needs them twice.
    """
    if tip not in repo.logs:
        whole, own = repo.start_log(tip), repo.start_log(*MAIN_LINE, tip)
        with processes.running(whole.process), processes.running(own.process):
            commits = {commit.name: commit for commit in whole.wait()}
            repo.logs = {tip: (commits, list(own.wait())[::-1])}
    known, line = repo.logs[tip]
    return dict(known), list(line)


def _skill_changes(
    repo: GitRepo, line: list[Commit], layout: Layout
) -> dict[str, dict[str, PathChange]]:
    """The changes of skills, by commit and name."""
    changes = {
        commit.name: {
            name: change
            for path, change in commit.changes.items()
            if (name := layout.name_of(path))
        }
        for commit in line
    }
    if layout.is_single:
        return changes
    some = [change for named in changes.values() for change in named.values()]
    trees = {tree for c in some for tree in (c.before, c.after) if c.is_tree}
    are_skills = with_skill_file(repo, trees)
    return {
        commit: {
            name: change
            for name, change in named.items()
            if not {change.before, change.after}.isdisjoint(are_skills)
        }
        for commit, named in changes.items()
    }


def _step(
    commit: Commit,
    merged: tuple[Commit, ...],
    note: dict[str, list[str]] | None,
    skills: dict[str, PathChange],
    layout: Layout,
) -> HistoryStep:
    own = trailers.read(commit.message)
    # The oldest commit is the tool's own; later ones can't replace its trailers.
    messages = [trailers.read(c.message) for c in reversed(merged)]
    drafted = next((lines for lines in messages if "Skill" in lines), {})
    if not drafted and len(commit.parents) == 1:
        drafted = trailers.of_draft(commit.message)
    is_github = github_merges.pull_request(commit.subject) is not None
    is_noted = note is not None and (is_github or "Proposal" not in own)
    brings_promotions = any("Proposal" in lines for lines in messages)
    if note is not None and is_noted:
        own = note
    return HistoryStep(
        commit, merged, skills, own, drafted, is_noted, layout, brings_promotions
    )


def _merged(
    starts: Iterable[str],
    commits: dict[str, Commit],
    on_line: set[str],
    visited: set[str],
) -> tuple[Commit, ...]:
    """The commits that a merge brought in: reachable from it, and from no other."""
    merged: list[Commit] = []
    pending = list(starts)
    while pending:
        name = pending.pop()
        if name in on_line or name in visited or name not in commits:
            continue
        visited.add(name)
        merged.append(commits[name])
        pending.extend(commits[name].parents)
    return tuple(merged)


def _find_reverts(steps: list[HistoryStep]) -> None:
    """Fill in the older steps that each step reverts."""
    by_commit: dict[str, HistoryStep] = {}
    by_number: dict[int, HistoryStep] = {}
    for step in steps:
        for other in _reverted(step, by_commit, by_number):
            if other not in step.reverts:
                step.reverts.append(other)
        by_commit |= {commit.name: step for commit in (step.commit, *step.merged)}
        if number := step.number or step.pull_request:
            by_number[number] = step


def _reverted(
    step: HistoryStep,
    by_commit: dict[str, HistoryStep],
    by_number: dict[int, HistoryStep],
) -> Iterator[HistoryStep]:
    """The steps that one claims to revert: in its trailers, or as `git revert` does."""
    if step.is_promotion:
        names: Iterable[str] = step.draft_trailers.get("Reverts", ())
        yield from (by_commit[name] for name in names if name in by_commit)
        return
    for commit in (step.commit, *step.merged):
        for name in _REVERTS.findall(commit.message):
            is_full = name in by_commit
            known = [name] if is_full else [n for n in by_commit if n.startswith(name)]
            yield from (by_commit[n] for n in known)
        for number in _REVERTS_NUMBER.findall(commit.message):
            if int(number) in by_number:
                yield by_number[int(number)]


def refuse_shallow(
    library: Library, some: Iterable[HistoryStep], hint: str = "git fetch --unshallow"
) -> None:
    """Raise at the end of a shallow clone: that commit looks like the first one."""
    cut = library.repository().shallow_commits()
    if cut and any(step.name in cut for step in some):
        raise ConflictError(
            "this clone is shallow: part of the history is missing", hint=hint
        )


def is_of(path: str, top: str) -> bool:
    """Whether a path is a top folder or inside it, ignoring case."""
    return path.partition("/")[0].casefold() == top


def is_ours(layout: Layout, path: str, *, is_link: bool = False) -> bool:
    """Whether a path is one that only proposals may change."""
    is_skill = layout.covers(path, is_link=is_link)
    return is_skill or is_of(path, EVIDENCE) or is_of(path, ARCHIVE)


def paths_of_ours(step: HistoryStep) -> list[str]:
    """The paths of a step that only proposals may change."""
    changes = step.commit.changes.items()
    return [p for p, c in changes if is_ours(step.layout, p, is_link=c.is_link_now)]


def trees_now(step: HistoryStep) -> Iterator[str]:
    """The trees that a step wrote in folders that only proposals may change."""
    for path, change in step.commit.changes.items():
        if change.is_tree_now and is_ours(step.layout, path):
            yield change.after


def touches_skills(step: HistoryStep) -> bool:
    return bool(paths_of_ours(step))


def outside(step: HistoryStep, names: Iterable[str], layout: Layout) -> list[str]:
    """Paths that a step changed outside some skills and their evidence.

    A step that archives or restores a skill may also change it in the archive. One that
    waives a finding changes nothing but the waivers. `layout` is that of the step's
    base.
    """
    if step.action == Action.WAIVE:
        return [path for path in step.commit.changes if path != WAIVERS_FILE]
    own, chosen = _TOPS.get(step.action, (EVIDENCE,)), list(names)
    tops = tuple(
        [f"{layout.path_of(name)}/" for name in chosen]
        + [f"{top}/{name}/" for name in chosen for top in own]
    )
    return [
        path
        for path, change in step.commit.changes.items()
        if not change.is_tree and not path.startswith(tops)
    ]


def of_skill(all_steps: list[HistoryStep], name: str) -> list[HistoryStep]:
    """The steps that changed a skill, the oldest first."""
    return [step for step in all_steps if name in step.skills]


def reverted_by(all_steps: list[HistoryStep], name: str) -> dict[str, str]:
    """The reverted steps of a skill, and the steps that reverted them."""
    return {
        other.name: step.name
        for step in all_steps
        for other in step.reverts
        if name in step.skills and name in other.skills
    }


def was_version(all_steps: list[HistoryStep], name: str, tree: str) -> bool:
    """Whether a tree was ever a version of a skill; empty: before the first."""
    changes = [step.skills[name] for step in of_skill(all_steps, name)]
    return any(tree in (change.before, change.after) for change in changes)
