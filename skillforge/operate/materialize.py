"""Write versions of skills from git to folders, and verify them by their tree hash."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from skillforge.checks import path_policy
from skillforge.errors import ConfigError, ToolError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.trees import TreeEntry, read_tree
from skillforge.model import DraftFile
from skillforge.model.layout import ref_name
from skillforge.operate.tree_hash import folder_state
from skillforge.store import cache_folder, locked

_EXECUTABLE = "100755"
_ORDINARY = ("100644", _EXECUTABLE)
_MISSING = ""  # the mode of a missing tree
_MANY = 100  # versions, from which on a separate git process is faster
_KINDS = {"120000": "a symbolic link", "160000": "a submodule"}
_WRITE = 0o222


def cached_folder(repo: GitRepo, skill: str, tree: str) -> Path:
    """The folder of a version in the user's cache: read-only, named like the skill.

    It is verified each time, and written again if it was damaged. It is complete or
    missing, also if processes compete or are killed.
    """
    cache, name = cache_folder() / "skills", skill.rpartition("/")[2]
    folder = cache / ref_name(skill) / tree / name
    if not _is_intact(folder, tree):
        entries = listings(repo, {skill: tree})[skill]
        require_safe(name, entries)
        files = read(entries, repo.blobs(entry.object for entry in entries.values()))
        with locked(cache / ".lock", "the cache (SKILLFORGE_CACHE names another)"):
            if not _is_intact(folder, tree):
                _replace(files, cache, folder, tree)
    return folder


def _is_intact(folder: Path, tree: str) -> bool:
    return folder_state(str(folder), tree).tree == tree


def _replace(
    files: Mapping[str, DraftFile], cache: Path, folder: Path, tree: str
) -> None:
    """Write a version to the cache, in place of a damaged one; needs the lock."""
    new, old, target = cache / ".new", cache / ".old", folder.parent
    try:
        for leftover in (new, old):  # of a killed process
            remove(leftover)
        write(files, new / folder.name)
        verify(new / folder.name, tree)
        make_read_only(new / folder.name)
        target.parent.mkdir(exist_ok=True)
        if os.path.lexists(target):
            target.rename(old)
        new.rename(target)
        remove(old)
    except OSError as err:
        raise write_error(folder, err) from err


def listings(
    repo: GitRepo, versions: Mapping[str, str]
) -> dict[str, dict[str, TreeEntry]]:
    """The files of versions (trees by skill), by path."""
    listed: dict[str, dict[str, TreeEntry]] = {skill: {} for skill in versions}
    pending = [(listed[skill], "", tree) for skill, tree in versions.items()]
    read_objects = repo.find_all if len(versions) < _MANY else repo.objects
    while pending:
        trees = read_objects([tree for _files, _prefix, tree in pending])
        inner = []
        for (files, prefix, name), tree in zip(pending, trees, strict=True):
            if tree is None or tree.kind != "tree":
                files[prefix.rstrip("/")] = TreeEntry(_MISSING, name)
                continue
            for part, entry in read_tree(tree).items():
                if entry.is_tree:
                    inner.append((files, f"{prefix}{part}/", entry.object))
                else:
                    files[prefix + part] = entry
        pending = inner
    return listed


def require_safe(skill: str, files: Mapping[str, TreeEntry]) -> None:
    """Raise an error for a version that must not be written to a folder.

    Main only has checked versions, but an old or pushed tree may contain anything.
    """
    if not path_policy.is_name(skill):
        raise _refused(skill, "the name is not a valid folder name everywhere")
    for path, entry in files.items():
        if entry.mode == _MISSING:
            raise ConfigError(
                f"{skill} has no version {entry.object[:12]} here, or only a part",
                hint="git fetch may get it (in a shallow clone, with --unshallow)",
            )
        if entry.mode not in _ORDINARY:
            kind = _KINDS.get(entry.mode, f"a file of mode {entry.mode}")
            raise _refused(skill, f"{path!r} is {kind}")
        if why := path_policy.danger(path):
            raise _refused(skill, f"the path {path!r} is not allowed: {why}")


def _refused(skill: str, why: str) -> ConfigError:
    return ConfigError(
        f"{skill} can't be written to a folder: {why}",
        hint=f"fix it and propose it again: skillforge propose {skill}",
    )


def read(
    entries: Mapping[str, TreeEntry], blobs: Iterator[bytes]
) -> dict[str, DraftFile]:
    """Files with their contents; `blobs` are in the order of `entries`."""
    return {
        path: DraftFile(next(blobs), entry.mode == _EXECUTABLE)
        for path, entry in entries.items()
    }


def write(files: Mapping[str, DraftFile], folder: Path) -> None:
    """Write files to a new folder, with the permissions that the umask allows."""
    folder.mkdir(parents=True)
    for path, file in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(target, flags, 0o777 if file.is_executable else 0o666)
        with os.fdopen(handle, "wb") as opened:
            opened.write(file.data)


def verify(folder: Path, tree: str) -> None:
    """Raise an error if a written version doesn't have its tree hash."""
    if not _is_intact(folder, tree):
        raise ToolError(
            f"the files written to {folder.parent} differ from those in git",
            hint="the file system must preserve names, case and executable bits",
        )


def make_read_only(folder: Path) -> None:
    for path in _paths(folder):
        path.chmod(path.stat().st_mode & ~_WRITE & 0o7777)


def make_writable(folder: Path) -> None:
    """Allow the owner to write in a folder again."""
    for path in _paths(folder):
        path.chmod(path.stat().st_mode | 0o200)


def _paths(folder: Path) -> Iterator[Path]:
    for top, _folders, files in os.walk(folder):
        yield from (Path(top), *(Path(top, name) for name in files))


def remove(path: Path) -> None:
    """Remove a file or a folder, also a read-only one, if it exists."""
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


def write_error(folder: Path, err: OSError) -> ToolError:
    return ToolError(
        f"cannot write {err.filename or folder}: {err.strerror}",
        hint="fix this and run the command again; nothing was left half-written",
    )
