"""Install skills: fetch them, check them in quarantine, move them in, lock them."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from skillforge import worker_pool
from skillforge.checks import Ruleset
from skillforge.checks.runner import check_skills
from skillforge.checks.scan import scan
from skillforge.document.draft_skill import draft_skill
from skillforge.errors import ConflictError, RefusedError, RequestError
from skillforge.library import read_folder
from skillforge.model import (
    Danger,
    Draft,
    Finding,
    Origin,
    Profile,
    Report,
    Skill,
)
from skillforge.share import fetch, lockfile
from skillforge.share.install_source import InstallSource
from skillforge.share.install_target import InstallTarget
from skillforge.share.lockfile import LockedSkill, Lockfile
from skillforge.share.package_digest import Package, tree_name
from skillforge.share.staging import Quarantine, installed, quarantine
from skillforge.worker_pool import Progress

_WORTH_SPREADING = 10  # skills for each process
_NO_PROGRESS = Progress()


class QuarantinedSkill(NamedTuple):
    """A skill in quarantine, with the findings of the rules and the scan."""

    package: Package
    findings: tuple[Finding, ...]
    danger: Danger
    is_valid: bool

    def is_accepted(self, *, accept_caution: bool) -> bool:
        good = (Danger.SAFE, Danger.CAUTION) if accept_caution else (Danger.SAFE,)
        return self.is_valid and self.danger in good


class InstalledSkill(NamedTuple):
    """A skill and what was done: installed, updated, adopted or unchanged."""

    name: str
    action: str
    locked: LockedSkill


# What the specification forbids and clients ignore.
_LENIENT = {"field-unknown": "warning"}
_OF_FOLDERS = _LENIENT | {"name-matches-folder": "warning"}


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The skills installed, and those checked; not all of them were accepted."""

    target: InstallTarget
    skills: tuple[InstalledSkill, ...]
    checked: tuple[QuarantinedSkill, ...] = ()
    accept_caution: bool = False

    @property
    def refused(self) -> list[QuarantinedSkill]:
        accept = self.accept_caution
        return [s for s in self.checked if not s.is_accepted(accept_caution=accept)]

    @property
    def ok(self) -> bool:
        return not self.refused


def install(
    source: InstallSource,
    target: InstallTarget,
    progress: Progress = _NO_PROGRESS,
    *,
    accept_caution: bool = False,
) -> InstallResult:
    """Install the skills that a source names, except those that are refused."""
    with quarantine(target) as staged:
        lock = lockfile.read(target.lock)
        origin = _relative_to_lock(source, lock.path)
        packages = ((package, origin) for package in fetch.packages(source))
        return take(
            staged,
            lock,
            packages,
            progress,
            accept_caution=accept_caution,
            is_all_or_none=False,
        )


def _relative_to_lock(source: InstallSource, lock: Path) -> InstallSource:
    """A source as the lock records it: a folder relative to the lock's."""
    if source.is_remote or Path(source.where).is_absolute():
        return replace(source, skill="")
    where = os.path.relpath(Path(source.where).absolute(), lock.parent)
    return replace(source, where=Path(where).as_posix(), skill="")


def _from_lock(source: InstallSource, lock: Path) -> InstallSource:
    """A source that the lock records, as it is fetched from here."""
    if source.is_remote or Path(source.where).is_absolute():
        return replace(source, skill="")
    return replace(source, where=str(lock.parent / source.where), skill="")


