"""Find and read skills, in the checkout or at any revision."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from skillforge import gitrepo
from skillforge.errors import ConfigError, RequestError, ToolError
from skillforge.gitrepo import GitRepo, TreeFile
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
    SKILLS,
    Document,
    File,
    FileKind,
    Skill,
)

if TYPE_CHECKING:
    from skillforge.model import DraftFile
    from skillforge.policy import Policy

Listing: TypeAlias = dict[str, list[TreeFile]]
_FEW_NAMES = 1000  # that fit on a command line; beyond, all are listed
_SUBMODULE = File(FileKind.SUBMODULE, 0)
_GIT_KINDS = {
    "100644": FileKind.FILE,
    "100755": FileKind.EXECUTABLE,
    "120000": FileKind.SYMLINK,
    "160000": FileKind.SUBMODULE,
}


class Library:
    """A folder with `skills/`: as a rule the root of a git repository, maybe bare."""

    def __init__(self, root: Path, main_ref: str = "") -> None:
        self.root = root
        self.main_ref = main_ref  # that main is read from first; else from its branch

    def with_main(self, ref: str) -> "Library":
        """The same library, with main read from a ref as far as that exists."""
        other = copy(self)
        other.main_ref = ref
        return other

    @classmethod
    def find(cls, start: Path) -> "Library | None":
        """The library at or above `start`, if there is one."""
        start = Path(os.path.abspath(start))
        if not start.exists():
            raise RequestError(
                f"there is no folder {start}",
                hint="check --library and $SKILLFORGE_LIBRARY",
            )
        root = gitrepo.find_root(start)
        return cls(root) if root else cls._without_git(start)

    @classmethod
    def _without_git(cls, start: Path) -> "Library | None":
        from skillforge.policy import POLICY_FILE

        is_one = (start / SKILLS).is_dir() or (start / POLICY_FILE).is_file()
        return cls(start) if is_one else None

    @classmethod
    def open(cls, start: Path) -> "Library":
        if library := cls.find(start):
            return library
        raise RequestError(
            f"{start} is not in a skill library",
            hint="`skillforge init` makes one here; or name one with --library PATH",
        )

    @cached_property
    def repo(self) -> GitRepo | None:
        """The repository; None for a library that is not under git."""
        return GitRepo(self.root) if gitrepo.find_root(self.root) == self.root else None

    def repository(self) -> GitRepo:
        if self.repo is None:
            raise RequestError(f"{self.root} is not a git repository", hint="git init")
        return self.repo

    @property
    def skills_dir(self) -> Path:
        return self.root / SKILLS

    @cached_property
    def main(self) -> str:
        """The branch that promotion moves."""
        from skillforge import default_branch

        return default_branch.find(self.repository())

    @property
    def is_elsewhere(self) -> bool:
        """Whether main is another repository's; the branch here is a copy of it."""
        return self.main_ref.startswith("refs/remotes/")

    @property
    def tip(self) -> str:
        """The commit that main is at now."""
        repo, name = self.repository(), self.main
        own = (self.main_ref,) if self.main_ref else ()
        refs = (*own, f"refs/heads/{name}", f"refs/remotes/origin/{name}")
        return next(filter(None, map(repo.ref, refs)), "")

    def policy(self, revision: str | None = None) -> "Policy":
        """The policy in the checkout, or at a commit."""
        from skillforge.policy import POLICY_FILE, read_policy

        return read_policy(self.read_file(POLICY_FILE, revision))

    def read_file(self, name: str, revision: str | None = None) -> bytes:
        """A file at the top of the library; empty where there is none."""
        if revision is None:
            path = self.root / name
            if not os.path.lexists(path):
                return b""
            try:
                return path.read_bytes()
            except OSError as err:
                raise ConfigError(
                    f"{name} cannot be read: {err.strerror}",
                    hint="closed on doubt: without it nothing is judged",
                ) from err
        found = self.repository().find(f"{revision}:{name}")
        if found is not None and found.kind != "blob":
            raise ConfigError(f"{name} is a folder", hint="remove it")
        return found.data if found else b""

    def folders(self) -> list[os.DirEntry[str]]:
        """The skills in the checkout: every folder under `skills/`, and links too."""
        try:
            with os.scandir(self.skills_dir) as entries:
                found = [e for e in entries if not e.is_file(follow_symlinks=False)]
        except FileNotFoundError:
            raise RequestError(
                f"{self.root} has no folder {SKILLS}/",
                hint="`skillforge init` makes a library here",
            ) from None
        except OSError as err:
            raise ToolError(f"cannot read {self.skills_dir}: {err.strerror}") from err
        return sorted(found, key=lambda entry: entry.name)

    def folder_of(self, name: str) -> Path:
        """The folder of a skill that the user named."""
        folder = self.skills_dir / name
        if "/" not in name and name not in ("", ".", "..") and os.path.lexists(folder):
            return folder
        if self.repo is not None and self.repo.is_bare:
            raise RequestError(
                f"{self.root} is a bare repository and has no skills in files",
                hint="give the path of a folder, or send a batch on standard input",
            )
        known = [entry.name for entry in self.folders()]
        raise no_such_skill(name, known, "the library")

    def skill_trees(self, commit: str) -> dict[str, str]:
        """The skill folders at a commit, by name, as hashes of their git trees.

        Files, links and submodules directly under `skills/` are not included.
        """
        entries = self.repository().tree(f"{commit}:{SKILLS}").items()
        return {name: entry.object for name, entry in entries if entry.is_tree}

    def changed_since(self, base: str, head: str) -> list[str]:
        """Skills that a branch changed since it left `base`; `head` still has them."""
        from skillforge.gitrepo.diff import changed_paths

        repo = self.repository()
        paths = changed_paths(repo, repo.merge_base(base, head), head, SKILLS)
        names = {path.split("/")[1] for path in paths if "/" in path}
        return sorted(self.listing(head, names)) if names else []

    def listing(self, commit: str, names: Iterable[str] | None = None) -> Listing:
        """The files of skills at a commit, all skills or those named."""
        wanted = None if names is None else set(names)
        folders = [SKILLS]
        if wanted is not None and len(wanted) <= _FEW_NAMES:
            folders = [f"{SKILLS}/{name}" for name in sorted(wanted)]
        listed: Listing = {}
        for file in self.repository().files(commit, *folders) if folders else ():
            name, _, rest = file.path[len(SKILLS) + 1 :].partition("/")
            is_entry = rest or file.mode in ("120000", "160000")
            if is_entry and (wanted is None or name in wanted):
                listed.setdefault(name, []).append(file)
        return listed

    def read_listed(self, listing: Listing) -> Iterator[Skill]:
        """Skills straight from git's objects; no checkout is needed."""
        from skillforge.document import MAX_BYTES, parse, too_large

        repo = self.repository()
        skill_mds = [f for files in listing.values() for f in files if _is_md(f)]
        contents = repo.blobs(f.object for f in skill_mds if f.size <= MAX_BYTES)
        for name, files in listing.items():
            found = next(filter(_is_md, files), None)
            document = None
            if found is not None:
                small = found.size <= MAX_BYTES
                document = parse(next(contents)) if small else too_large(found.size)
            yield _from_objects(repo, name, files, document)

    def read_at(
        self, commit: str, names: Iterable[str] | None = None
    ) -> Iterator[Skill]:
        """Skills at a commit, all of them or those named."""
        return self.read_listed(self.listing(commit, names))

    def evidence_at(self, commit: str, name: str) -> dict[str, bytes]:
        """The example files of a skill at a commit, by id."""
        repo = self.repository()
        entries = repo.tree(f"{commit}:{EVIDENCE}/{name}")
        chosen = {n: e for n, e in entries.items() if n.endswith(".json")}
        found = repo.find_all([entry.object for entry in chosen.values()])
        return {
            name.removesuffix(".json"): it.data
            for name, it in zip(chosen, found, strict=True)
            if it is not None
        }

    def files_at(self, commit: str, name: str) -> "dict[str, DraftFile]":
        """A skill's files as they are at a commit; none if it is not there."""
        from skillforge.model import DraftFile

        repo = self.repository()
        entries = repo.files_in(f"{commit}:{SKILLS}/{name}")
        found = repo.find_all([entry.object for entry in entries.values()])
        return {
            path: DraftFile(it.data, entry.mode == "100755")
            for (path, entry), it in zip(entries.items(), found, strict=True)
            if it is not None
        }

    def skill_at(self, commit: str, name: str) -> Skill | None:
        """One skill at a commit, if it is there."""
        return self.read_one(self.listing(commit, [name]), name)

    def read_one(self, listing: Listing, name: str) -> Skill | None:
        """One skill of those listed, if it is there."""
        listed = {name: listing[name]} if name in listing else {}
        return next(self.read_listed(listed), None)


