"""Versions of skills out of git's objects into folders, proven to be what git has."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from skillforge.checks import path_policy
from skillforge.errors import ConfigError, ToolError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.trees import TreeEntry, read_tree
from skillforge.model import DraftFile
from skillforge.operate.tree_hash import look
from skillforge.store import cache_folder, held

_EXECUTABLE = "100755"
_ORDINARY = ("100644", _EXECUTABLE)
_LOST = ""  # the mode of what is not there
_MANY = 100  # versions that are worth a process of their own
_KINDS = {"120000": "a symbolic link", "160000": "a submodule"}
_WRITE = 0o222


def cached(repo: GitRepo, skill: str, tree: str) -> Path:
    """The folder of a version in the user's cache: read-only, called like the skill.

    What lies there is read and held against the tree each time: a folder that was
    damaged is made anew. It is whole or not there, whoever else asks for it and
    whenever one of them is killed.
    """
    shelf = cache_folder() / "skills"
    folder = shelf / skill / tree / skill
    if not _holds(folder, tree):
        entries = listings(repo, {skill: tree})[skill]
        refuse(skill, entries)
        files = read(entries, repo.blobs(entry.object for entry in entries.values()))
        with held(shelf / ".lock", "the cache (SKILLFORGE_CACHE names another)"):
            if not _holds(folder, tree):
                _shelve(files, shelf, folder, tree)
    return folder


def _holds(folder: Path, tree: str) -> bool:
    return look(str(folder), tree).tree == tree


def _shelve(
    files: Mapping[str, DraftFile], shelf: Path, folder: Path, tree: str
) -> None:
    """Put a version on the shelf, in the place of a damaged one; the lock is ours."""
    new, old, home = shelf / ".new", shelf / ".old", folder.parent
    try:
        for left in (new, old):  # by somebody who was killed
            discard(left)
        write(files, new / folder.name)
        prove(new / folder.name, tree)
        lock_up(new / folder.name)
        home.parent.mkdir(exist_ok=True)
        if os.path.lexists(home):
            home.rename(old)
        new.rename(home)
        discard(old)
    except OSError as err:
        raise cannot_lay(folder, err) from err


def listings(
    repo: GitRepo, versions: Mapping[str, str]
) -> dict[str, dict[str, TreeEntry]]:
    """The files of versions (trees by skill), by path; of many at once, if need be."""
    found: dict[str, dict[str, TreeEntry]] = {skill: {} for skill in versions}
    pending = [(found[skill], "", tree) for skill, tree in versions.items()]
    ask = repo.find_all if len(versions) < _MANY else repo.objects
    while pending:
        trees = ask([tree for _files, _prefix, tree in pending])
        inner = []
        for (files, prefix, name), tree in zip(pending, trees, strict=True):
            if tree is None or tree.kind != "tree":
                files[prefix.rstrip("/")] = TreeEntry(_LOST, name)
                continue
            for part, entry in read_tree(tree).items():
                if entry.is_tree:
                    inner.append((files, f"{prefix}{part}/", entry.object))
                else:
                    files[prefix + part] = entry
        pending = inner
    return found


def refuse(skill: str, files: Mapping[str, TreeEntry]) -> None:
    """Stop at a version that cannot be laid out as it is.

    Main holds what was judged. But an old tree, or one that somebody pushed, may hold
    what no folder should get.
    """
    if not path_policy.is_name(skill):
        raise _refused(skill, "that cannot be a folder's name everywhere")
    for path, entry in files.items():
        if entry.mode == _LOST:
            raise ConfigError(
                f"{skill} has no version {entry.object[:12]} here, or not all of it",
                hint="git fetch may bring it (--unshallow, in a shallow clone)",
            )
        if entry.mode not in _ORDINARY:
            kind = _KINDS.get(entry.mode, f"a file of mode {entry.mode}")
            raise _refused(skill, f"{path!r} is {kind}")
        if why := path_policy.danger(path):
            raise _refused(skill, f"the path {path!r} is not taken: {why}")


def _refused(skill: str, why: str) -> ConfigError:
    return ConfigError(
        f"{skill} cannot be laid out: {why}",
        hint=f"fix it: skillforge propose {skill}, without that",
    )


def read(
    entries: Mapping[str, TreeEntry], blobs: Iterator[bytes]
) -> dict[str, DraftFile]:
    """Files with their contents, which come in the same order."""
    return {
        path: DraftFile(next(blobs), entry.mode == _EXECUTABLE)
        for path, entry in entries.items()
    }


def write(files: Mapping[str, DraftFile], folder: Path) -> None:
    """Make a new folder with files in it; who may use them is up to the umask."""
    folder.mkdir(parents=True)
    for path, file in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        number = os.open(place, flags, 0o777 if file.is_executable else 0o666)
        with os.fdopen(number, "wb") as opened:
            opened.write(file.data)


def prove(folder: Path, tree: str) -> None:
    """Stop where a file system has made something else of a version."""
    if not _holds(folder, tree):
        raise ToolError(
            f"what was written to {folder.parent} does not read back as git has it",
            hint="does that file system keep names, their case, and executable bits?",
        )


def lock_up(folder: Path) -> None:
    """Let nobody write in a folder any more."""
    for top, _folders, files in os.walk(folder):
        for path in (Path(top), *(Path(top, name) for name in files)):
            path.chmod(path.stat().st_mode & ~_WRITE & 0o7777)


def unlock(folder: Path) -> None:
    """Let the owner write in a folder again."""
    for top, _folders, files in os.walk(folder):
        for path in (Path(top), *(Path(top, name) for name in files)):
            path.chmod(path.stat().st_mode | 0o200)


def discard(path: Path) -> None:
    """Remove whatever is at a path, if anything is; locked folders, too."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    import shutil

    path.chmod(0o700)
    for top, folders, _files in os.walk(path):
        for name in folders:
            if not Path(top, name).is_symlink():
                Path(top, name).chmod(0o700)
    shutil.rmtree(path)


def cannot_lay(folder: Path, err: OSError) -> ToolError:
    return ToolError(
        f"cannot write {err.filename or folder}: {err.strerror}",
        hint="nothing is half done: mend this, and run the command again",
    )
