"""Hubs that are built or published as the `data` of `--json`."""

from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from skillforge.report import FindingData, finding_data

if TYPE_CHECKING:
    from skillforge.share.hub_contents import HubContents
    from skillforge.workflows.build import BuildResult
    from skillforge.workflows.publish import PublishResult


class BlockedData(TypedDict):
    """The findings that prevent a release from being published."""

    tag: str
    commit: str
    findings: list[FindingData]


class BuildData(TypedDict):
    """A hub in a folder."""

    tag: str
    commit: str
    path: str
    skills: int
    left_out: dict[str, str]
    archives_only: dict[str, str]
    digest: str
    findings: list[FindingData]


class ClawHubRow(TypedDict):
    """A skill that was sent to ClawHub."""

    skill: str
    version: str
    status: str


class PublishData(TypedDict):
    """A release that was published; each target adds its own keys."""

    tag: str
    commit: str
    left_out: dict[str, str]
    archives_only: dict[str, str]
    created: NotRequired[bool]
    url: NotRequired[str]
    path: NotRequired[str]
    skills: NotRequired[int | list[ClawHubRow]]
    digest: NotRequired[str]
    findings: NotRequired[list[FindingData]]
    branch: NotRequired[str]
    branch_commit: NotRequired[str]
    pushed: NotRequired[bool]
    sent: NotRequired[list[str]]
    dry_run: NotRequired[bool]


def build(result: "BuildResult") -> BuildData | BlockedData:
    contents = result.contents
    if not result.ok:
        return _blocked(contents)
    return {
        "tag": contents.hub.tag,
        "commit": contents.hub.commit,
        "path": str(result.path),
        "skills": len(contents.hub.skills),
        "left_out": dict(contents.skipped),
        "archives_only": contents.archives_only,
        "digest": result.digest,
        "findings": [],
    }


def publish(result: "PublishResult") -> PublishData | BlockedData:
    contents = result.contents
    if result.publication is None:
        return _blocked(contents)
    data = {
        **result.publication.data,
        "tag": contents.hub.tag,
        "commit": contents.hub.commit,
        "left_out": dict(contents.skipped),
        "archives_only": contents.archives_only,
    }
    return cast("PublishData", data)


def _blocked(contents: "HubContents") -> BlockedData:
    findings = [finding_data(finding) for finding in contents.blocking]
    hub = contents.hub
    return {"tag": hub.tag, "commit": hub.commit, "findings": findings}
