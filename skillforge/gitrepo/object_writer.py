"""Create commits from objects, written by one `git unpack-objects`.

Trees are spliced: in a folder with ten thousand skills, one entry changes. All hashes
are computed before git writes anything. No checkout, index or hook takes part.
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
    """Collects objects, and writes them to a repository together."""

    def __init__(self, repo: "GitRepo", width: int) -> None:
        self._repo = repo
        entry = rb"([0-7]+) ([^\0]+)\0(.{%d})" % (width // 2)
        self._entries = re.compile(entry, re.DOTALL)
        self._hash = hashlib.sha256 if width == 64 else hashlib.sha1
        self._objects: dict[str, tuple[str, bytes]] = {}

    def branch_commit(self, new: NewCommit) -> str:
        """Create a commit for a branch, signed if git is configured to sign."""
        if not self._repo.signs_commits:
            return self.commit(new)
        tree = self._tree_of(new)
        self.write()
        return signatures.commit(self._repo, new._replace(tree=tree))

    def commit(self, new: NewCommit) -> str:
        """Create an unsigned commit; its hash."""
        who = new.who.line
        lines = [f"tree {self._tree_of(new)}"]
        lines += [f"parent {parent}" for parent in dict.fromkeys(new.parents)]
        lines += [f"author {who}", f"committer {who}", "", new.message]
        text = "\n".join(lines).replace("\0", "")
        return self._add("commit", text.encode("utf-8", "replace"))

    def tree(self, files: Iterable[TreeChange]) -> str:
        """Create a tree from files; its hash."""
        folders: dict[str, list[TreeChange]] = {}
        entries: list[tuple[bytes, bytes]] = []
        for file in files:
            top, _, rest = file.path.partition("/")
            if rest:
                folders.setdefault(top, []).append(file._replace(path=rest))
            else:
                name = file.object or self._add("blob", file.data or b"")
                key = os.fsencode(top)
                entries.append((key, _entry(file.mode.lstrip("0"), key, name)))
        for top, inner in folders.items():
            key = os.fsencode(top)
            entries.append((key + b"/", _entry(_TREE, key, self.tree(inner))))
        return self._add("tree", b"".join(line for _, line in sorted(entries)))

    def _tree_of(self, new: NewCommit) -> str:
        tree = new.tree or self._edited(self._start_of(new), list(new.changes))
        return tree or self._add("tree", b"")

    def _start_of(self, new: NewCommit) -> str:
        """The tree that the changes apply to."""
        if new.starts_empty or not new.parents:
            return ""
        parent = self._objects.get(new.parents[0])
        if parent is not None:
            return parent[1].split(b"\n", 1)[0].removeprefix(b"tree ").decode()
        return self._must_find(f"{new.parents[0]}^{{tree}}").name

    def _add(self, kind: str, data: bytes) -> str:
        name = self._hash(b"%s %d\0%s" % (kind.encode(), len(data), data)).hexdigest()
        self._objects[name] = (kind, data)
        return name

    def _edited(self, tree: str, changes: list[TreeChange]) -> str:
        """The tree with changes applied; empty if it has no entries left."""
        data = self._read(tree)
        # Changes of one entry keep their order: sorting is stable.
        for name, group in groupby(sorted(changes, key=_first), key=_first):
            slot = self._slot(data, os.fsencode(name))
            entry = self._changed(slot.entry, list(group))
            data = slot.filled(data, os.fsencode(name), entry)
        return self._add("tree", data) if data else ""

    def _changed(
        self, entry: TreeEntry | None, changes: list[TreeChange]
    ) -> TreeEntry | None:
        """One entry with changes applied: a file, a folder, or nothing."""
        for is_inner, group in groupby(changes, key=lambda change: "/" in change.path):
            run = list(group)
            is_file = entry is not None and not entry.is_tree
            if is_inner and is_file and all(change.is_removal for change in run):
                continue  # a file contains nothing to remove
            if is_inner:
                before = entry.object if entry and entry.is_tree else ""
                inner = [c._replace(path=c.path.split("/", 1)[1]) for c in run]
                tree = self._edited(before, inner)
                entry = TreeEntry(_TREE, tree) if tree else None
            else:
                entry = self._new_entry(run[-1])
        return entry

    def _new_entry(self, change: TreeChange) -> TreeEntry | None:
        if change.is_removal:
            return None
        name = change.object or self._add("blob", change.data or b"")
        return TreeEntry(change.mode.lstrip("0"), name)

    def _read(self, tree: str) -> bytes:
        if tree in self._objects:
            return self._objects[tree][1]
        return self._must_find(tree).data if tree else b""

    def _must_find(self, expression: str) -> Object:
        """An object that must exist: without it, a folder would seem empty."""
        if existing := self._repo.find(expression):
            return existing
        raise missing_object(expression)

    def _slot(self, data: bytes, name: bytes) -> "_EntrySlot":
        """Where an entry is in a tree, or belongs in git's order."""
        entry: TreeEntry | None = None
        start = end = as_file = len(data)
        for match in self._entries.finditer(data):
            mode, other = match[1], match[2]
            if other == name:
                entry = TreeEntry(mode.decode(), match[3].hex())
                start, end = match.span()
                continue
            key = other + b"/" if mode == b"40000" else other
            if as_file == len(data) and key > name:
                as_file = match.start()
            if key > name + b"/":
                return _EntrySlot(entry, start, end, as_file, match.start())
        return _EntrySlot(entry, start, end, as_file, len(data))

    def write(self) -> None:
        """Have git write all objects; no ref points at them yet."""
        done = self._repo.run("unpack-objects", "-q", stdin=self.pack())
        if done.code:
            raise cannot_write(done.complaint)
        self._objects.clear()

    def pack(self) -> bytes:
        """All objects, as a pack for `git unpack-objects`."""
        parts = [b"PACK", (2).to_bytes(4), len(self._objects).to_bytes(4)]
        for kind, data in self._objects.values():
            # Not compressed: git does that when it writes them.
            parts += [_pack_header(_KINDS[kind], len(data)), zlib.compress(data, 0)]
        content = b"".join(parts)
        return content + self._hash(content).digest()


class _EntrySlot(NamedTuple):
    """Position of an entry in a tree; a folder sorts as if its name ended in `/`."""

    entry: TreeEntry | None
    start: int
    end: int
    as_file: int
    as_tree: int

    def filled(self, data: bytes, name: bytes, entry: TreeEntry | None) -> bytes:
        """The tree with another entry here, or without one."""
        cut = [(self.start, self.end, b"")] if self.entry else []
        if entry is not None:
            line = _entry(entry.mode, name, entry.object)
            at = self.as_tree if entry.is_tree else self.as_file
            cut.append((at, at, line))
        for start, end, new in sorted(cut, reverse=True):
            data = data[:start] + new + data[end:]
        return data


def _entry(mode: str, name: bytes, object_name: str) -> bytes:
    """One line of a tree."""
    return b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(object_name))


def _first(change: TreeChange) -> str:
    return change.path.split("/", 1)[0]


def _pack_header(kind: int, size: int) -> bytes:
    """The kind and size of an object, seven bits at a time after the first four."""
    head = [kind << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head)
