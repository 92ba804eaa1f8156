"""Installations, updates and verifications as the `data` of `--json`."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.report import FindingData, finding_data, printable

if TYPE_CHECKING:
    from skillforge.share.install import InstallResult
    from skillforge.share.update import Verification
    from skillforge.workflows.install import UpdateResult


class InstalledRow(TypedDict):
    """A skill that was installed, updated, adopted or left unchanged."""

    name: str
    action: str
    source: str
    tag: str | None
    commit: str | None
    tree: str
    digest: str


class InstallData(TypedDict):
    """What `install` did in a folder."""

    folder: str
    lock: str
    skills: list[InstalledRow]
    verdicts: dict[str, str]
    refused: list[str]
    findings: list[FindingData]
    accepted: dict[str, list[str]]  # by the publisher, of skills that aren't safe


class DifferenceRow(TypedDict):
    """One way in which a skill on disk differs from the lock."""

    skill: str
    kind: str
    path: str | None


class VerifyData(TypedDict):
    """A lock, and how the skills on disk differ from it."""

    lock: str
    skills: int
    unpinned: list[str]
    differences: list[DifferenceRow]


class UpdateRow(TypedDict):
    """What a source has for an installed skill."""

    name: str
    state: str
    tree: str
    commit: str | None
    new_commit: str | None
    diff: str


class UpdateData(TypedDict):
    """The updates of installed skills; with the keys of `install` if applied."""

    updates: list[UpdateRow]
    applied: list[str]
    folder: NotRequired[str]
    lock: NotRequired[str]
    skills: NotRequired[list[InstalledRow]]
    verdicts: NotRequired[dict[str, str]]
    refused: NotRequired[list[str]]
    findings: NotRequired[list[FindingData]]
    accepted: NotRequired[dict[str, list[str]]]


def install(result: "InstallResult") -> InstallData:
    checked = result.checked
    return {
        "folder": str(result.target.folder),
        "lock": str(result.target.lock),
        "skills": [
            {
                "name": skill.name,
                "action": skill.action,
                "source": skill.locked.source.where,
                "tag": skill.locked.source.tag or None,
                "commit": skill.locked.commit or None,
                "tree": skill.locked.tree,
                "digest": skill.locked.digest,
            }
            for skill in result.skills
        ],
        "verdicts": {skill.package.name: str(skill.danger) for skill in checked},
        "refused": [skill.package.name for skill in result.refused],
        "findings": [finding_data(f) for skill in checked for f in skill.findings],
        "accepted": {
            skill.package.name: list(map(printable, skill.package.accepted))
            for skill in checked
            if skill.package.accepted
        },
    }


def verify(result: "Verification") -> VerifyData:
    return {
        "lock": str(result.lock.path),
        "skills": len(result.lock.entries),
        "unpinned": sorted(result.lock.others),
        "differences": [
            {"skill": d.skill, "kind": d.kind, "path": d.path or None}
            for d in result.differences
        ],
    }


def update(result: "UpdateResult") -> UpdateData:
    rows: list[UpdateRow] = [
        {
            "name": update.name,
            "state": update.state,
            "tree": update.locked.tree,
            "commit": update.locked.commit or None,
            "new_commit": update.package.commit or None if update.package else None,
            "diff": update.diff,
        }
        for update in result.updates
    ]
    if result.installed is None:
        return {"updates": rows, "applied": []}
    applied = [skill.name for skill in result.installed.skills]
    return {**install(result.installed), "updates": rows, "applied": applied}
