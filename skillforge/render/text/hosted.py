"""Commands for GitHub as text: protect, report, promoted."""

from typing import TYPE_CHECKING

from skillforge.render.text.history import audit_exception
from skillforge.report import plural, to_json

if TYPE_CHECKING:
    from skillforge.workflows.gate_report import PostedReport
    from skillforge.workflows.promoted import RecordedMerges
    from skillforge.workflows.protect import Protection


def protection(result: "Protection") -> str:
    """The calls that change settings; in a dry run with what they would send."""
    lines = []
    for change in result.changes:
        lines.append(f"{change.verb} {change.path}: {change.why}")
        if not result.is_applied:
            lines += [f"    {line}" for line in to_json(change.body).split("\n")]
    if result.should_pull:
        lines.append(f"CODEOWNERS is new on {result.branch}: git pull")
    verb = "changed" if result.is_applied else "would be changed"
    count = plural(len(result.changes), "setting")
    summary = f"{count} {verb}" if result.changes else "all settings are correct"
    return "\n".join([*lines, f"{result.repository}: {summary}"])


def report(result: "PostedReport") -> str:
    lines = [f"pull request {number} shows the report" for number in result.proposals]
    return "\n".join(lines) or "no open pull request with skills is at this commit"


def promoted(result: "RecordedMerges") -> str:
    lines = []
    for merge in result.merges:
        gate = "the gate passes it" if merge.passed else "the gate refuses it"
        lines.append(
            f"recorded {merge.commit[:12]}: pull request {merge.number}, {gate}"
        )
    lines += [f"started the rollout of {name}" for name in result.rollouts]
    lines += [audit_exception(exception) for exception in result.exceptions]
    return "\n".join(lines) or "nothing to record"
