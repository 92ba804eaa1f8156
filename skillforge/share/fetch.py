"""Skills from wherever they are: a hub, an archive, a repository, a folder."""

from collections.abc import Callable, Collection, Iterator, Set
from contextlib import closing
from pathlib import Path

from skillforge.checks.path_policy import is_name
from skillforge.document import parse
from skillforge.errors import RefusedError, RequestError
from skillforge.gitrepo import GitRepo, TreeFile
from skillforge.library import read_folder
from skillforge.model import SKILL_FILE, SKILLS, DraftFile
from skillforge.model import FileKind as FileKind
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

Wanted = Callable[[list[str]], Set[str]]  # of all names, those to bring
MOST_TOGETHER = 300 << 20  # bytes of all skills that are installed at once
_FILE_MODES = ("100644", "100755")


def packages(source: InstallSource, names: Collection[str] = ()) -> Iterator[Package]:
    """The skills of a source: those named, the one it names itself, or all."""
    asked = set(names) or {source.skill} - {""}

    def wanted(known: list[str]) -> Set[str]:
        missing = asked - set(known)
        if missing or not known:
            raise _none(source, sorted(missing), known)
        return asked or set(known)

    bring = {
        SourceKind.HUB: hub_client.packages,
        SourceKind.ARCHIVE: _of_archive,
        SourceKind.GIT: _of_git,
        SourceKind.FOLDER: _of_folder,
    }
    return _within_limits(source, bring[source.kind](source, wanted))


def _within_limits(
    source: InstallSource, found: Iterator[Package]
) -> Iterator[Package]:
    """Stop a source of many skills, each packed small, before it fills a disk."""
    size = 0
    for package in found:
        size += sum(len(file.data) for file in package.files.values())
        if size > MOST_TOGETHER:
            raise RefusedError(
                f"the skills of {source.where} have more than "
                f"{MOST_TOGETHER >> 20} MiB together",
                hint="nothing was installed; choose some: SOURCE@SKILL",
            )
        yield package


def known_only(source: InstallSource, names: Collection[str]) -> Iterator[Package]:
    """Those of some skills that a source still has."""
    try:
        yield from packages(source, names)
    except RequestError as err:
        there = set(names) - set(err.facts.get("missing") or ())  # type: ignore[call-overload]
        if "missing" not in err.facts:
            raise
        if there:
            yield from packages(source, there)


def _none(source: InstallSource, missing: list[str], known: list[str]) -> RequestError:
    shown = ", ".join(known[:10]) or "none"
    more = f" and {len(known) - 10:,} more" if len(known) > 10 else ""
    what = f"no skill {missing[0]!r}" if missing else "no skills"
    return RequestError(
        f"{source.where} has {what}",
        hint=f"it has {shown}{more}",
        facts={"missing": missing},
    )


def _of_archive(source: InstallSource, wanted: Wanted) -> Iterator[Package]:
    if is_url(source.where):
        data = download.get(source.where, MOST_BYTES).data
    else:
        path = Path(source.where)
        if not path.is_file():
            raise RequestError(
                f"there is no file {path} any more", hint="nothing was installed"
            )
        if path.stat().st_size > MOST_BYTES:
            raise RefusedError(
                f"{path} has more than {MOST_BYTES >> 20} MiB",
                hint="nothing was installed",
            )
        data = path.read_bytes()
    files = unpacked(data)
    name = _own_name(files)
    if name in wanted([name]):
        yield Package(name, files, digest(data))


def _own_name(files: dict[str, DraftFile], otherwise: str = "") -> str:
    """What a SKILL.md calls itself, where no folder tells."""
    said = parse(files[SKILL_FILE].data).words("name").strip() or otherwise
    if not is_name(said):
        raise RefusedError(
            f"{said[:100]!r} cannot be a skill's name", hint="nothing was installed"
        )
    return said


