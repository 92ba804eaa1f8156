"""Fetch the skills of a hub, an archive, a git repository or a folder."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from skillforge.checks.path_policy import is_name
from skillforge.document import parse
from skillforge.errors import RefusedError, RequestError
from skillforge.gitrepo import GitRepo, TreeFile
from skillforge.library import read_folder, skill_discovery
from skillforge.model import SKILL_FILE, DraftFile, FileKind, layout
from skillforge.share import download, hub_client
from skillforge.share.archive_reader import (
    MOST_BYTES,
    MOST_FILES,
    ArchiveMember,
    gathered,
    unpacked,
)
from skillforge.share.install_source import (
    InstallSource,
    SourceKind,
    is_loopback,
    is_url,
)
from skillforge.share.package_digest import Package, contents_digest, digest

MOST_TOGETHER = 300 << 20  # bytes of all skills of one installation
_DEEPEST = 6  # folders above a SKILL.md
_FILE_MODES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Select:
    """The names to fetch of all names, and the paths of SKILL.md that some had."""

    choose: Callable[[list[str]], Set[str]]
    paths: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, known: list[str]) -> Set[str]:
        return self.choose(known)


def packages(source: InstallSource, names: Collection[str] = ()) -> Iterator[Package]:
    """The named skills of a source; by default the one that it names, or all."""
    requested = set(names) or {source.skill} - {""}

    def select(known: list[str]) -> Set[str]:
        missing = sorted(requested - set(known))
        if missing or not known:
            raise _no_such_skill(source, missing, known)
        return requested or set(known)

    return _fetch(source, Select(select))


def existing_packages(
    source: InstallSource, paths: Mapping[str, str]
) -> Iterator[Package]:
    """The named skills, without those that the source no longer has.

    Each is the one whose SKILL.md has the path by which it was installed, if known: the
    source may have got another skill with a folder of its name.
    """
    return _fetch(source, Select(set(paths).intersection, paths))


def _fetch(source: InstallSource, select: Select) -> Iterator[Package]:
    """The selected skills; an error before many of them fill the disk."""
    fetch = {
        SourceKind.HUB: hub_client.packages,
        SourceKind.ARCHIVE: _from_archive,
        SourceKind.GIT: _from_git,
        SourceKind.FOLDER: _from_folder,
    }
    size = 0
    for package in fetch[source.kind](source, select):
        size += sum(len(file.data) for file in package.files.values())
        if size > MOST_TOGETHER:
            raise RefusedError(
                f"the skills of {source.where} have more than "
                f"{MOST_TOGETHER >> 20} MiB together",
                hint="nothing was installed; install fewer: SOURCE@SKILL",
            )
        yield package


def _no_such_skill(
    source: InstallSource, missing: list[str], known: list[str]
) -> RequestError:
    shown = ", ".join(known[:10])
    more = f" and {len(known) - 10:,} more" if len(known) > 10 else ""
    subject = f"no skill {missing[0]!r}" if missing else "no skills"
    return RequestError(
        f"{source.where} has {subject}",
        hint=f"its skills: {shown}{more}"
        if known
        else "a skill is a folder with a SKILL.md",
        facts={"missing": missing},
    )


def _from_archive(source: InstallSource, select: Select) -> Iterator[Package]:
    if is_url(source.where):
        data = download.get(source.where, MOST_BYTES).data
    else:
        path = Path(source.where)
        if not path.is_file():
            raise RequestError(f"{path} no longer exists", hint="nothing was installed")
        if path.stat().st_size > MOST_BYTES:
            raise RefusedError(
                f"{path} is larger than {MOST_BYTES >> 20} MiB",
                hint="nothing was installed",
            )
        data = path.read_bytes()
    files = unpacked(data)
    name = _own_name(files)
    if name in select([name]):
        yield Package(name, files, digest(data))


def _own_name(files: dict[str, DraftFile], default: str = "") -> str:
    """The name in a SKILL.md, for a skill without a folder of that name."""
    name = parse(files[SKILL_FILE].data).words("name").strip() or default
    _refuse_invalid(name)
    return name


def _refuse_invalid(name: str) -> None:
    if not is_name(name):
        raise RefusedError(
            f"{name[:100]!r} is not a valid skill name", hint="nothing was installed"
        )


def _from_git(source: InstallSource, select: Select) -> Iterator[Package]:
    from urllib.parse import urlsplit

    from skillforge.gitrepo.temporary_clone import temporary_clone

    where = source.where if source.is_remote else str(Path(source.where).resolve())
    plain = where.startswith("http://") and is_loopback(urlsplit(where).hostname)
    with temporary_clone(where, source.tag, plain_http=plain) as (repo, commit):
        files = list(repo.files(commit))
        paths = [file.path for file in files]
        load = partial(_blobs, repo, files)
        yield from _from_folders(paths, select, load, Path(where).stem, commit)


def _from_folder(source: InstallSource, select: Select) -> Iterator[Package]:
    folder = Path(source.where).resolve()
    paths = sorted(_skill_files(folder))
    yield from _from_folders(
        paths, select, lambda top: _folder_files(folder / top), folder.name
    )


def _skill_files(folder: Path) -> Iterator[str]:
    """The SKILL.md files that are not too far down in a folder."""
    for top, inner, files in os.walk(folder):
        place = Path(top).relative_to(folder)
        if len(place.parts) == _DEEPEST:
            inner.clear()
        if SKILL_FILE in files:
            yield (place / SKILL_FILE).as_posix()


def _from_folders(
    paths: list[str],
    select: Select,
    load: Callable[[str], dict[str, DraftFile]],
    default_name: str,
    commit: str = "",
) -> Iterator[Package]:
    """The selected skills; `load` returns the files below a folder."""
    found = skill_discovery.of_paths(paths)
    if SKILL_FILE in paths and not any(f.startswith("skills/") for f in found.skills):
        files = load("")
        name = _own_name(files, default_name)
        if name in select([name]):
            yield Package(name, files, contents_digest(files), SKILL_FILE, commit)
        return
    known = _by_name(found)
    before = {name: path.rpartition("/")[0] for name, path in select.paths.items()}
    known |= {n: folder for n, folder in before.items() if folder in known.values()}
    for name in sorted(select(sorted(known))):
        files = load(known[name])
        _refuse_invalid(name)
        path = f"{known[name]}/{SKILL_FILE}"
        yield Package(name, files, contents_digest(files), path, commit)


def _by_name(found: skill_discovery.Discovery) -> dict[str, str]:
    """The folders of skills by name; copies in an agent's own folder don't count."""
    folders, places = found.skills, layout.Layout(found.globs)
    shown = {f.rpartition("/")[2] for f in folders if not _is_hidden(f)}
    chosen = [
        f for f in folders if not _is_hidden(f) or f.rpartition("/")[2] not in shown
    ]
    names = layout.folder_names(map(places.name_of, chosen))
    return {names[places.name_of(folder)]: folder for folder in chosen}


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".")


def _blobs(repo: GitRepo, listed: list[TreeFile], folder: str) -> dict[str, DraftFile]:
    """The files below a folder of a commit; links and submodules are an error."""
    prefix = f"{folder}/" if folder else ""
    files = [file for file in listed if file.path.startswith(prefix)]
    for file in files:
        if file.mode not in _FILE_MODES:
            raise RefusedError(
                f"{file.path} is a link or a submodule, not a file",
                hint="nothing was installed",
            )
    if sum(file.size for file in files) > MOST_BYTES or len(files) > MOST_FILES:
        raise _too_large(folder or "the repository")
    with closing(repo.blobs(file.object for file in files)) as blobs:
        return gathered(
            ArchiveMember(file.path.removeprefix(prefix), data, file.mode == "100755")
            for file, data in zip(files, blobs, strict=True)
        )


def _folder_files(folder: Path) -> dict[str, DraftFile]:
    """The files of a skill's folder; anything but a regular file is an error."""
    skill = read_folder(str(folder), folder.name, str(folder), alone=True)
    if SKILL_FILE not in skill.files:
        reason = skill.document.problems[0].message if skill.document else "no SKILL.md"
        raise RefusedError(
            f"{folder} cannot be read: {reason}", hint="nothing was installed"
        )
    for path, file in skill.files.items():
        if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
            raise RefusedError(
                f"{folder}/{path} is not a regular file ({file.kind})",
                hint="replace it with a copy of the file",
            )
    size = sum(file.size for file in skill.files.values())
    if size > MOST_BYTES or len(skill.files) > MOST_FILES:
        raise _too_large(str(folder))
    return gathered(
        ArchiveMember(path, skill.read(path), file.kind is FileKind.EXECUTABLE)
        for path, file in sorted(skill.files.items())
    )


def _too_large(folder: str) -> RefusedError:
    return RefusedError(
        f"{folder} is larger than the limit for a skill ({MOST_FILES:,} files, "
        f"{MOST_BYTES >> 20} MiB)",
        hint="nothing was installed",
    )