def take(  # noqa: PLR0913 - what to install, and how
    staged: Quarantine,
    lock: Lockfile,
    packages: Iterable[tuple[Package, InstallSource]],
    progress: Progress = _NO_PROGRESS,
    *,
    accept_caution: bool,
    is_all_or_none: bool = True,
) -> InstallResult:
    """Check packages in quarantine, and move the accepted ones to the target.

    With `is_all_or_none`, none is moved if one of them is refused.
    """
    staged_skills: list[StagedSkill] = []
    results: list[InstalledSkill] = []
    before: dict[str, str] = {}
    for package, source in packages:
        result, tree = _compare(staged.target, lock, package, source)
        if result.action in ("installed", "updated"):
            staged_skills.append(stage(staged, package))
            before[package.name] = tree
        results.append(result)
    progress.start("scan", len(staged_skills))
    checked = worker_pool.each(check, staged_skills, _WORTH_SPREADING, progress.done)
    target = staged.target
    done = InstallResult(target, tuple(results), tuple(checked), accept_caution)
    refused = {skill.package.name for skill in done.refused}
    accepted = [result for result in results if result.name not in refused]
    if refused and is_all_or_none:
        accepted = []
    done = replace(done, skills=tuple(accepted))
    entries = {result.name: result.locked for result in accepted}
    fresh = {name: entry for name, entry in entries.items() if name in before}
    if fresh:
        staged.move_in(fresh, before)
    adopted = {name: entry for name, entry in entries.items() if name not in before}
    if entries:
        lockfile.write(lockfile.read(lock.path), adopted)
    return done


def _compare(
    target: InstallTarget, lock: Lockfile, package: Package, source: InstallSource
) -> tuple[InstalledSkill, str]:
    """What installing a package does, and the tree of the skill it replaces."""
    name = package.name
    _refuse_other_case(target, name)
    locked = LockedSkill.of(package, source, target.relative_folder)
    known = lock.entries.get(name)
    if known and known.folder != target.relative_folder:
        raise ConflictError(
            f"{name} is locked in another folder, {known.folder}",
            hint=f"use --to {known.folder}, or --lock FILE for a separate lock",
        )
    present = installed(target.folder / name)
    if present is None:
        return InstalledSkill(name, "installed", locked), ""
    if locked.holds(present):
        action = "unchanged" if known else "adopted"
        return InstalledSkill(name, action, locked), tree_name(present)
    if known is None or not known.holds(present):
        raise _would_overwrite(target, name, is_known=known is not None)
    return InstalledSkill(name, "updated", locked), known.tree


def _would_overwrite(
    target: InstallTarget, name: str, *, is_known: bool
) -> ConflictError:
    path = target.folder / name
    if is_known:
        return ConflictError(
            f"{name} has local changes since it was installed",
            hint="skillforge verify lists them; to install it again, first move "
            f"{path} away",
        )
    return ConflictError(
        f"{path} already exists and is not in the lock",
        hint="move it away, or choose another folder with --to",
    )


def _refuse_other_case(target: InstallTarget, name: str) -> None:
    with suppress(OSError):
        for other in target.folder.iterdir():
            if other.name != name and other.name.casefold() == name.casefold():
                raise ConflictError(
                    f"{other} differs from {name} only in case", hint="move it away"
                )


class StagedSkill(NamedTuple):
    """A skill in quarantine, and the installed one that it replaces."""

    package: Package  # without its files, which are on disk
    skill: Skill
    before: Skill | None


def stage(staged: Quarantine, package: Package) -> StagedSkill:
    """Write a skill to quarantine."""
    skill = staged.put(package.name, package.files)
    name = skill.document.words("name") if skill.document else ""
    if package.name.endswith(f"-{name}"):  # its source has several of this name
        skill = replace(skill, name=name)
    path = staged.target.folder / package.name
    before = None
    if path.is_dir():
        before = read_folder(str(path), package.name, package.name, alone=True)
    return StagedSkill(package._replace(files={}), skill, before)


def check(staged: StagedSkill) -> QuarantinedSkill:
    """Check a skill against the specification and the scan, as quarantine holds it."""
    package, skill, before = staged
    # A folder of a repository may have another name than its skill; a hub says one.
    lenient = _OF_FOLDERS if package.path else _LENIENT
    valid = check_skills(Ruleset(Profile.SPEC, lenient), [skill])
    scanned = scan(skill, before)
    report = Report((*valid.findings, *(f.under(skill.path) for f in scanned.findings)))
    return QuarantinedSkill(package, report.findings, scanned.verdict, valid.ok)


def install_locked(
    target: InstallTarget, *, accept_caution: bool = False
) -> InstallResult:
    """Install exactly what the lock names, or fail; fetches only what is missing."""
    lock = lockfile.read(target.lock)
    _refuse_unpinned(lock)
    folders = sorted({entry.folder for entry in lock.entries.values()})
    targets = [target.for_writing(folder) for folder in folders]
    return joined(
        target, [_install_locked(t, accept_caution=accept_caution) for t in targets]
    )