def no_such_skill(
    name: str, known: Iterable[str], where: str, hint: str = ""
) -> RequestError:
    """The error for an unknown skill; it suggests the most similar of `known`."""
    from skillforge.text import nearest

    if meant := nearest(name, list(known)):
        hint = f"did you mean {meant}?"
    return RequestError(
        f"{where} has no skill {name!r}", hint=hint or "skillforge list shows all"
    )


def _is_md(file: TreeFile) -> bool:
    is_blob = file.mode != "160000"
    return (
        is_blob and file.path.count("/") == 2 and file.path.endswith(f"/{SKILL_FILE}")
    )


def _from_objects(
    repo: GitRepo, name: str, files: list[TreeFile], document: Document | None
) -> Skill:
    path = f"{SKILLS}/{name}"
    objects = {file.path[len(path) + 1 :] or ".": file for file in files}
    names = {inside: file.object for inside, file in objects.items()}
    kinds = {
        p: File(_GIT_KINDS.get(f.mode, FileKind.OTHER), f.size)
        for p, f in objects.items()
    }
    return Skill(name, path, kinds, document, partial(_read_object, repo, names))


def _read_object(repo: GitRepo, names: Mapping[str, str], inside: str) -> bytes:
    found = repo.find(names[inside])
    assert found is not None
    return found.data


