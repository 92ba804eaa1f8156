"""Parse `git log`: commits, and what they changed."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

_FIELDS = ("%H", "%T", "%P", "%an <%ae>", "%cn <%ce>", "%ct", "%B")
_LATEST = 253_402_300_799  # the last second of the year 9999
_OVERFLOW = 1 << 63
_TREES = {b"40000", b""}  # the mode of a folder, and of nothing
_LINKS = {b"120000", b"160000"}  # of a symlink, and of a submodule
FORMAT = "--format=tformat:" + "%x00".join(_FIELDS) + "%x00"


class PathChange(NamedTuple):
    """The objects of a path before and after a commit; empty if there is none."""

    before: str
    after: str
    is_tree: bool  # a folder (or nothing) both before and after
    is_tree_now: bool = False
    is_link_now: bool = False  # a symlink or a submodule

    def joined(self, other: "PathChange") -> "PathChange":
        is_tree_now = self.is_tree_now or other.is_tree_now
        before, after = self.before or other.before, self.after or other.after
        is_link_now = self.is_link_now or other.is_link_now
        return PathChange(before, after, False, is_tree_now, is_link_now)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; `changes` are against its first parent, if the log contains them."""

    name: str
    tree: str
    parents: tuple[str, ...]
    author: str
    committer: str
    seconds: int
    message: str
    changes: Mapping[str, PathChange] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        return self.message.split("\n", 1)[0]


Logs: TypeAlias = dict[str, tuple[dict[str, Commit], list[Commit]]]
"""By commit: all commits of its history by hash, and the first-parent ones."""


def read(out: bytes) -> Iterator[Commit]:
    """Commits from `git log -z` with our format, with or without `--raw -t`."""
    parts = iter(out.split(b"\0"))
    word = next(parts, b"")
    while True:
        while not word.strip(b"\n"):  # what git puts between commits
            following = next(parts, None)
            if following is None:
                return
            word = following
        fields = [word, *(next(parts) for _ in range(len(_FIELDS) - 1))]
        changes: dict[str, PathChange] = {}
        next(parts, None)  # the end of the format
        word = next(parts, b"")
        while word.lstrip(b"\n").startswith(b":"):
            before_mode, after_mode, before, after, _ = word.split()
            is_tree = {before_mode.lstrip(b":0"), after_mode.lstrip(b"0")} <= _TREES
            path = os.fsdecode(next(parts))
            is_tree_now = after_mode.lstrip(b"0") in _TREES and bool(after.strip(b"0"))
            objects = _object(before), _object(after)
            change = PathChange(*objects, is_tree, is_tree_now, after_mode in _LINKS)
            if path in changes:  # a folder that became a file takes two lines
                change = changes[path].joined(change)
            changes[path] = change
            word = next(parts, b"")
        yield _commit(fields, changes)


def _object(name: bytes) -> str:
    return name.decode() if name.strip(b"0") else ""


def _within_calendar(seconds: str) -> int:
    """A commit's date, limited to years that Python can represent.

    A date before 1970 overflows; git shows it as 1970, too.
    """
    number = int(seconds) if seconds.isdigit() else 0
    return min(number, _LATEST) if number < _OVERFLOW else 0


def _commit(fields: list[bytes], changes: dict[str, PathChange]) -> Commit:
    name, tree, parents, author, committer, seconds, message = (
        part.decode("utf-8", "replace").strip("\n") for part in fields
    )
    return Commit(
        name,
        tree,
        tuple(parents.split()),
        author,
        committer,
        _within_calendar(seconds),
        message,
        changes,
    )
