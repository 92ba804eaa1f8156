"""`skills-lock.json`: what was installed, from where, and what its bytes are.

The shape is that of `npx skills`, with what it takes to prove and to repeat an
installation. Entries of other tools stay as they are.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from skillforge.checks.path_policy import is_name, refusal
from skillforge.errors import ConfigError, unwritable
from skillforge.share.folder_handle import FolderHandle
from skillforge.share.install_source import InstallSource, SourceKind
from skillforge.share.package_digest import (
    Files,
    Package,
    computed_hash,
    file_digests,
    tree_name,
)

NAME = "skills-lock.json"
DEFAULT = ".agents/skills"  # where skills are, if an entry says nothing else
_VERSION = 1
_MOST = 64 << 20
_HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LockedSkill:
    """One installed skill, to the byte."""

    name: str
    source: InstallSource
    tree: str
    digest: str
    files: Mapping[str, str]  # path to digest
    executable: tuple[str, ...] = ()
    commit: str = ""
    skill_path: str = ""
    computed: str = ""
    folder: str = DEFAULT  # that holds it, seen from the lock

    @classmethod
    def of(cls, package: Package, source: InstallSource, folder: str) -> "LockedSkill":
        files = package.files
        return cls(
            package.name,
            source,
            tree_name(files),
            package.digest,
            file_digests(files),
            tuple(sorted(path for path, it in files.items() if it.is_executable)),
            package.commit,
            package.path,
            computed_hash(files),
            folder,
        )

    def holds(self, files: Files) -> bool:
        """Whether some files are what was installed, to the byte and the mode."""
        return tree_name(files) == self.tree and file_digests(files) == self.files

    @property
    def pinned(self) -> InstallSource:
        """The source at the commit that was installed."""
        return InstallSource(
            self.source.kind, self.source.where, self.commit, self.name
        )

    @property
    def data(self) -> dict[str, Any]:
        """As the lock writes it; what is empty is left out."""
        source = self.source
        entry = {
            "source": source.where,
            "sourceType": str(source.kind),
            "sourceUrl": source.where if source.kind is SourceKind.GIT else "",
            "ref": source.tag,
            "skillPath": self.skill_path,
            "computedHash": self.computed,
            "commit": self.commit,
            "tree": self.tree,
            "digest": self.digest,
            "path": "" if self.folder == DEFAULT else self.folder,
            "files": dict(sorted(self.files.items())),
            "executable": list(self.executable),
        }
        return {key: value for key, value in entry.items() if value}


@dataclass(frozen=True, slots=True)
class Lockfile:
    """A lock as it was read; `others` are entries that another tool wrote."""

    path: Path
    entries: Mapping[str, LockedSkill] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)


def read(path: Path) -> Lockfile:
    """The lock in a file; an empty one if there is none."""
    try:
        if not os.path.lexists(path):
            return Lockfile(path)
        if path.stat().st_size > _MOST:
            raise ValueError("it is too large")
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as err:
        raise _odd(path, f"it cannot be read: {err}") from err
    skills = said.get("skills") if isinstance(said, dict) else None
    if not isinstance(skills, dict) or said.get("version") != _VERSION:
        raise _odd(path, f"it is not a lock of version {_VERSION}")
    ours = entries(path, {name: it for name, it in skills.items() if _is_ours(it)})
    others = {name: it for name, it in skills.items() if name not in ours}
    rest = {key: it for key, it in said.items() if key not in ("version", "skills")}
    return Lockfile(path, ours, others, rest)


def entries(path: Path, said: Mapping[str, Any]) -> dict[str, LockedSkill]:
    """Entries of ours as a lock writes them."""
    return {name: _locked(path, name, entry) for name, entry in said.items()}


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, dict) and "tree" in entry and "digest" in entry


def _locked(path: Path, name: str, entry: dict[str, Any]) -> LockedSkill:
    """An entry of ours; closed on doubt, for anybody may have written it."""
    texts = ("source", "ref", "skillPath", "computedHash", "commit", "tree", "digest")
    said = {key: entry.get(key) or "" for key in (*texts, "sourceType", "path")}
    files: Any = entry.get("files")
    executable = entry.get("executable") or []
    is_sound = (
        all(isinstance(it, str) and it.isprintable() for it in said.values())
        and isinstance(files, dict)
        and isinstance(executable, list)
        and is_name(name)
        and said["sourceType"] in list(SourceKind)
        and _HEX.fullmatch(said["tree"])
        and _DIGEST.fullmatch(said["digest"])
        and (not said["commit"] or _HEX.fullmatch(said["commit"]))
        and all(_is_file(it, sha) for it, sha in files.items())
        and all(it in files for it in executable)
        and _is_inside(said["path"])
    )
    if not is_sound:
        raise _odd(path, f"the entry of {name[:100]!r} makes no sense")
    source = InstallSource(
        SourceKind(said["sourceType"]), said["source"], said["ref"], name
    )
    return LockedSkill(
        name,
        source,
        said["tree"],
        said["digest"],
        files,
        tuple(executable),
        said["commit"],
        said["skillPath"],
        said["computedHash"],
        said["path"] or DEFAULT,
    )


def _is_file(path: Any, sha: Any) -> bool:
    is_text = isinstance(path, str) and isinstance(sha, str)
    return is_text and not refusal(path) and bool(_DIGEST.fullmatch(sha))


def _is_inside(folder: str) -> bool:
    """Whether a folder is one below the lock's own: a lock may come from anybody."""
    path = PurePosixPath(folder)
    return not path.is_absolute() and ".." not in path.parts


def write(lock: Lockfile, fresh: Mapping[str, LockedSkill]) -> None:
    """Put entries into a lock; the same entries give the same bytes."""
    known = {name: entry.data for name, entry in {**lock.entries, **fresh}.items()}
    skills = dict(sorted({**lock.others, **known}.items()))
    said = {"version": _VERSION, "skills": skills, **lock.rest}
    text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    data = text.encode("utf-8", "surrogatepass")
    if lock.path.is_file() and lock.path.read_bytes() == data:
        return
    try:
        with FolderHandle.open(lock.path.parent) as folder:
            folder.replace_file(lock.path.name, data)
    except OSError as err:
        raise unwritable(lock.path, err) from err


def _odd(path: Path, why: str) -> ConfigError:
    return ConfigError(
        f"{path} cannot be used: {why}",
        hint=f"git log {path.name} may have a better one; nothing was changed",
    )
