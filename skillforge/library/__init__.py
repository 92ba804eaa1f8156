"""Find a library, and read its skills in the checkout or at any revision."""

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from skillforge import gitrepo
from skillforge.errors import ConfigError, RequestError, ToolError
from skillforge.gitrepo import GitRepo, TreeFile
from skillforge.gitrepo.object_reader import Object
from skillforge.library import skill_trees
from skillforge.library.atomic_file import replace_file
from skillforge.library.skill_folder import read_folder
from skillforge.library.skill_names import alike, no_such_skill
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    SKILL_FILE,
    Document,
    File,
    FileKind,
    Layout,
    Skill,
)

if TYPE_CHECKING:
    from skillforge.model import DraftFile
    from skillforge.policy import Policy

__all__ = [
    "Library",
    "Listing",
    "alike",
    "no_such_skill",
    "read_folder",
    "replace_file",
]

Listing: TypeAlias = dict[str, list[TreeFile]]
_MAX_FOLDERS = 1000  # to list one by one; for more skills, all are listed
_GIT_KINDS = {
    "100644": FileKind.FILE,
    "100755": FileKind.EXECUTABLE,
    "120000": FileKind.SYMLINK,
    "160000": FileKind.SUBMODULE,
}


class Library:
    """A folder of skills, usually the root of a git repository; it may be bare."""

    def __init__(self, root: Path, main_ref: str = "") -> None:
        self.root = root
        self.main_ref = main_ref  # where main is read first, before its branch

    def with_main(self, ref: str) -> "Library":
        """The same library, with main read from a ref if that exists."""
        other = copy(self)
        other.main_ref = ref
        return other

    @classmethod
    def find(cls, start: Path) -> "Library | None":
        """The library at or above `start`, if there is one."""
        start = Path(os.path.abspath(start))
        if not start.exists():
            raise RequestError(
                f"no such folder: {start}",
                hint="check --library and $SKILLFORGE_LIBRARY",
            )
        root = gitrepo.find_root(start)
        return cls(root) if root else cls._without_git(start)

    @classmethod
    def _without_git(cls, start: Path) -> "Library | None":
        from skillforge.policy import POLICY_FILE

        is_library = (start / "skills").is_dir() or (start / POLICY_FILE).is_file()
        return cls(start) if is_library else None

    @classmethod
    def open(cls, start: Path) -> "Library":
        if library := cls.find(start):
            return library
        raise RequestError(
            f"{start} is not in a skill library",
            hint="create one with `skillforge init`, or name one with --library PATH",
        )

    @cached_property
    def repo(self) -> GitRepo | None:
        """The repository; None for a library outside git."""
        return GitRepo(self.root) if gitrepo.find_root(self.root) == self.root else None

    def repository(self) -> GitRepo:
        if self.repo is None:
            raise RequestError(f"{self.root} is not a git repository", hint="git init")
        return self.repo

    @cached_property
    def layout(self) -> Layout:
        """Where the skills are, by the policy of main: no draft can change it.

        Before main's first commit, the checkout's policy counts.
        """
        from skillforge.policy import POLICY_FILE, read_layout

        tip = self.tip if self.repo else ""
        return read_layout(self.read_file(POLICY_FILE, tip or None))

    @cached_property
    def checkout_layout(self) -> Layout:
        """Where the skills of the checkout are, by its own policy."""
        from skillforge.policy import POLICY_FILE, read_layout

        return read_layout(self.read_file(POLICY_FILE))

    def as_in_checkout(self) -> "Library":
        """The same library, with its skills where the checkout's own policy says."""
        other = copy(self)
        other.layout = self.checkout_layout
        return other

    def path_of(self, name: str) -> str:
        """The folder of a skill, relative to the library."""
        return self.layout.path_of(name)

    @cached_property
    def main(self) -> str:
        """The branch that promotion moves."""
        from skillforge import default_branch

        return default_branch.find(self.repository())

    @property
    def is_elsewhere(self) -> bool:
        """Whether main is a branch of a remote repository."""
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
        """A file at the top of the library; empty if there is none."""
        if revision is None:
            path = self.root / name
            if not os.path.lexists(path):
                return b""
            try:
                return path.read_bytes()
            except OSError as err:
                raise ConfigError(
                    f"{name} cannot be read: {err.strerror}",
                    hint="no check runs without it",
                ) from err
        blob = self.repository().find(f"{revision}:{name}")
        if blob is not None and blob.kind != "blob":
            raise ConfigError(f"{name} is a folder", hint="remove it")
        return blob.data if blob else b""

    def folders(self) -> dict[str, os.DirEntry[str]]:
        """The folders and links of the checkout that are skills, by name."""
        layout = self.checkout_layout
        try:
            found = skill_trees.folders_in(self.root, layout)
        except OSError as err:
            raise ToolError(f"cannot read {err.filename}: {err.strerror}") from err
        if not found and not any((self.root / top).is_dir() for top in layout.roots):
            raise RequestError(
                f"{self.root} has no folder {' or '.join(layout.roots)}/",
                hint="`skillforge init` creates a library here"
                if layout.is_default
                else "correct `skills:` in skillforge.yaml",
            )
        return found

    def folder_of(self, name: str) -> Path:
        """The folder of a skill that the user named."""
        layout = self.checkout_layout
        path = layout.path_of(name.removesuffix("/"))
        is_plain = {"", ".", ".."}.isdisjoint(name.removesuffix("/").split("/"))
        if is_plain and layout.name_of(path) and os.path.lexists(self.root / path):
            return self.root / path
        if self.repo is not None and self.repo.is_bare:
            raise RequestError(
                f"{self.root} is a bare repository without a checkout",
                hint="pass the path of a folder, or send a batch on standard input",
            )
        known = list(self.folders())
        if not (found := alike(name, known)):
            raise no_such_skill(name, known, "the library")
        return self.root / layout.path_of(found)

    def full_name(self, name: str, beside: str = "") -> str:
        """The name of a skill that the user named by its path or its folder.

        `beside` is its path if the name is a path from the current folder.
        The name itself if main has no such skill: it may be archived or removed.
        """
        if self.layout.is_default and "/" not in name:
            return name
        plain = posixpath.normpath(name).removesuffix(f"/{SKILL_FILE}")
        known = self.skill_trees(self.tip)
        near = self.layout.name_of(beside)
        if near in known and name not in known:
            return near
        return alike(self.layout.name_of(plain) or plain, known) or name

    def skill_trees(self, commit: str) -> dict[str, str]:
        """The skill folders at a commit, by name, as hashes of their git trees.

        Files, links and submodules in place of a skill are not included.
        """
        return skill_trees.trees_at(self.repository(), commit, self.layout)

    def skill_tree(self, commit: str, name: str) -> str:
        """The hash of a skill's git tree at a commit; empty if it is not there."""
        is_name = self.layout.has_name(name)
        path = f"{commit}:{self.path_of(name)}"
        return self.repository().name_of(path) if is_name else ""

    def archived_tree(self, commit: str, name: str) -> str:
        """The hash of an archived skill's tree; empty if it is not in the archive.

        The folder may be there for the archived skills that were inside it.
        """
        folder = f"{commit}:{ARCHIVE}/{name}"
        tree, file = self.repository().names_of([folder, f"{folder}/{SKILL_FILE}"])
        return tree if file or self.layout.is_single else ""

    def find_file(
        self, commit: str, name: str, inside: str = SKILL_FILE
    ) -> Object | None:
        """A file of a skill at a commit, by default its SKILL.md."""
        return self.repository().find(f"{commit}:{self.path_of(name)}/{inside}")

    def versions(self, commits: Iterable[str], name: str) -> list[str]:
        """The hashes of a skill's git tree at some commits; empty where it is not."""
        path = self.path_of(name)
        return self.repository().names_of([f"{commit}:{path}" for commit in commits])

    def skills_state(self, commit: str) -> str:
        """The hash of a tree with all skills of a commit: a key for caches."""
        top = ":skills" if self.layout.is_default else "^{tree}"
        return self.repository().name_of(f"{commit}{top}")

    def changed_skills(self, now: str, before: str) -> tuple[set[str], set[str]]:
        """The skills that two states have differently, and those that are gone."""
        repo = self.repository()
        if self.layout.is_default:
            return repo.trees.changed_names(now, before)
        new, old = self.skill_trees(now), self.skill_trees(before) if before else {}
        changed = {name for name, tree in new.items() if old.get(name) != tree}
        return changed, old.keys() - new.keys()

    def changed_since(self, base: str, head: str) -> list[str]:
        """Skills at `head` that differ from where it branched off `base`."""
        from skillforge.gitrepo.diff import changed_paths

        repo = self.repository()
        paths = changed_paths(
            repo, repo.merge_base(base, head), head, *self.layout.roots
        )
        names = {name for path in paths for name in self._names_at(path)}
        return sorted(self.listing(head, names)) if names else []

    def _names_at(self, path: str) -> list[str]:
        """The skills that a path is in, or that it is itself: a link, for example."""
        own = self.layout.name_of(path)
        return [*self.layout.names_around(path), *([own] if own else [])]

    def listing(self, commit: str, names: Iterable[str] | None = None) -> Listing:
        """The files of skills at a commit, of all skills or of those named."""
        chosen = None if names is None else set(names)
        folders = self.layout.roots
        if chosen is not None and len(chosen) <= _MAX_FOLDERS:
            folders = [self.path_of(name) for name in sorted(chosen)]
        files = self.repository().files(commit, *folders) if folders else ()
        return skill_trees.group(files, self.layout, chosen)

    def read_listed(self, listing: Listing) -> Iterator[Skill]:
        """Skills read from git's objects; no checkout is needed."""
        from skillforge.document import MAX_BYTES, parse, too_large

        repo = self.repository()
        found = {name: self._skill_md(name, files) for name, files in listing.items()}
        small = (f for f in found.values() if f and f.size <= MAX_BYTES)
        contents = repo.blobs(f.object for f in small)
        for name, files in listing.items():
            skill_md = found[name]
            document = None
            if skill_md is not None:
                fits = skill_md.size <= MAX_BYTES
                document = parse(next(contents)) if fits else too_large(skill_md.size)
            skill = _from_objects(repo, name, self.path_of(name), files, document)
            nested = self.layout.nested(skill.path, skill.files)
            yield replace(skill, nested=nested) if nested else skill

    def _skill_md(self, name: str, files: list[TreeFile]) -> TreeFile | None:
        path = f"{self.path_of(name)}/{SKILL_FILE}"
        are_files = (f for f in files if f.path == path and f.mode != "160000")
        return next(are_files, None)

    def read_at(
        self, commit: str, names: Iterable[str] | None = None
    ) -> Iterator[Skill]:
        """Skills at a commit, all or those named."""
        return self.read_listed(self.listing(commit, names))

    def evidence_at(self, commit: str, name: str) -> dict[str, bytes]:
        """The example files of a skill at a commit, by id."""
        repo = self.repository()
        entries = repo.tree(f"{commit}:{EVIDENCE}/{name}")
        chosen = {n: e.object for n, e in entries.items() if n.endswith(".json")}
        objects = repo.find_all(list(chosen.values()))
        return {
            file.removesuffix(".json"): blob.data
            for file, blob in zip(chosen, objects, strict=True)
            if blob is not None
        }

    def files_at(
        self, commit: str, name: str, *, of_others: bool = False
    ) -> "dict[str, DraftFile]":
        """A skill's own files at a commit; none if the skill is not there.

        Or those of other skills inside it.
        """
        from skillforge.model import DraftFile

        repo = self.repository()
        entries = repo.files_in(f"{commit}:{self.path_of(name)}")
        own = self.layout.own_files(name, entries)
        entries = {p: e for p, e in entries.items() if (p in own) != of_others}
        objects = repo.find_all([entry.object for entry in entries.values()])
        return {
            path: DraftFile(blob.data, entry.mode == "100755")
            for (path, entry), blob in zip(entries.items(), objects, strict=True)
            if blob is not None
        }

    def skill_at(self, commit: str, name: str) -> Skill | None:
        """One skill at a commit, if it is there."""
        return self.read_one(self.listing(commit, [name]), name)

    def read_one(self, listing: Listing, name: str) -> Skill | None:
        """One skill of a listing, if it is there."""
        listed = {name: listing[name]} if name in listing else {}
        return next(self.read_listed(listed), None)


def _from_objects(
    repo: GitRepo,
    name: str,
    path: str,
    files: list[TreeFile],
    document: Document | None,
) -> Skill:
    objects = {file.path[len(path) + 1 :] or ".": file for file in files}
    names = {inside: file.object for inside, file in objects.items()}
    kinds = {
        p: File(_GIT_KINDS.get(f.mode, FileKind.OTHER), f.size)
        for p, f in objects.items()
    }
    return Skill(name, path, kinds, document, partial(_read_object, repo, names))


def _read_object(repo: GitRepo, names: Mapping[str, str], inside: str) -> bytes:
    blob = repo.find(names[inside])
    assert blob is not None
    return blob.data
