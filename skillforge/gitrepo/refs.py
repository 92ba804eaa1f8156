"""Read refs, even if some of them are damaged."""

import re
from typing import TYPE_CHECKING, NamedTuple

from skillforge.gitrepo.git_command import output

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo

_FIELDS = "%(refname)%00%(objectname)"
_BROKEN = re.compile(r"^warning: ignoring (?:broken|dangling)\S* (?:sym)?ref (.+)$")


class Refs(NamedTuple):
    """Refs by full name: hash and subject of the intact, the damage of the broken."""

    intact: dict[str, tuple[str, str]]
    broken: dict[str, str]


def read(repo: "GitRepo", *prefixes: str) -> Refs:
    line = ("for-each-ref", f"--format={_FIELDS}%00%(contents:subject)", *prefixes)
    done = repo.run(*line)
    broken = _reported(done.err)
    if done.code == 0:
        rows = (row.split("\0") for row in _lines(done.out))
        return Refs({ref: (name, subject) for ref, name, subject in rows}, broken)
    # A ref to a missing object stops git: read the objects one by one.
    plain = output(line, repo.run("for-each-ref", f"--format={_FIELDS}", *prefixes))
    names = dict(row.split("\0") for row in _lines(plain))
    intact = {}
    for ref, commit in zip(names, repo.find_all(list(names.values())), strict=True):
        if commit is None:
            broken[ref] = f"it points at {names[ref][:12]}, which is missing"
        else:
            intact[ref] = (names[ref], _subject(commit.data))
    return Refs(intact, broken)


def _lines(out: bytes) -> list[str]:
    return out.decode("utf-8", "replace").split("\n")[:-1]


def _reported(complaint: bytes) -> dict[str, str]:
    """The refs that git ignores, from its warnings."""
    lines = complaint.decode("utf-8", "replace").splitlines()
    matches = (_BROKEN.match(line) for line in lines)
    return {match[1]: "it is empty or not a hash" for match in matches if match}


def _subject(commit: bytes) -> str:
    _header, _, message = commit.partition(b"\n\n")
    return message.lstrip().partition(b"\n")[0].decode("utf-8", "replace")


def removal(repo: "GitRepo", ref: str) -> str:
    """The command that removes a damaged ref, also if git refuses to."""
    path = repo.common_dir / ref
    if not path.exists():
        return f"git update-ref -d {ref}"
    return f"rm {path.relative_to(repo.root) if repo.root in path.parents else path}"