def _of_git(source: InstallSource, wanted: Wanted) -> Iterator[Package]:
    from urllib.parse import urlsplit

    from skillforge.gitrepo.temporary_clone import temporary_clone

    where = source.where
    if not source.is_remote:
        where = str(Path(where).resolve())
    plain = where.startswith("http://") and is_loopback(urlsplit(where).hostname)
    with temporary_clone(where, source.tag, plain_http=plain) as (repo, commit):
        listed = list(repo.files(commit))
        tops = _tops([file.path for file in listed])
        if tops == [""]:
            files = _blobs(repo, "", listed)
            name = _own_name(files, Path(where).stem)
            if name in wanted([name]):
                yield _found(name, files, "", commit)
            return
        known = {top.rpartition("/")[2]: top for top in tops}
        names = wanted(sorted(known))
        for name in sorted(names):
            inside = [it for it in listed if it.path.startswith(f"{known[name]}/")]
            files = _blobs(repo, f"{known[name]}/", inside)
            yield _found(name, files, known[name], commit)


def _tops(paths: list[str]) -> list[str]:
    """The folders of skills: under `skills/`, else the top itself, else right below."""
    folders = [
        path.removesuffix(SKILL_FILE).rstrip("/") for path in paths if _is_md(path)
    ]
    return (
        [it for it in folders if it.startswith(f"{SKILLS}/") and it.count("/") == 1]
        or [it for it in folders if not it]
        or [it for it in folders if "/" not in it and not it.startswith(".")]
    )


def _is_md(path: str) -> bool:
    return path.rpartition("/")[2] == SKILL_FILE


def _blobs(repo: GitRepo, top: str, listed: list[TreeFile]) -> dict[str, DraftFile]:
    """Files of a commit; links and submodules are none."""
    for file in listed:
        if file.mode not in _FILE_MODES:
            raise RefusedError(
                f"{file.path} is a link or another repository, not a file",
                hint="nothing was installed",
            )
    if sum(it.size for it in listed) > MOST_BYTES or len(listed) > MOST_FILES:
        raise RefusedError(
            f"{top or 'the repository'} is larger than a skill may be "
            f"({MOST_FILES:,} files, {MOST_BYTES >> 20} MiB)",
            hint="nothing was installed",
        )
    with closing(repo.blobs(it.object for it in listed)) as blobs:
        return gathered(
            ArchiveMember(it.path.removeprefix(top), data, it.mode == "100755")
            for it, data in zip(listed, blobs, strict=True)
        )


def _found(name: str, files: dict[str, DraftFile], top: str, commit: str) -> Package:
    if not is_name(name):
        raise RefusedError(
            f"{name[:100]!r} cannot be a skill's name", hint="nothing was installed"
        )
    path = f"{top}/{SKILL_FILE}".lstrip("/")
    return Package(name, files, contents_digest(files), path, commit)


def _of_folder(source: InstallSource, wanted: Wanted) -> Iterator[Package]:
    folder = Path(source.where).resolve()
    paths = [
        path.relative_to(folder).as_posix()
        for pattern in (SKILL_FILE, f"*/{SKILL_FILE}", f"*/*/{SKILL_FILE}")
        for path in folder.glob(pattern)
    ]
    tops = _tops(sorted(paths))
    if tops == [""]:
        files = folder_files(folder)
        name = _own_name(files, folder.name)
        if name in wanted([name]):
            yield _found(name, files, "", "")
        return
    known = {top.rpartition("/")[2]: top for top in tops}
    for name in sorted(wanted(sorted(known))):
        yield _found(name, folder_files(folder / known[name]), known[name], "")


def folder_files(folder: Path) -> dict[str, DraftFile]:
    """The files of a skill's folder; what is no plain file stops it."""
    skill = read_folder(str(folder), folder.name, str(folder), alone=True)
    if SKILL_FILE not in skill.files:
        why = skill.document.problems[0].message if skill.document else "no SKILL.md"
        raise RefusedError(
            f"{folder} cannot be read as a whole: {why}", hint="nothing was installed"
        )
    plain = (FileKind.FILE, FileKind.EXECUTABLE)
    for path, file in skill.files.items():
        if file.kind not in plain:
            raise RefusedError(
                f"{folder}/{path} is no plain file ({file.kind})",
                hint="put a copy of the file in its place",
            )
    sizes = sum(file.size for file in skill.files.values())
    if sizes > MOST_BYTES or len(skill.files) > MOST_FILES:
        raise RefusedError(
            f"{folder} is larger than a skill may be", hint="nothing was installed"
        )
    return gathered(
        ArchiveMember(path, skill.read(path), file.kind is FileKind.EXECUTABLE)
        for path, file in sorted(skill.files.items())
    )