def evidence_beside(folder: Path) -> dict[str, bytes]:
    """The example files of a skill in `skills/`, by id: those in `evidence/`."""
    if folder.parent.name != SKILLS:
        return {}
    beside = folder.parent.parent / EVIDENCE / folder.name
    return {
        path.stem: path.read_bytes()
        for path in sorted(beside.glob("*.json"))
        if path.is_file() and not path.is_symlink()
    }


def read_folder(folder: str, name: str, shown: str, *, alone: bool = False) -> Skill:
    """A skill from any folder on disk; links are looked at, never followed.

    A folder that stands `alone`, outside a library, may be a git repository itself.
    """
    read = _FolderReader(folder)
    try:
        files, folders = _scan(folder, alone)
        document = _read_document(read, files.get(SKILL_FILE))
    except OSError as err:
        from skillforge.document import file_unreadable, unreadable

        files, folders = {}, {}
        document = unreadable(file_unreadable.findings(err.strerror))
    return Skill(name, shown, files, document, read, folders)


def _read_document(read: "_FolderReader", skill_md: File | None) -> Document | None:
    if skill_md is None or skill_md.kind in (FileKind.OTHER, FileKind.SUBMODULE):
        return None
    from skillforge.document import (
        MAX_BYTES,
        file_unreadable,
        parse,
        too_large,
        unreadable,
    )

    if skill_md.size > MAX_BYTES:
        return too_large(skill_md.size)
    try:
        return parse(read(SKILL_FILE))
    except OSError as err:
        return unreadable(file_unreadable.findings(err.strerror))


class _FolderReader:
    """Reads files of one folder; of a symlink, its target's name."""

    __slots__ = ("top",)

    def __init__(self, top: str) -> None:
        self.top = top

    def __call__(self, inside: str) -> bytes:
        path = self.top if inside == "." else f"{self.top}/{inside}"
        try:
            # A pipe that lies there must not keep us waiting for somebody to write.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            fd = os.open(path, flags)
        except OSError:
            if os.path.islink(path):
                return os.fsencode(os.readlink(path))
            raise
        with open(fd, "rb", buffering=0) as file:
            return file.readall()


def _scan(top: str, alone: bool) -> tuple[dict[str, File], dict[str, int]]:
    """Every file below a folder, by path inside it, and when each folder changed."""
    files: dict[str, File] = {}
    folders: dict[str, int] = {}
    pending = [("", top)]
    while pending:
        prefix, directory = pending.pop()
        status = os.lstat(directory)
        if not stat.S_ISDIR(status.st_mode):
            return {".": _file(status)}, {}
        folders[prefix] = status.st_mtime_ns
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.name == ".git":  # a repository inside ours
                    if prefix or not alone:
                        files[prefix[:-1] or "."] = _SUBMODULE
                elif entry.is_dir(follow_symlinks=False):
                    pending.append((f"{prefix}{entry.name}/", entry.path))
                else:
                    status = entry.stat(follow_symlinks=False)
                    files[prefix + entry.name] = _file(status)
    return files, folders


def _file(status: os.stat_result) -> File:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        kind = FileKind.EXECUTABLE if mode & 0o111 else FileKind.FILE
    else:
        kind = FileKind.SYMLINK if stat.S_ISLNK(mode) else FileKind.OTHER
    return File(kind, status.st_size)


def replace_file(path: Path, data: bytes) -> None:
    """Put new content in a file's place, whole or not at all; its mode stays."""
    import tempfile

    temporary: Path | None = None
    try:
        mode = path.stat().st_mode if path.exists() else 0o644
        # New, and with a random name: nobody can have put a link in its place.
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        temporary.write_bytes(data)
        temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(path)
    except OSError as err:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise ToolError(f"cannot write {path}: {err.strerror}") from err
