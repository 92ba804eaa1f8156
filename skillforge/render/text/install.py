"""What install, verify and update say: data for scripts, words for people."""

from pathlib import Path
from typing import Any

from skillforge.model import Danger
from skillforge.report import finding_data, finding_text, plural, printable
from skillforge.share.install import InstalledSkill, InstallResult, QuarantinedSkill
from skillforge.share.lockfile import Lockfile
from skillforge.share.staging import SkillFolder
from skillforge.share.update import Difference, Update

_SHOWN = 12


def done_data(done: InstallResult, place: SkillFolder) -> dict[str, Any]:
    return {
        "folder": str(place.folder),
        "lock": str(place.lock),
        "skills": [_row(it) for it in done.skills],
        "verdicts": {it.package.name: str(it.danger) for it in done.judged},
        "refused": [it.package.name for it in done.refused],
        "findings": [finding_data(f) for it in done.judged for f in it.findings],
    }


def _row(it: InstalledSkill) -> dict[str, Any]:
    locked = it.locked
    return {
        "name": it.name,
        "action": it.action,
        "source": locked.source.where,
        "tag": locked.source.tag or None,
        "commit": locked.commit or None,
        "tree": locked.tree,
        "digest": locked.digest,
    }


def done_text(done: InstallResult, place: SkillFolder, *, colour: bool = False) -> str:
    """What was put in place; or what stands against it, and that nothing was."""
    if done.ok:
        lines = [
            f"{it.action} {it.name} ({it.locked.tree[:_SHOWN]})" for it in done.skills
        ]
        cautious = [it for it in done.judged if it.danger is not Danger.SAFE]
        lines += [line for it in cautious for line in _findings(it, colour)]
        return "\n".join([*lines, f"in {place.folder}; locked in {_lock(place)}"])
    lines = [line for it in done.refused for line in _findings(it, colour)]
    for it in done.refused:
        why = f"is {it.danger}" if it.danger is not Danger.SAFE else "breaks the rules"
        if not it.is_valid and it.danger is not Danger.SAFE:
            why += " and breaks the rules"
        lines.append(f"{it.package.name} {why}")
    lines.append("nothing was installed")
    if all(it.is_valid and it.danger is Danger.CAUTION for it in done.refused):
        lines.append("next: read what is said of it; --accept-caution installs it")
    return "\n".join(lines)


def _findings(judged: QuarantinedSkill, colour: bool) -> list[str]:
    shown = [it for it in judged.findings if it.severity != "note"]
    return [finding_text(finding, colour=colour) for finding in shown]


def verify_data(lock: Lockfile, found: list[Difference]) -> dict[str, Any]:
    return {
        "lock": str(lock.path),
        "skills": len(lock.entries),
        "unpinned": sorted(lock.others),
        "differences": [it._asdict() | {"path": it.path or None} for it in found],
    }


def _lock(place: SkillFolder) -> str:
    """The lock by its name where the reader is, else by its path."""
    is_here = place.lock.parent == Path.cwd().resolve()
    return place.lock.name if is_here else str(place.lock)


def verify_text(lock: Lockfile, found: list[Difference]) -> str:
    lines = [printable(_difference(it)) for it in found]
    lines += [f"{name}: locked by another tool, not looked at" for name in lock.others]
    skills = len({it.skill for it in found})
    counted = f"{plural(len(lock.entries), 'skill')} verified"
    told = f"{skills} differ{'s' * (skills == 1)}" if skills else "all as locked"
    lines.append(f"{counted}: {told}")
    return "\n".join(lines)


def _difference(it: Difference) -> str:
    if not it.path:
        return f"{it.skill}: missing"
    kind = "executable bit changed" if it.kind == "mode" else it.kind
    return f"{it.skill}: {kind} {it.path}"


def update_data(
    found: list[Update], done: InstallResult | None, place: SkillFolder
) -> dict[str, Any]:
    applied = done_data(done, place) if done else {}
    return applied | {
        "updates": [
            {
                "name": it.name,
                "state": it.state,
                "tree": it.locked.tree,
                "commit": it.locked.commit or None,
                "new_commit": (it.package.commit or None) if it.package else None,
                "diff": it.diff,
            }
            for it in found
        ],
        "applied": [row.name for row in done.skills] if done else [],
    }


def update_text(found: list[Update], *, is_applied: bool) -> str:
    """The diff first, then what stands in the way of the others."""
    lines = [printable(line) for it in found for line in it.diff.split("\n") if line]
    new = [it for it in found if it.state == "new"]
    lines += [f"new at {it.locked.source.where}: {it.name}" for it in new]
    for it in found:
        if it.state == "edited":
            lines.append(f"{it.name} has news, but was changed here: it stays as it is")
        elif it.state == "gone":
            lines.append(f"{it.name} is not at {it.locked.source.where} any more")
    if not new:
        edited = sum(it.state == "edited" for it in found)
        rest = len(found) - edited
        return "\n".join([*lines, f"{plural(rest, 'skill')} up to date"])
    moved = [it.name for it in new if it.locked.source.tag]
    lines += [f"note: the tag of {name} was moved since" for name in moved]
    return "\n".join(lines if is_applied else [*lines, "next: skillforge update --yes"])
