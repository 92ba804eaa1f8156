"""Read git trees strictly, so that every part of the product sees the same files.

Git can store trees that no git command writes: unsorted, with duplicate names, with odd
modes. Its commands disagree on what such a tree contains: a check could read one file
while a checkout gets another. So malformed trees are refused wherever they are read,
and so are tree bombs, which repeat the same folders until a listing has no end.
"""

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple, Protocol, TypeAlias

from skillforge.errors import RefusedError
from skillforge.gitrepo.object_reader import Object, object_name

Row: TypeAlias = tuple[bytes, bytes, bytes]  # mode, name and hash, as they are stored
_TREE = b"40000"
_MODES = (_TREE, b"100644", b"100755", b"120000", b"160000")
# Characters that some file systems ignore in a name.
_IGNORED = re.compile(r"[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# Names that may be special, among names with slashes between them.
_SUSPECT = re.compile(rb"(?:^|/)[.gG]|[\x80-\xff]")
_MOST_SIBLINGS = 100  # trees to compare others with
_MOST_FILES = 500_000  # in one listing or comparison
_LONGEST_PATH = 4096  # that Linux can check out
_DOT_GIT = re.compile(r"(?:\.git|git~[0-9]+)[. ]*(?::.*)?", re.DOTALL)


class MalformedTreeError(RefusedError):
    """A git tree that git commands may read differently."""

    def __init__(self, tree: str, why: str, path: str = "") -> None:
        where = f"tree {tree[:12]} of {path}" if path else f"tree {tree[:12]}"
        super().__init__(
            f"{where} is malformed: {why}",
            hint="git commands don't write such trees; see `git fsck`",
            facts={"tree": tree, "path": path},
        )
        self.tree, self.why, self.path = tree, why, path


class EndlessTreeError(MalformedTreeError):
    """A git tree with more or deeper folders than can be checked out."""

    def __init__(self, tree: str, why: str, path: str = "") -> None:
        super().__init__(tree, why, path)
        self.message = self.message.replace("is malformed", "is refused")
        self.hint = "commit only the files of skills; the rest of it was not read"


class TreeEntry(NamedTuple):
    """One line of a tree; the mode is octal text, as `100644` or `40000`."""

    mode: str
    object: str

    @property
    def is_tree(self) -> bool:
        return self.mode == "40000"

    @property
    def is_submodule(self) -> bool:
        return self.mode == "160000"


class TreeFile(NamedTuple):
    """One entry of a recursive listing; `size` is 0 for what is not a blob."""

    mode: str
    object: str
    size: int
    path: str


def read_tree(tree: Object) -> dict[str, TreeEntry]:
    """The entries of a tree, by name, in git's order."""
    return _entries(read_rows(tree))


def _entries(rows: list[Row]) -> dict[str, TreeEntry]:
    return {
        os.fsdecode(name): TreeEntry(mode.decode(), object_id.hex())
        for mode, name, object_id in rows
    }


def read_rows(tree: Object) -> list[Row]:
    """The entries as stored; a tree that isn't canonical is an error."""
    size = len(tree.name) // 2
    rows: list[Row] = _pattern(size).findall(tree.data)
    length = sum(map(len, chain.from_iterable(rows))) + 2 * len(rows)
    why = _odd_entry(tree.data, size) if length != len(tree.data) else _oddity(rows)
    if why:
        raise MalformedTreeError(tree.name, why)
    return rows


@cache
def _pattern(size: int) -> re.Pattern[bytes]:
    return re.compile(
        rb"(%s) ([^\0/]+)\0(.{%d})" % (b"|".join(_MODES), size), re.DOTALL
    )


def _odd_entry(data: bytes, size: int) -> str:
    """What is wrong with the first malformed entry."""
    at, well_formed = 0, _pattern(size)
    while match := well_formed.match(data, at):
        at = match.end()
    mode, _, rest = data[at:].partition(b" ")
    name = rest.partition(b"\0")[0]
    if mode not in _MODES and mode.isdigit():
        return f"{_shown(name)} has the mode {mode.decode()}"
    if not name:
        return "an entry has no name"
    if b"/" in name:
        return f"the name {_shown(name)} contains a slash"
    return "it ends within an entry"


def _oddity(rows: list[Row]) -> str:
    names = [name for _mode, name, _id in rows]
    keys = [name + b"/" if mode == _TREE else name for mode, name, _id in rows]
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        return f"{_shown(twice)} occurs twice"
    if keys != sorted(keys):
        late = next(b for a, b in pairwise(keys) if a > b)
        return f"{_shown(late.rstrip(b'/'))} is out of order"
    may_be_odd = _SUSPECT.search(b"/".join(names))
    if may_be_odd and (odd := next(filter(_is_special, names), b"")):
        return f"{_shown(odd)} can't be the name of a file"
    if rows and bytes(len(rows[0][2])) in [
        object_id for _mode, _name, object_id in rows
    ]:
        return "an entry names no object"
    return ""


def _is_special(name: bytes) -> bool:
    """Whether a name has a special meaning to git or to a file system."""
    if name in (b".", b".."):
        return True
    if name[:1] not in b".gG" and name.isascii():
        return False
    plain = _IGNORED.sub("", os.fsdecode(name)).casefold()
    return bool(_DOT_GIT.fullmatch(plain))


def _shown(name: bytes) -> str:
    return ascii(os.fsdecode(name[:80]))


def tree_name(files: Mapping[str, TreeEntry], like: str) -> str:
    """The hash of a folder with these files, by their paths in it.

    Folders without files don't count, as in git.
    """
    folders: dict[str, dict[str, TreeEntry]] = {"": {}}
    for path, entry in files.items():
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folders.setdefault("/".join(parts[:depth]), {})
        folders["/".join(parts[:-1])][parts[-1]] = entry
    for folder in sorted(folders, key=lambda path: path.count("/"), reverse=True):
        if folder:
            parent, _, name = folder.rpartition("/")
            inner = object_name("tree", _tree_data(folders[folder]), like)
            folders[parent][name] = TreeEntry("40000", inner)
    return object_name("tree", _tree_data(folders[""]), like)


def _tree_data(entries: Mapping[str, TreeEntry]) -> bytes:
    """A tree as git writes it; a folder sorts as if its name ended in a slash."""
    rows = [(os.fsencode(name), entry) for name, entry in entries.items()]
    rows.sort(key=lambda row: row[0] + b"/" if row[1].is_tree else row[0])
    return b"".join(
        b"%s %s\0%s" % (entry.mode.encode(), name, bytes.fromhex(entry.object))
        for name, entry in rows
    )


def folders_to(expression: str) -> list[str]:
    """The folders on the way to what `REVISION:PATH` names."""
    revision, _, path = expression.partition(":")
    if not revision or not path:
        return []
    parts = path.split("/")
    return [f"{revision}:{'/'.join(parts[:depth])}" for depth in range(len(parts))]


class _ObjectSource(Protocol):
    """A repository that trees are read from."""

    def read_all(self, names: list[str]) -> Iterable[Object | None]: ...


class _Siblings:
    """Canonical trees, one of each length, to compare others with.

    In a history, a folder usually changes by one object at a time. A tree that differs
    from a canonical one in a single hash has the same names and modes, so only that
    hash must be checked.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[bytes, list[int]]] = {}

    def add(self, tree: Object, rows: list[Row]) -> None:
        """Remember a canonical tree, and the positions of its hashes."""
        size, at, starts = len(tree.name) // 2, 0, []
        for mode, name, _id in rows:
            at += len(mode) + len(name) + 2
            starts.append(at)
            at += size
        if len(self._known) >= _MOST_SIBLINGS:
            self._known.clear()
        self._known[len(tree.data), size] = tree.data, starts

    def has_like(self, tree: Object) -> bool:
        """Whether a tree differs from a canonical one in one hash, which isn't zero."""
        size = len(tree.name) // 2
        data, starts = self._known.get((len(tree.data), size), (b"", []))
        if not starts:
            return False
        at = starts[max(bisect_right(starts, _common(data, tree.data)) - 1, 0)]
        end = at + size
        if data[:at] != tree.data[:at] or data[end:] != tree.data[end:]:
            return False
        if not tree.data[at:end].strip(b"\0"):
            return False
        self._known[len(data), size] = tree.data, starts
        return True


def _common(first: bytes, second: bytes) -> int:
    """The length of the longest common prefix of two texts of equal length."""
    low, high = 0, len(first)
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Trees:
    """The trees of one repository; it remembers which ones are canonical."""

    def __init__(
        self, source: _ObjectSource, canonical: set[str] | None = None
    ) -> None:
        self._source = source
        self.canonical: set[str] = set() if canonical is None else canonical
        self._siblings = _Siblings()

    def check(self, tree: Object) -> None:
        """Refuse a tree that isn't canonical."""
        if tree.name in self.canonical:
            return
        if self._siblings.has_like(tree):
            self.canonical.add(tree.name)
        else:
            self._siblings.add(tree, self.rows(tree))

    def rows(self, tree: Object) -> list[Row]:
        """The entries as stored; a known tree is not checked again."""
        if tree.name in self.canonical:
            return _pattern(len(tree.name) // 2).findall(tree.data)
        rows = read_rows(tree)
        self.canonical.add(tree.name)
        return rows

    def entries(self, tree: Object) -> dict[str, TreeEntry]:
        """The entries by name, in git's order."""
        return _entries(self.rows(tree))

    def changed_names(self, new: str, old: str) -> tuple[set[str], set[str]]:
        """Names of entries that a tree changed or added, and of those it removed."""
        names = [name for name in (new, old) if name]
        read = iter(self._source.read_all(names))
        now = set(self._rows("", new, next(read))) if new else set()
        was = set(self._rows("", old, next(read))) if old else set()
        changed, gone = (
            {os.fsdecode(name) for _mode, name, _id in rows}
            for rows in (now - was, was - now)
        )
        return changed, gone - changed

    def files(self, trees: Mapping[str, str]) -> Iterator[tuple[str, TreeEntry]]:
        """Every file below some trees, by path; in git's order within each tree."""
        pending = [(f"{path}/" if path else "", name) for path, name in trees.items()]
        folders: dict[str, dict[str, TreeEntry]] = {}
        count = 0
        while pending:
            read = {n: _entries(rows) for n, rows in self._read(pending).items()}
            inner = []
            for path, name in pending:
                entries = folders[path] = read[name]
                count += len(entries)
                _refuse_endless(name, path, count)
                inner += [
                    (f"{path}{part}/", entry.object)
                    for part, entry in entries.items()
                    if entry.is_tree
                ]
            pending = inner
        for path in trees:
            yield from _flattened(f"{path}/" if path else "", folders)

    def verify(self, new: str, old: str) -> None:
        """Refuse a tree that isn't canonical in its changes to another one."""
        pending = [("", new, old)] if new != old else []
        count = 0
        while pending:
            pairs = ((path, name) for path, *both in pending for name in both if name)
            read = self._read(pairs)
            inner: list[tuple[str, str, str]] = []
            for path, name, before in pending:
                was = read[before] if before else []
                changed = set(read[name]).difference(was)
                count += len(changed)
                _refuse_endless(name, path, count)
                inner += _changed_folders(path, changed, was)
            pending = inner

    def _read(self, paths: Iterable[tuple[str, str]]) -> dict[str, list[Row]]:
        """Trees by hash; one that is in many folders is read once."""
        first: dict[str, str] = {}
        for path, name in paths:
            first.setdefault(name, path)
        read = self._source.read_all(list(first))
        return {
            name: self._rows(path, name, tree)
            for (name, path), tree in zip(first.items(), read, strict=True)
        }

    def _rows(self, path: str, name: str, tree: Object | None) -> list[Row]:
        if tree is None or tree.kind != "tree":
            raise MalformedTreeError(name, "it isn't in this repository", path)
        try:
            return self.rows(tree)
        except MalformedTreeError as err:
            raise MalformedTreeError(name, err.why, path.rstrip("/")) from err


def _refuse_endless(tree: str, path: str, count: int) -> None:
    if count > _MOST_FILES:
        raise EndlessTreeError(tree, f"it has more than {_MOST_FILES:,} files", path)
    if len(path) > _LONGEST_PATH:
        why = f"its path is longer than {_LONGEST_PATH:,} characters"
        raise EndlessTreeError(tree, why, f"{path[:80]}…")


def _changed_folders(
    path: str, changed: Set[Row], was: list[Row]
) -> Iterator[tuple[str, str, str]]:
    """Changed folders: path, new tree and old tree."""
    if not changed:
        return
    names = {name for _mode, name, _id in changed}
    before = {n: old.hex() for mode, n, old in was if n in names and mode == _TREE}
    for mode, name, new in changed:
        if mode == _TREE:
            yield f"{path}{os.fsdecode(name)}/", new.hex(), before.get(name, "")


def _flattened(
    top: str, folders: Mapping[str, Mapping[str, TreeEntry]]
) -> Iterator[tuple[str, TreeEntry]]:
    walks = [(top, iter(folders[top].items()))]
    while walks:
        path, entries = walks[-1]
        for name, entry in entries:
            if entry.is_tree:
                inner = f"{path}{name}/"
                walks.append((inner, iter(folders[inner].items())))
                break
            yield path + name, entry
        else:
            walks.pop()
