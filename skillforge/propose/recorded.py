"""Merges that were made in GitHub's pages: what was noted of them, and what is in them.

A merge commit of GitHub's own says nothing of approvals, a squash loses the proposal's
commits, and a rebase even its number. What `skillforge promoted` noted brings it back.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from skillforge.forge import PULLS
from skillforge.gitrepo import GitRepo, notes, trailers
from skillforge.gitrepo.history import Change, Commit

Said = dict[str, list[str]]
_PULL_REQUEST = re.compile(r"Merge pull request #(\d{1,9}) |.*\(#(\d{1,9})\)$")
BASE = "Base"  # trailer of a note: main as it was before the merge


def read(repo: GitRepo) -> dict[str, Said]:
    """What was noted of merges, by commit."""
    said = {name: trailers.read(text) for name, text in notes.read(repo).items()}
    return {name: it for name, it in said.items() if "Proposal" in it}


def folded(line: list[Commit], noted: dict[str, Said]) -> list[Commit]:
    """Main's line with each rebased pull request as one commit."""
    found: list[Commit] = []
    for commit in line:
        base = trailers.first(noted.get(commit.name, {}), BASE)
        start = _start(found, commit, base)
        if start is None:
            found.append(commit)
        else:
            parts = [*found[start:], commit]
            found[start:] = [_joined(parts, base)]
    return found


def _start(found: list[Commit], commit: Commit, base: str) -> int | None:
    """Where the commits of a rebase begin on the line; None if it is no rebase."""
    if not base or commit.parents == (base,) or len(commit.parents) != 1:
        return None
    for at in range(len(found) - 1, -1, -1):
        if len(found[at].parents) != 1:
            return None  # a merge is no part of a rebase
        if found[at].parents == (base,):
            return at
    return None


def _joined(parts: list[Commit], base: str) -> Commit:
    changes: dict[str, Change] = {}
    for commit in parts:
        for path, change in commit.changes.items():
            first = changes.get(path, change)
            is_tree = first.is_tree and change.is_tree
            changes[path] = Change(first.before, change.after, is_tree)
    kept = {path: it for path, it in changes.items() if it.before != it.after}
    return replace(parts[-1], parents=(base,), changes=kept)


def heads(repo: GitRepo, line: list[Commit], noted: dict[str, Said]) -> dict[str, str]:
    """The heads of squashed and rebased pull requests, as far as they are here."""
    numbers: dict[str, str] = {}
    for commit in line:
        number = trailers.first(noted.get(commit.name, {}), "Proposal")
        number = number or str(pull_request(commit.subject) or "")
        if len(commit.parents) == 1 and number.isdigit():
            numbers[commit.name] = number
    tips = repo.names_of([f"{PULLS}{number}" for number in numbers.values()])
    return {name: tip for name, tip in zip(numbers, tips, strict=True) if tip}


def commits_of(repo: GitRepo, tips: Iterable[str], main: str) -> list[Commit]:
    """All commits of pull requests that main does not hold."""
    wanted = list(tips)
    return list(repo.log(*wanted, "--not", main)) if wanted else []


def pull_request(subject: str) -> int | None:
    """The number of the pull request that GitHub merged with a commit."""
    match = _PULL_REQUEST.match(subject)
    return int(match[1] or match[2]) if match else None


def squashed(message: str) -> Said:
    """The trailers of a draft in a squash, which may stand before others."""
    for paragraph in message.split("\n\n"):
        said = trailers.read(f"title\n\n{paragraph}")
        if "Skill" in said:
            return said
    return {}


def cut_words(number: int) -> str:
    """What to do about commits that a squash or a rebase left on GitHub."""
    fetch = f"git fetch origin refs/pull/{number}/head:refs/skillforge/pulls/{number}"
    return f"the commits of pull request {number} are not here: {fetch}"
