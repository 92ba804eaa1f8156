"""What to write: signatures, commits and ref updates; and the errors of writing."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ToolError
from skillforge.gitrepo.damage import lock_hint

_UNFIT = re.compile(r"[<>\x00-\x1f\x7f]")  # not allowed in a commit's header

_WHEN = re.compile(r"[0-9]{1,18} [+-][0-9]{4}")  # seconds since 1970, and the zone


class Signature(NamedTuple):
    """A person and a time in a commit; `when` is in git's format (`seconds zone`)."""

    name: str
    mail: str
    when: str

    def __str__(self) -> str:
        return f"{self.name} <{self.mail}>" if self.mail else self.name

    @property
    def seconds(self) -> int:
        return int(self.when.split()[0])

    @property
    def line(self) -> str:
        """In the format of a commit's header."""
        self.refuse_odd_date()
        name, mail = (_UNFIT.sub("", part).strip() for part in (self.name, self.mail))
        return f"{name} <{mail}> {self.when}"

    def refuse_odd_date(self) -> None:
        """Refuse a date before 1970: git would write it, and `git fsck` rejects it."""
        if not _WHEN.fullmatch(self.when):
            raise ToolError(
                f"the clock is before 1970: git can't write the date {self.when!r}",
                hint="nothing was changed; set the clock of this machine",
            )


class TreeChange(NamedTuple):
    """A change to a path in a tree: new bytes, an existing object, or a removal."""

    path: str
    data: bytes | None = None
    mode: str = "100644"
    object: str = ""

    @property
    def is_removal(self) -> bool:
        return self.data is None and not self.object


class NewCommit(NamedTuple):
    """A commit to create; its tree is that of the first parent, with changes."""

    parents: Sequence[str]
    message: str
    who: Signature
    changes: Sequence[TreeChange] = ()
    tree: str = ""  # a whole tree instead
    starts_empty: bool = False


class RefUpdate(NamedTuple):
    """A ref's new value, if it still has the old one; empty for a missing ref."""

    ref: str
    new: str
    old: str


def cannot_write(complaint: str) -> ToolError:
    """The error for a git that could not write, with a hint."""
    lines = complaint.splitlines() or ["git reported no reason"]
    reason = next((line for line in lines if line.startswith("fatal:")), lines[-1])
    hint = "nothing was changed; fix this and run the command again"
    if "exists; cannot create" in complaint:
        hint = "a branch has the name of a folder of branches: rename it, git branch -m"
    if lock := re.search(r"'([^']+\.lock)'.*exists", complaint):
        hint = lock_hint(Path(lock[1]))
    elif "reference broken" in complaint:
        hint = "nothing was changed; skillforge doctor --fix repairs damaged refs"
    return ToolError(f"git cannot write: {reason.removeprefix('fatal: ')}", hint=hint)


def ref_lines(updates: Iterable[RefUpdate]) -> bytes:
    """The input of `git update-ref --stdin -z`, as one transaction."""
    lines = ["start"]
    for ref, new, old in updates:
        if not new:
            lines.append(f"delete {ref}\0{old}")
        elif not old:
            lines.append(f"create {ref}\0{new}")
        else:
            lines.append(f"update {ref}\0{new}\0{old}")
    return "".join(f"{line}\0" for line in (*lines, "prepare", "commit")).encode()
