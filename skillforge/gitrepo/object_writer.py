"""Commits made from objects alone, written by one `git unpack-objects`.

Trees are spliced: of a folder with ten thousand skills one entry changes. All names
are known before git is asked to write anything, and nothing here looks at a checkout,
an index or a hook.
"""

import hashlib
import os
import re
import zlib
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from skillforge.gitrepo import signatures
from skillforge.gitrepo.git_output import missing_object
from skillforge.gitrepo.object_reader import Object
from skillforge.gitrepo.ref_update import NewCommit, TreeChange, cannot_write
from skillforge.gitrepo.trees import TreeEntry

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo

_KINDS = {"commit": 1, "tree": 2, "blob": 3}  # as a pack numbers them
_TREE = "40000"


class ObjectWriter:
    """Objects that are yet to be written to a repository."""

    def __init__(self, repo: "GitRepo", width: int) -> None:
        self._repo = repo
        entry = rb"([0-7]+) ([^\0]+)\0(.{%d})" % (width // 2)
        self._entries = re.compile(entry, re.DOTALL)
        self._hash = hashlib.sha256 if width == 64 else hashlib.sha1
        self._made: dict[str, tuple[str, bytes]] = {}

    def branch_commit(self, new: NewCommit) -> str:
        """Make a commit for a branch, signed if git is set up to sign commits."""
        if not self._repo.signs_commits:
            return self.commit(new)
        tree = self._tree_of(new)
        self.write()
        return signatures.commit(self._repo, new._replace(tree=tree))

    def commit(self, new: NewCommit) -> str:
        """Make a commit and return its name; it is never signed."""
        who = new.who.line
        lines = [f"tree {self._tree_of(new)}"]
        lines += [f"parent {parent}" for parent in dict.fromkeys(new.parents)]
        lines += [f"author {who}", f"committer {who}", "", new.message]
        text = "\n".join(lines).replace("\0", "")
        return self._add("commit", text.encode("utf-8", "replace"))

    def tree(self, files: Iterable[TreeChange]) -> str:
        """Make a tree of files alone, as many as there are; its name."""
        folders: dict[str, list[TreeChange]] = {}
        entries: list[tuple[bytes, bytes]] = []
        for put in files:
            top, _, rest = put.path.partition("/")
            if rest:
                folders.setdefault(top, []).append(put._replace(path=rest))
            else:
                name = put.object or self._add("blob", put.data or b"")
                key = os.fsencode(top)
                entries.append((key, _entry(put.mode.lstrip("0"), key, name)))
        for top, inner in folders.items():
            key = os.fsencode(top)
            entries.append((key + b"/", _entry(_TREE, key, self.tree(inner))))
        return self._add("tree", b"".join(line for _, line in sorted(entries)))

    def _tree_of(self, new: NewCommit) -> str:
        tree = new.tree or self._edited(self._start_of(new), list(new.changes))
        return tree or self._add("tree", b"")

    def _start_of(self, new: NewCommit) -> str:
        """The tree that the changes are made to."""
        if new.starts_empty or not new.parents:
            return ""
        parent = self._made.get(new.parents[0])
        if parent is not None:
            return parent[1].split(b"\n", 1)[0].removeprefix(b"tree ").decode()
        return self._must_find(f"{new.parents[0]}^{{tree}}").name

    def _add(self, kind: str, data: bytes) -> str:
        name = self._hash(b"%s %d\0%s" % (kind.encode(), len(data), data)).hexdigest()
        self._made[name] = (kind, data)
        return name

    def _edited(self, tree: str, changes: list[TreeChange]) -> str:
        """The tree with changes made to it; empty for a tree that has nothing left."""
        data = self._read(tree)
        # Changes of one entry keep their order: sorting is stable.
        for name, puts in groupby(sorted(changes, key=_first), key=_first):
            place = self._place(data, os.fsencode(name))
            entry = self._changed(place.entry, list(puts))
            data = place.filled(data, os.fsencode(name), entry)
        return self._add("tree", data) if data else ""

    def _changed(
        self, entry: TreeEntry | None, puts: list[TreeChange]
    ) -> TreeEntry | None:
        """What becomes of one entry: a file, a folder, or nothing."""
        for is_inner, run in groupby(puts, key=lambda put: "/" in put.path):
            some = list(run)
            is_file = entry is not None and not entry.is_tree
            if is_inner and is_file and all(put.is_removal for put in some):
                continue  # there is nothing in a file that could go
            if is_inner:
                before = entry.object if entry and entry.is_tree else ""
                inner = [put._replace(path=put.path.split("/", 1)[1]) for put in some]
                tree = self._edited(before, inner)
                entry = TreeEntry(_TREE, tree) if tree else None
            else:
                entry = self._put(some[-1])
        return entry

    def _put(self, put: TreeChange) -> TreeEntry | None:
        if put.is_removal:
            return None
        name = put.object or self._add("blob", put.data or b"")
        return TreeEntry(put.mode.lstrip("0"), name)

    def _read(self, tree: str) -> bytes:
        if tree in self._made:
            return self._made[tree][1]
        return self._must_find(tree).data if tree else b""

    def _must_find(self, expression: str) -> Object:
        """An object that has to be there: without it a folder would seem empty."""
        if found := self._repo.find(expression):
            return found
        raise missing_object(expression)

    def _place(self, data: bytes, name: bytes) -> "_EntrySlot":
        """Where an entry stands in a tree, or would stand in git's order."""
        found: TreeEntry | None = None
        start = end = as_file = len(data)
        for match in self._entries.finditer(data):
            mode, other = match[1], match[2]
            if other == name:
                found = TreeEntry(mode.decode(), match[3].hex())
                start, end = match.span()
                continue
            key = other + b"/" if mode == b"40000" else other
            if as_file == len(data) and key > name:
                as_file = match.start()
            if key > name + b"/":
                return _EntrySlot(found, start, end, as_file, match.start())
        return _EntrySlot(found, start, end, as_file, len(data))

    def write(self) -> None:
        """Have git write all that was made; no ref names it yet."""
        done = self._repo.run("unpack-objects", "-q", stdin=self.pack())
        if done.code:
            raise cannot_write(done.complaint)
        self._made.clear()

    def pack(self) -> bytes:
        """All that was made, as a pack that git writes to the repository."""
        parts = [b"PACK", (2).to_bytes(4), len(self._made).to_bytes(4)]
        for kind, data in self._made.values():
            # Not squeezed: git does that when it writes them, in its own way.
            parts += [_pack_header(_KINDS[kind], len(data)), zlib.compress(data, 0)]
        content = b"".join(parts)
        return content + self._hash(content).digest()


class _EntrySlot(NamedTuple):
    """An entry's place in the bytes of a tree; a folder sorts as if it ended in `/`."""

    entry: TreeEntry | None
    start: int
    end: int
    as_file: int
    as_tree: int

    def filled(self, data: bytes, name: bytes, entry: TreeEntry | None) -> bytes:
        """The tree with another entry here, or none."""
        cut = [(self.start, self.end, b"")] if self.entry else []
        if entry is not None:
            line = _entry(entry.mode, name, entry.object)
            at = self.as_tree if entry.is_tree else self.as_file
            cut.append((at, at, line))
        for start, end, new in sorted(cut, reverse=True):
            data = data[:start] + new + data[end:]
        return data


def _entry(mode: str, name: bytes, found: str) -> bytes:
    """One line of a tree."""
    return b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(found))


def _first(put: TreeChange) -> str:
    return put.path.split("/", 1)[0]


def _pack_header(kind: int, size: int) -> bytes:
    """The kind and size of an object, seven bits at a time after the first four."""
    head = [kind << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head)
