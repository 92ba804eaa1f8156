"""Releases as the `data` of `--json`."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from skillforge.workflows.release import ReleaseResult


class ReleaseChangeData(TypedDict):
    """How one skill changed since the previous release."""

    skill: str
    kind: str
    before: str
    after: str


class ObjectionData(TypedDict):
    """A check that failed."""

    check: str
    problems: list[str]


class UnfinishedRolloutData(TypedDict):
    """A skill in an unfinished rollout, and the published tree; empty if none is."""

    skill: str
    stable: str
    canary: str
    published: str


class ReleaseData(TypedDict):
    """A release that is suggested, tagged or refused."""

    suggested: str
    previous: str | None
    commit: str
    tag: str | None
    created: bool
    changes: list[ReleaseChangeData]
    notes: str
    objections: list[ObjectionData]
    canaries: list[UnfinishedRolloutData]
    version: NotRequired[str]
    repository: NotRequired[str]
    by: NotRequired[str]


def release(result: "ReleaseResult") -> ReleaseData:
    plan, done = result.plan, result.release
    data = ReleaseData(
        suggested=str(plan.suggested),
        previous=plan.previous.tag.name if plan.previous else None,
        commit=done.tag.commit if done else plan.commit,
        tag=done.tag.name if done else None,
        created=result.created,
        changes=[
            {
                "skill": change.skill,
                "kind": change.kind,
                "before": change.before,
                "after": change.after,
            }
            for change in plan.changes
        ],
        notes=plan.notes,
        objections=[
            {"check": objection.check, "problems": list(objection.problems)}
            for objection in result.objections
        ],
        canaries=[
            {
                "skill": rollout.skill,
                "stable": rollout.stable,
                "canary": rollout.canary,
                "published": plan.stable.get(rollout.skill, rollout.canary),
            }
            for rollout in plan.canaries
        ],
    )
    if result.version is not None and result.ok:
        data["version"] = str(result.version)
    if done is not None:
        data["repository"] = done.repository
    if result.created:
        data["by"] = result.by
    return data
