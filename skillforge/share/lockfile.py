"""`skills-lock.json`: the installed skills, their sources and their digests.

It extends the format of `npx skills` with the keys that verify and repeat an
installation. Entries of other tools are kept.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from skillforge.checks.path_policy import is_name, unsafe
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
DEFAULT = ".agents/skills"  # the folder of an entry that names none
_VERSION = 1
_MOST = 64 << 20
_HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LockedSkill:
    """An installed skill."""

    name: str
    source: InstallSource
    tree: str
    digest: str
    files: Mapping[str, str]  # path to digest
    executable: tuple[str, ...] = ()
    commit: str = ""
    skill_path: str = ""
    computed: str = ""
    folder: str = DEFAULT  # relative to the lock

    @classmethod
    def of(cls, package: Package, source: InstallSource, folder: str) -> "LockedSkill":
        files = package.files
        return cls(
            package.name,
            source,
            tree_name(files),
            package.digest,
            file_digests(files),
            tuple(sorted(path for path in files if files[path].is_executable)),
            package.commit,
            package.path,
            computed_hash(files),
            folder,
        )

    def holds(self, files: Files) -> bool:
        """Whether files have exactly the locked bytes and modes."""
        return tree_name(files) == self.tree and file_digests(files) == self.files

    @property
    def pinned(self) -> InstallSource:
        """The source at the commit that was installed."""
        return InstallSource(
            self.source.kind, self.source.where, self.commit, self.name
        )

    @property
    def data(self) -> dict[str, Any]:
        """The entry of the lock; empty values are omitted."""
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
    """A lock; `others` are entries that another tool wrote."""

    path: Path
    entries: Mapping[str, LockedSkill] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)


def read(path: Path) -> Lockfile:
    """The lock in a file; an empty one if the file doesn't exist."""
    try:
        if not os.path.lexists(path):
            return Lockfile(path)
        if path.stat().st_size > _MOST:
            raise ValueError("it is too large")
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as err:
        raise _invalid(path, str(err)) from err
    skills = data.get("skills") if isinstance(data, dict) else None
    if not isinstance(skills, dict) or data.get("version") != _VERSION:
        raise _invalid(path, f"it is not a lock of version {_VERSION}")
    ours = entries(path, {name: e for name, e in skills.items() if _is_ours(e)})
    others = {name: entry for name, entry in skills.items() if name not in ours}
    rest = {key: data[key] for key in data if key not in ("version", "skills")}
    return Lockfile(path, ours, others, rest)


def entries(path: Path, data: Mapping[str, Any]) -> dict[str, LockedSkill]:
    """Parse the entries that Skillforge wrote to a lock."""
    return {name: _locked(path, name, entry) for name, entry in data.items()}


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, dict) and "tree" in entry and "digest" in entry


def _locked(lock: Path, name: str, entry: dict[str, Any]) -> LockedSkill:
    """A validated entry: the author of a lock is untrusted."""
    keys = ("source", "ref", "skillPath", "computedHash", "commit", "tree", "digest")
    values = {key: entry.get(key) or "" for key in (*keys, "sourceType", "path")}
    files: Any = entry.get("files")
    executable = entry.get("executable") or []
    is_valid = (
        all(isinstance(v, str) and v.isprintable() for v in values.values())
        and isinstance(files, dict)
        and isinstance(executable, list)
        and is_name(name)
        and values["sourceType"] in list(SourceKind)
        and _HEX.fullmatch(values["tree"])
        and _DIGEST.fullmatch(values["digest"])
        and (not values["commit"] or _HEX.fullmatch(values["commit"]))
        and all(_is_file(path, digest) for path, digest in files.items())
        and all(path in files for path in executable)
        and _is_inside(values["path"])
    )
    if not is_valid:
        raise _invalid(lock, f"the entry of {name[:100]!r} is invalid")
    source = InstallSource(
        SourceKind(values["sourceType"]), values["source"], values["ref"], name
    )
    return LockedSkill(
        name,
        source,
        values["tree"],
        values["digest"],
        files,
        tuple(executable),
        values["commit"],
        values["skillPath"],
        values["computedHash"],
        values["path"] or DEFAULT,
    )


def _is_file(path: Any, digest: Any) -> bool:
    is_text = isinstance(path, str) and isinstance(digest, str)
    return is_text and not unsafe(path) and bool(_DIGEST.fullmatch(digest))


def _is_inside(folder: str) -> bool:
    """Whether a folder is below that of the lock."""
    path = PurePosixPath(folder)
    return not path.is_absolute() and ".." not in path.parts


def write(lock: Lockfile, fresh: Mapping[str, LockedSkill]) -> None:
    """Add entries to a lock; the same entries give the same bytes."""
    known = {name: entry.data for name, entry in {**lock.entries, **fresh}.items()}
    skills = dict(sorted({**lock.others, **known}.items()))
    content = {"version": _VERSION, "skills": skills, **lock.rest}
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    data = text.encode("utf-8", "surrogatepass")
    if lock.path.is_file() and lock.path.read_bytes() == data:
        return
    try:
        with FolderHandle.open(lock.path.parent) as folder:
            folder.replace_file(lock.path.name, data)
    except OSError as err:
        raise unwritable(lock.path, err) from err


def _invalid(path: Path, problem: str) -> ConfigError:
    return ConfigError(
        f"{path} cannot be used: {problem}",
        hint=f"nothing was changed; git log {path.name} lists earlier versions",
    )
