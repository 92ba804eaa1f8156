"""What is to be written: people, commits and refs, and git's complaints about it."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ToolError
from skillforge.gitrepo.damage import stale_lock

_UNFIT = re.compile(r"[<>\x00-\x1f\x7f]")  # what would end a name in a commit's header

_WHEN = re.compile(r"[0-9]{1,18} [+-][0-9]{4}")  # seconds since 1970, and the zone


class Signature(NamedTuple):
    """A person in a commit: who, and when as git writes it (`seconds zone`)."""

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
        """As a commit's header has it."""
        self.refuse_odd_date()
        name, mail = (_UNFIT.sub("", part).strip() for part in (self.name, self.mail))
        return f"{name} <{mail}> {self.when}"

    def refuse_odd_date(self) -> None:
        """Write no date that `git fsck` refuses: git itself does, before 1970."""
        if not _WHEN.fullmatch(self.when):
            raise ToolError(
                f"the clock is before 1970: git can't write the date {self.when!r}",
                hint="nothing was changed; set the clock of this machine",
            )


class TreeChange(NamedTuple):
    """One change to a tree: new bytes at a path, an object that exists, or nothing."""

    path: str
    data: bytes | None = None
    mode: str = "100644"
    object: str = ""

    @property
    def is_removal(self) -> bool:
        return self.data is None and not self.object


class NewCommit(NamedTuple):
    """A commit to be made; its tree starts as that of the first parent, or empty."""

    parents: Sequence[str]
    message: str
    who: Signature
    changes: Sequence[TreeChange] = ()
    tree: str = ""  # a whole tree instead
    starts_empty: bool = False


class RefUpdate(NamedTuple):
    """A ref's new value, if it still has the old one; empty where there is no ref."""

    ref: str
    new: str
    old: str


def cannot_write(complaint: str) -> ToolError:
    """Git's complaint on writing, with what to do about it."""
    lines = complaint.splitlines() or ["git gave no reason"]
    said = next((line for line in lines if line.startswith("fatal:")), lines[-1])
    hint = "nothing was changed; mend this and run the command again"
    if "exists; cannot create" in complaint:
        hint = "a branch has the place of a folder of branches: git branch -m it"
    if lock := re.search(r"'([^']+\.lock)'.*exists", complaint):
        hint = stale_lock(Path(lock[1]))
    elif "reference broken" in complaint:
        hint = "nothing was changed; skillforge doctor --fix repairs damaged refs"
    return ToolError(f"git cannot write: {said.removeprefix('fatal: ')}", hint=hint)


def ref_lines(updates: Iterable[RefUpdate]) -> bytes:
    """The input of `git update-ref --stdin -z`: all of them or none."""
    lines = ["start"]
    for ref, new, old in updates:
        if not new:
            lines.append(f"delete {ref}\0{old}")
        elif not old:
            lines.append(f"create {ref}\0{new}")
        else:
            lines.append(f"update {ref}\0{new}\0{old}")
    return "".join(f"{line}\0" for line in (*lines, "prepare", "commit")).encode()
