"""Releases as text for a terminal."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from skillforge.report import plural

if TYPE_CHECKING:
    from skillforge.share.releases import Release
    from skillforge.workflows.release import ReleasePlan, ReleaseResult


def release(result: "ReleaseResult") -> str:
    if result.objections:
        return _refused(result)
    if result.release is not None:
        text = _released(result, result.release)
    elif result.version is not None:
        text = result.plan.notes.rstrip()
    else:
        text = _suggested(result.plan)
    return "\n".join([*_canaries(result.plan), text])


def _canaries(plan: "ReleasePlan") -> Iterator[str]:
    """The skills in an unfinished rollout, and the version that is published."""
    for rollout in plan.canaries:
        stable = (
            "its stable version is published" if rollout.stable else "not published"
        )
        if rollout.skill in plan.stable:
            shown = f"{stable}; --include-canaries publishes the new one"
        else:
            shown = "its new version is published"
        yield f"{rollout.skill} is in an unfinished rollout: {shown}"


def _suggested(plan: "ReleasePlan") -> str:
    since = f" since {plan.previous.tag.name}" if plan.previous else ""
    if plan.previous and not plan.changes:
        return f"no skills changed{since}"
    next_step = f"next: skillforge release {plan.suggested}"
    return f"{_summary(plan.counts)}{since}\n{next_step}"


def _released(result: "ReleaseResult", release: "Release") -> str:
    name, commit = release.tag.name, release.tag.commit[:12]
    if not result.created:
        return f"{name} is already released (commit {commit})"
    push = f"git push origin {name}, or " if release.repository else ""
    return (
        f"released {name} (commit {commit}): {_summary(result.plan.counts)}\n"
        f"next: {push}skillforge publish --to TARGET"
    )


def _summary(counts: Mapping[str, int]) -> str:
    """The number of changed skills, in all and by kind."""
    if not counts:
        return "no changes"
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{plural(sum(counts.values()), 'skill')}: {kinds}"


def _refused(result: "ReleaseResult") -> str:
    lines = [
        line
        for objection in result.objections
        for line in (f"{objection.check}:", *objection.problems)
    ]
    failed = ", ".join(objection.check for objection in result.objections)
    assert result.version is not None
    return "\n".join([*lines, f"{result.version.tag} is not released: {failed} failed"])
