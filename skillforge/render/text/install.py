"""Installations, updates and verifications as text for a terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge.model import Danger
from skillforge.report import finding_text, plural, printable

if TYPE_CHECKING:
    from skillforge.share.install import InstallResult, QuarantinedSkill
    from skillforge.share.install_target import InstallTarget
    from skillforge.share.update import Difference, Verification
    from skillforge.workflows.install import UpdateResult

_HASH_LENGTH = 12


def install(result: "InstallResult", *, colour: bool = False) -> str:
    lines = [
        f"{skill.action} {skill.name} ({skill.locked.tree[:_HASH_LENGTH]})"
        for skill in result.skills
    ]
    for skill in result.checked:
        if skill.danger is not Danger.SAFE or not skill.is_valid:
            lines += _findings(skill, colour)
    lines += _refused(result)
    target = result.target
    if result.skills:
        lines.append(f"in {target.folder}; locked in {_lock_name(target)}")
    elif result.refused:
        lines.append("nothing was installed")
    if any(s.is_valid and s.danger is Danger.CAUTION for s in result.refused):
        lines.append("next: read the findings; --accept-caution installs it anyway")
    return "\n".join(lines)


def _refused(result: "InstallResult") -> Iterator[str]:
    """Each refused skill with the reason."""
    for skill in result.refused:
        verdict = f"the verdict of the scan is {skill.danger}"
        reasons = [verdict] if skill.danger is not Danger.SAFE else []
        reasons += [] if skill.is_valid else ["it violates the specification"]
        yield f"refused {skill.package.name}: {' and '.join(reasons)}"


def _findings(skill: "QuarantinedSkill", colour: bool) -> list[str]:
    shown = [finding for finding in skill.findings if finding.severity != "note"]
    return [finding_text(finding, colour=colour) for finding in shown]


def _lock_name(target: "InstallTarget") -> str:
    """The lock's name if it is in the current folder, else its path."""
    is_here = target.lock.parent == Path.cwd().resolve()
    return target.lock.name if is_here else str(target.lock)


def verify(result: "Verification") -> str:
    lines = [printable(_difference(difference)) for difference in result.differences]
    lines += [f"{name}: locked by another tool, skipped" for name in result.lock.others]
    differing = len({difference.skill for difference in result.differences})
    verb = "differs" if differing == 1 else "differ"
    outcome = f"{differing} {verb} from the lock" if differing else "no differences"
    return "\n".join(
        [*lines, f"verified {plural(len(result.lock.entries), 'skill')}: {outcome}"]
    )


def _difference(difference: "Difference") -> str:
    skill, kind, path = difference
    if not path:
        return f"{skill}: missing"
    return f"{skill}: {'executable bit changed' if kind == 'mode' else kind} {path}"


def update(result: "UpdateResult", *, colour: bool = False) -> str:
    """The diffs, then the state of each skill that is not up to date."""
    updates, new = result.updates, result.new
    lines = [
        printable(li) for update in updates for li in update.diff.split("\n") if li
    ]
    lines += [f"{u.name}: update available from {u.locked.source.where}" for u in new]
    for update in updates:
        if update.state == "edited":
            lines.append(f"{update.name}: update available, skipped (modified locally)")
        elif update.state == "gone":
            lines.append(f"{update.name}: no longer at {update.locked.source.where}")
    if not new:
        current = len(updates) - len(result.edited)
        return "\n".join([*lines, f"{plural(current, 'skill')} up to date"])
    lines += [
        f"note: the tag of {u.name} was moved" for u in new if u.locked.source.tag
    ]
    if result.installed is None:
        return "\n".join([*lines, "next: skillforge update --yes"])
    return "\n".join([*lines, install(result.installed, colour=colour)])
