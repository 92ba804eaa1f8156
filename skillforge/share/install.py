"""Install skills: fetched, judged in quarantine, put in place and into the lock."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from skillforge.checks import Ruleset
from skillforge.checks.runner import check_skills
from skillforge.checks.scan import scan
from skillforge.errors import ConflictError, RefusedError, RequestError
from skillforge.library import read_folder
from skillforge.model import Danger, Draft, Finding, Origin, Profile, Report, Skill
from skillforge.share import fetch, lockfile
from skillforge.share.install_source import InstallSource
from skillforge.share.lockfile import LockedSkill, Lockfile
from skillforge.share.package_digest import Package, tree_name
from skillforge.share.staging import Quarantine, SkillFolder, installed, quarantine


class QuarantinedSkill(NamedTuple):
    """A skill in quarantine, and what the rules and the scan say of it."""

    package: Package
    findings: tuple[Finding, ...]
    danger: Danger
    is_valid: bool

    def is_welcome(self, *, accept_caution: bool) -> bool:
        good = (Danger.SAFE, Danger.CAUTION) if accept_caution else (Danger.SAFE,)
        return self.is_valid and self.danger in good


class InstalledSkill(NamedTuple):
    """What became of a skill: installed, updated, adopted or unchanged."""

    name: str
    action: str
    locked: LockedSkill


@dataclass(frozen=True, slots=True)
class InstallResult:
    """What an installation did; if one skill was refused, none is in place."""

    skills: tuple[InstalledSkill, ...]
    judged: tuple[QuarantinedSkill, ...] = ()
    accept_caution: bool = False

    @property
    def refused(self) -> list[QuarantinedSkill]:
        accept = self.accept_caution
        return [it for it in self.judged if not it.is_welcome(accept_caution=accept)]

    @property
    def ok(self) -> bool:
        return not self.refused


def install(
    source: InstallSource, place: SkillFolder, *, accept_caution: bool = False
) -> InstallResult:
    """Install from a source; all skills that are asked for, or none."""
    with quarantine(place) as here:
        lock = lockfile.read(place.lock)
        origin = recorded(source, lock.path)
        packages = fetch.packages(source)
        return take(here, lock, _with(packages, origin), accept_caution=accept_caution)


def _with(
    packages: Iterable[Package], source: InstallSource
) -> Iterator[tuple[Package, InstallSource]]:
    return ((package, source) for package in packages)


def recorded(source: InstallSource, lock: Path) -> InstallSource:
    """A source as a lock names it: a folder is seen from where the lock is."""
    if source.is_remote or Path(source.where).is_absolute():
        return replace(source, skill="")
    where = os.path.relpath(Path(source.where).absolute(), lock.parent)
    return replace(source, where=Path(where).as_posix(), skill="")


def located(source: InstallSource, lock: Path) -> InstallSource:
    """A source that a lock names, to be fetched from here."""
    if source.is_remote or Path(source.where).is_absolute():
        return source
    return replace(source, where=str(lock.parent / source.where))


def take(
    here: Quarantine,
    lock: Lockfile,
    packages: Iterable[tuple[Package, InstallSource]],
    *,
    accept_caution: bool,
) -> InstallResult:
    """Judge packages in quarantine; if all are welcome, put them in place."""
    judged: list[QuarantinedSkill] = []
    results: list[InstalledSkill] = []
    before: dict[str, str] = {}
    for package, source in packages:
        result, was = _compared(here.place, lock, package, source)
        if result.action in ("installed", "updated"):
            judged.append(judge(here, package))
            before[package.name] = was
        results.append(result)
    done = InstallResult(tuple(results), tuple(judged), accept_caution)
    if not done.ok:
        return replace(done, skills=())
    fresh = {it.name: it.locked for it in results if it.name in before}
    adopted = {it.name: it.locked for it in results if it.name not in before}
    if fresh:
        here.move_in(fresh, before)
    lockfile.write(lockfile.read(lock.path), adopted)
    return done


def _compared(
    place: SkillFolder, lock: Lockfile, package: Package, source: InstallSource
) -> tuple[InstalledSkill, str]:
    """What a package would do to what is there, and the tree of that."""
    name = package.name
    _refuse_other_case(place, name)
    locked = LockedSkill.of(package, source, place.shown)
    known = lock.entries.get(name)
    if known and known.folder != place.shown:
        raise ConflictError(
            f"the lock says that {name} is in {known.folder}",
            hint=f"--to {known.folder}; or --lock FILE for a lock of its own",
        )
    there = installed(place.folder / name)
    if there is None:
        return InstalledSkill(name, "installed", locked), ""
    if locked.holds(there):
        action = "unchanged" if known else "adopted"
        return InstalledSkill(name, action, locked), tree_name(there)
    if known is None or not known.holds(there):
        raise _in_the_way(place, name, is_known=known is not None)
    return InstalledSkill(name, "updated", locked), known.tree


def _in_the_way(place: SkillFolder, name: str, *, is_known: bool) -> ConflictError:
    if is_known:
        return ConflictError(
            f"{name} was changed here since it was installed",
            hint=f"skillforge verify shows what; move {place.folder / name} away to "
            "install it anew",
        )
    return ConflictError(
        f"{place.folder / name} is there already, and not from the lock",
        hint="move it away, or choose another folder with --to",
    )


def _refuse_other_case(place: SkillFolder, name: str) -> None:
    with suppress(OSError):
        for other in place.folder.iterdir():
            if other.name != name and other.name.casefold() == name.casefold():
                raise ConflictError(
                    f"{other} has the same name but for its case",
                    hint="move it away",
                )


def judge(here: Quarantine, package: Package) -> QuarantinedSkill:
    """What the specification and the scan say of a skill, read back from quarantine."""
    folder = here.put(package.name, package.files)
    skill = _read(folder, package.name)
    valid = check_skills(Ruleset(Profile.SPEC, {}), [skill])
    target = here.place.folder / package.name
    before = _read(target, package.name) if target.is_dir() else None
    scanned = scan(skill, before)
    report = Report((*valid.findings, *(f.under(skill.path) for f in scanned.findings)))
    written = package._replace(files={})  # many of them would fill the memory
    return QuarantinedSkill(written, report.findings, scanned.verdict, valid.ok)


def _read(folder: Path, name: str) -> Skill:
    return read_folder(str(folder), name, name, alone=True)


def frozen(place: SkillFolder, *, accept_caution: bool = False) -> InstallResult:
    """Install exactly what the lock says, or fail; what is there is not fetched."""
    lock = lockfile.read(place.lock)
    _refuse_unpinned(lock)
    folders = sorted({entry.folder for entry in lock.entries.values()})
    places = [place.to_write(folder) for folder in folders]
    return joined([_frozen(it, accept_caution=accept_caution) for it in places])


def _frozen(place: SkillFolder, *, accept_caution: bool) -> InstallResult:
    """What the lock says of one folder."""
    with quarantine(place) as here:
        lock = lockfile.read(place.lock)
        wanted = [it for it in lock.entries.values() if it.folder == place.shown]
        missing = [it for it in wanted if not _is_there(place, it)]
        packages = _pinned(lock, missing)
        done = take(here, lock, packages, accept_caution=accept_caution)
        same = [
            InstalledSkill(it.name, "unchanged", it)
            for it in wanted
            if it not in missing
        ]
        return replace(done, skills=(*done.skills, *same))


def joined(parts: list[InstallResult]) -> InstallResult:
    """What was done in several folders."""
    return InstallResult(
        tuple(it for part in parts for it in part.skills),
        tuple(it for part in parts for it in part.judged),
        all(part.accept_caution for part in parts),
    )


def _refuse_unpinned(lock: Lockfile) -> None:
    if not lock.entries and not lock.others:
        raise RequestError(
            f"{lock.path} names no skills", hint="skillforge install SOURCE writes it"
        )
    for name in lock.others:
        raise RequestError(
            f"{name} was locked by another tool, without its digest",
            hint=f"skillforge install SOURCE@{name} locks it to the byte",
        )


def _is_there(place: SkillFolder, locked: LockedSkill) -> bool:
    there = installed(place.folder / locked.name)
    return there is not None and locked.holds(there)


def _pinned(
    lock: Lockfile, missing: list[LockedSkill]
) -> Iterator[tuple[Package, InstallSource]]:
    """The packages that a lock names; each has to be what it was."""
    for pinned, group in grouped(lock, missing, is_pinned=True).items():
        for package in fetch.packages(pinned, group):
            entry = group[package.name]
            if package.digest != entry.digest or not entry.holds(package.files):
                raise RefusedError(
                    f"{package.name} is not what the lock says: its source now gives "
                    f"{tree_name(package.files)[:12]}, not {entry.tree[:12]}",
                    hint="skillforge update shows what is new; nothing was installed",
                )
            yield package._replace(commit=entry.commit), entry.source


def grouped(
    lock: Lockfile, entries: Iterable[LockedSkill], *, is_pinned: bool
) -> Mapping[InstallSource, dict[str, LockedSkill]]:
    """Entries by where they come from, so that each place is asked once."""
    groups: dict[InstallSource, dict[str, LockedSkill]] = {}
    for entry in entries:
        source = entry.pinned if is_pinned else entry.source
        here = replace(located(source, lock.path), skill="")
        groups.setdefault(here, {})[entry.name] = entry
    return groups


def drafts(
    source: InstallSource, why: str, *, accept_caution: bool = False
) -> list[Draft]:
    """Skills of others as drafts for the own library, with where they come from."""
    made = []
    for package in fetch.packages(source):
        verdict = scan(_in_memory(package)).verdict
        if verdict is Danger.DANGEROUS or (
            verdict is Danger.CAUTION and not accept_caution
        ):
            raise RefusedError(
                f"{package.name} is {verdict}: it is not imported",
                hint="install it to a folder of its own to see why; --accept-caution "
                "takes what is not dangerous",
            )
        told = f"{why}\n\n{_origin(source, package)}".strip()
        draft = Draft(package.name, package.files, origin=Origin.IMPORT, why=told)
        made.append(draft)
    return made


def _origin(source: InstallSource, package: Package) -> str:
    lines = [f"Imported from {source.where}{f'#{source.tag}' if source.tag else ''}"]
    if package.commit:
        lines.append(f"Origin commit {package.commit}")
    lines.append(f"Origin tree {tree_name(package.files)}")
    lines.append(f"Origin digest {package.digest}")
    return "\n".join(lines)


def _in_memory(package: Package) -> Skill:
    from skillforge.document import parse
    from skillforge.model import SKILL_FILE, File, FileKind

    files = {
        path: File(
            FileKind.EXECUTABLE if it.is_executable else FileKind.FILE, len(it.data)
        )
        for path, it in package.files.items()
    }
    document = parse(package.files[SKILL_FILE].data)
    read = {path: it.data for path, it in package.files.items()}.__getitem__
    return Skill(package.name, package.name, files, document, read)
