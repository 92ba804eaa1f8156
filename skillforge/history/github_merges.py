"""Merges that were made in GitHub's pages: what was noted of them, and what is in them.

A merge commit of GitHub's own says nothing of approvals, a squash loses the proposal's
commits, and a rebase even its number. What `skillforge promoted` noted brings it back.
"""

import re
from dataclasses import replace

from skillforge.forge import PULLS
from skillforge.gitrepo import GitRepo, notes, trailers
from skillforge.gitrepo.commit_log import Commit, PathChange

Said = dict[str, list[str]]
_PULL_REQUEST = re.compile(r"Merge pull request #(\d{1,9}) |.*\(#(\d{1,9})\)$")
BASE = "Base"  # trailer of a note: main as it was before the merge


def read(repo: GitRepo, at: str = notes.NOTES) -> dict[str, Said]:
    """What was noted of merges, by commit."""
    said = {name: trailers.read(text) for name, text in notes.read(repo, at).items()}
    return {name: it for name, it in said.items() if "Proposal" in it}


def folded(
    line: list[Commit], noted: dict[str, Said], pulled: dict[str, list[Commit]]
) -> list[Commit]:
    """Main's line with each rebased pull request as one commit.

    `pulled` are a pull request's own commits, the oldest first. A note may say
    anything: only what is like these, one by one, is a part of the rebase.
    """
    found: list[Commit] = []
    for commit in line:
        found.append(commit)
        base = trailers.first(noted.get(commit.name, {}), BASE)
        own = pulled.get(commit.name, [])
        parts = found[-len(own) :]
        if len(own) > 1 and _is_rebased(parts, own, base):
            found[-len(own) :] = [_joined(parts, base)]
    return found


def _is_rebased(parts: list[Commit], own: list[Commit], base: str) -> bool:
    """Whether commits of main are those of a pull request, put on another base."""
    bases = [base, *(part.name for part in parts[:-1])]
    return len(parts) == len(own) and all(
        part.parents == (before,)
        and (part.message.strip(), part.author) == (it.message.strip(), it.author)
        for part, before, it in zip(parts, bases, own, strict=True)
    )


def _joined(parts: list[Commit], base: str) -> Commit:
    changes: dict[str, PathChange] = {}
    for commit in parts:
        for path, change in commit.changes.items():
            first = changes.get(path, change)
            is_tree = first.is_tree and change.is_tree
            changes[path] = PathChange(first.before, change.after, is_tree)
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


def pulled(
    repo: GitRepo, heads: dict[str, str], main: str
) -> tuple[dict[str, Commit], dict[str, list[Commit]]]:
    """The commits of pull requests that main does not hold: all, and by their merge.

    Those of one pull request are in a row, the oldest first.
    """
    if not heads:
        return {}, {}
    known = {c.name: c for c in repo.log(*heads.values(), "--not", main)}
    return known, {name: _row(known, head) for name, head in heads.items()}


def _row(known: dict[str, Commit], head: str) -> list[Commit]:
    row: list[Commit] = []
    while head in known:
        row.append(known[head])
        head = known[head].parents[0] if known[head].parents else ""
    return row[::-1]


def pull_request(subject: str) -> int | None:
    """The number of the pull request that GitHub merged with a commit."""
    match = _PULL_REQUEST.match(subject)
    return int(match[1] or match[2]) if match else None


def cut_words(number: int) -> str:
    """What to do about commits that a squash or a rebase left on GitHub."""
    fetch = f"git fetch origin refs/pull/{number}/head:{PULLS}{number}"
    return f"the commits of pull request {number} are not in this clone: {fetch}"