def _install_locked(target: InstallTarget, *, accept_caution: bool) -> InstallResult:
    """Install what the lock names in one folder."""
    with quarantine(target) as staged:
        lock = lockfile.read(target.lock)
        entries = lock.entries.values()
        locked = [e for e in entries if e.folder == target.relative_folder]
        missing = [entry for entry in locked if not _is_present(target, entry)]
        packages = _pinned_packages(lock, missing)
        done = take(staged, lock, packages, accept_caution=accept_caution)
        same = [
            InstalledSkill(entry.name, "unchanged", entry)
            for entry in locked
            if entry not in missing
        ]
        return replace(done, skills=(*done.skills, *same))


def joined(target: InstallTarget, parts: list[InstallResult]) -> InstallResult:
    """The results of several folders as one."""
    return InstallResult(
        target,
        tuple(skill for part in parts for skill in part.skills),
        tuple(skill for part in parts for skill in part.checked),
        all(part.accept_caution for part in parts),
    )


def _refuse_unpinned(lock: Lockfile) -> None:
    if not lock.entries and not lock.others:
        raise RequestError(
            f"{lock.path} lists no skills", hint="skillforge install SOURCE adds one"
        )
    for name in lock.others:
        raise RequestError(
            f"{name} was locked by another tool, without its digest",
            hint=f"skillforge install SOURCE@{name} locks its exact bytes",
        )


def _is_present(target: InstallTarget, locked: LockedSkill) -> bool:
    present = installed(target.folder / locked.name)
    return present is not None and locked.holds(present)


def _pinned_packages(
    lock: Lockfile, missing: list[LockedSkill]
) -> Iterator[tuple[Package, InstallSource]]:
    """The packages that a lock names; each has to match its digest."""
    for pinned, group in grouped(lock, missing, is_pinned=True).items():
        for package in fetch.packages(pinned, group):
            entry = group[package.name]
            if package.digest != entry.digest or not entry.holds(package.files):
                raise RefusedError(
                    f"{package.name} does not match the lock: its source now has "
                    f"{tree_name(package.files)[:12]}, not {entry.tree[:12]}",
                    hint="nothing was installed; skillforge update shows the changes",
                )
            yield package._replace(commit=entry.commit), entry.source


def grouped(
    lock: Lockfile, entries: Iterable[LockedSkill], *, is_pinned: bool
) -> Mapping[InstallSource, dict[str, LockedSkill]]:
    """Entries by source, so that each source is fetched once."""
    groups: dict[InstallSource, dict[str, LockedSkill]] = {}
    for entry in entries:
        source = _from_lock(entry.pinned if is_pinned else entry.source, lock.path)
        groups.setdefault(source, {})[entry.name] = entry
    return groups


def import_drafts(
    source: InstallSource, why: str, *, accept_caution: bool = False
) -> list[Draft]:
    """Skills of a source as drafts for a library, with their origin as the reason."""
    drafts = []
    for package in fetch.packages(source):
        reason = f"{why}\n\n{_origin(source, package)}".strip()
        draft = Draft(package.name, package.files, origin=Origin.IMPORT, why=reason)
        verdict = scan(draft_skill(draft, package.name)).verdict
        if verdict is Danger.DANGEROUS or (
            verdict is Danger.CAUTION and not accept_caution
        ):
            raise RefusedError(
                f"{package.name} is not imported: the verdict of the scan is {verdict}",
                hint="install it to a separate folder to see the findings; "
                "--accept-caution accepts the verdict caution",
            )
        drafts.append(draft)
    return drafts


def _origin(source: InstallSource, package: Package) -> str:
    lines = [f"Imported from {source.where}{f'#{source.tag}' if source.tag else ''}"]
    if package.commit:
        lines.append(f"Origin commit {package.commit}")
    lines.append(f"Origin tree {tree_name(package.files)}")
    lines.append(f"Origin digest {package.digest}")
    return "\n".join(lines)
