"""Refs, also where some of them are damaged: those stop nobody from reading others."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillforge.gitrepo.git_command import output

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo

_FIELDS = "%(refname)%00%(objectname)"
_BROKEN = re.compile(r"^warning: ignoring (?:broken|dangling)\S* (?:sym)?ref (.+)$")


class Refs(NamedTuple):
    """What refs point at, with that commit's subject; and why others can't be read."""

    found: dict[str, tuple[str, str]]
    broken: dict[str, str]


def read(repo: "GitRepo", *prefixes: str) -> Refs:
    """Refs by full name, the damaged ones apart."""
    line = ("for-each-ref", f"--format={_FIELDS}%00%(contents:subject)", *prefixes)
    done = repo.run(*line)
    broken = _reported(done.err)
    if done.code == 0:
        rows = (row.split("\0") for row in _lines(done.out))
        found = {ref: (name, subject) for ref, name, subject in rows}
        return Refs(found, broken)
    # One that names a missing object stops git: read the objects one by one.
    plain = output(line, repo.run("for-each-ref", f"--format={_FIELDS}", *prefixes))
    names = dict(row.split("\0") for row in _lines(plain))
    found = {}
    for ref, commit in zip(names, repo.find_all(list(names.values())), strict=True):
        if commit is None:
            broken[ref] = f"it points at {names[ref][:12]}, which is missing"
        else:
            found[ref] = (names[ref], _subject(commit.data))
    return Refs(found, broken)


def _lines(out: bytes) -> list[str]:
    return out.decode("utf-8", "replace").split("\n")[:-1]


def _reported(complaint: bytes) -> dict[str, str]:
    """The refs that git leaves out, by what it says of them."""
    lines = complaint.decode("utf-8", "replace").splitlines()
    matches = (_BROKEN.match(line) for line in lines)
    return {found[1]: "it is empty or no hash" for found in matches if found}


def _subject(commit: bytes) -> str:
    _header, _, message = commit.partition(b"\n\n")
    return message.lstrip().partition(b"\n")[0].decode("utf-8", "replace")


def removal(repo: "GitRepo", ref: str) -> str:
    """The command that removes a damaged ref, which git itself may refuse to do."""
    path = repo.common_dir / ref
    return f"rm {_shown(repo, path)}" if path.exists() else f"git update-ref -d {ref}"


def _shown(repo: "GitRepo", path: Path) -> Path:
    is_inside = path.is_relative_to(repo.root)
    return path.relative_to(repo.root) if is_inside else path
