"""Merges made on GitHub: their notes, and the commits of their pull requests.

GitHub's merge commits don't name approvals, a squash loses the proposal's commits, and
a rebase even its number. The notes of `skillforge promoted` add what is missing.
"""

import re
from dataclasses import replace

from skillforge.forge import PULLS
from skillforge.gitrepo import GitRepo, notes, trailers
from skillforge.gitrepo.commit_log import Commit, PathChange

Trailers = dict[str, list[str]]
_PULL_REQUEST = re.compile(r"Merge pull request #(\d{1,9}) |.*\(#(\d{1,9})\)$")
BASE = "Base"  # trailer of a note: main as it was before the merge


def read(repo: GitRepo, at: str = notes.NOTES) -> dict[str, Trailers]:
    """The trailers of the notes on merges, by commit."""
    lines = {name: trailers.read(text) for name, text in notes.read(repo, at).items()}
    return {name: note for name, note in lines.items() if "Proposal" in note}


def folded(
    line: list[Commit], noted: dict[str, Trailers], pulled: dict[str, list[Commit]]
) -> list[Commit]:
    """Main's line with each rebased pull request as one commit.

    `pulled` are the commits of pull requests, the oldest first. A note may claim
    anything: only commits that equal these, one by one, are part of the rebase.
    """
    folded: list[Commit] = []
    for commit in line:
        folded.append(commit)
        base = trailers.first(noted.get(commit.name, {}), BASE)
        own = pulled.get(commit.name, [])
        parts = folded[-len(own) :]
        if len(own) > 1 and _is_rebased(parts, own, base):
            folded[-len(own) :] = [_joined(parts, base)]
    return folded


def _is_rebased(parts: list[Commit], own: list[Commit], base: str) -> bool:
    """Whether commits of main are those of a pull request, put on another base."""
    bases = [base, *(part.name for part in parts[:-1])]
    return len(parts) == len(own) and all(
        part.parents == (before,)
        and (part.message.strip(), part.author)
        == (original.message.strip(), original.author)
        for part, before, original in zip(parts, bases, own, strict=True)
    )


def _joined(parts: list[Commit], base: str) -> Commit:
    changes: dict[str, PathChange] = {}
    for commit in parts:
        for path, change in commit.changes.items():
            first = changes.get(path, change)
            is_tree = first.is_tree and change.is_tree
            changes[path] = change._replace(before=first.before, is_tree=is_tree)
    changes = {path: c for path, c in changes.items() if c.before != c.after}
    return replace(parts[-1], parents=(base,), changes=changes)


def heads(
    repo: GitRepo, line: list[Commit], noted: dict[str, Trailers]
) -> dict[str, str]:
    """The heads of squashed and rebased pull requests that this clone has."""
    numbers: dict[str, str] = {}
    for commit in line:
        number = trailers.first(noted.get(commit.name, {}), "Proposal")
        number = number or str(pull_request(commit.subject) or "")
        if len(commit.parents) == 1 and number.isdigit():
            numbers[commit.name] = number
    tips = repo.names_of([f"{PULLS}{number}" for number in numbers.values()])
    return {name: tip for name, tip in zip(numbers, tips, strict=True) if tip}


def pulled(
    repo: GitRepo, heads: dict[str, str], main: str
) -> tuple[dict[str, Commit], dict[str, list[Commit]]]:
    """The commits of pull requests that main does not have: by name, and by merge.

    The commits of a merge are in order, the oldest first.
    """
    if not heads:
        return {}, {}
    known = {c.name: c for c in repo.log(*heads.values(), "--not", main)}
    return known, {name: _ancestors(known, head) for name, head in heads.items()}


def _ancestors(known: dict[str, Commit], head: str) -> list[Commit]:
    line: list[Commit] = []
    while head in known:
        line.append(known[head])
        head = known[head].parents[0] if known[head].parents else ""
    return line[::-1]


def pull_request(subject: str) -> int | None:
    """The number of the pull request that GitHub merged with a commit."""
    match = _PULL_REQUEST.match(subject)
    return int(match[1] or match[2]) if match else None


def missing_commits(number: int) -> str:
    """The problem that a squash or rebase left commits on GitHub, and its fix."""
    fetch = f"git fetch origin refs/pull/{number}/head:{PULLS}{number}"
    return f"the commits of pull request {number} are not in this clone: {fetch}"
