"""Proposals, verdicts and reviews as text."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from skillforge import report
from skillforge.model import Finding, Proposal, Status, Verdict
from skillforge.render.data.proposals import ProposalRow, age_days
from skillforge.report import plural, printable, styled
from skillforge.text import lines_of, shortened

if TYPE_CHECKING:
    from skillforge.propose.evidence_summary import ExampleSummary
    from skillforge.propose.review import ReviewBrief
    from skillforge.workflows.import_pending import PendingImport
    from skillforge.workflows.promote import Promotion
    from skillforge.workflows.proposals import ProposalList
    from skillforge.workflows.review import ReviewDecision
    from skillforge.workflows.submit import SubmissionBatch

_STATUS_LABELS = {
    Status.PASSED: "passed",
    Status.FAILED: "FAILED",
    Status.ERROR: "ERROR",
    Status.NOT_RUN: "NOT RUN",
}
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_DIFF_LINES = 80  # on one screen
_TASK_LENGTH = 60


def submission(result: "SubmissionBatch", *, colour: bool = False) -> str:
    """The proposals that were opened, or the findings that prevented it."""
    if not result.opened:
        return f"{report.text(result.report, colour=colour)}\nnothing was proposed"
    lines = finding_lines(result.report.findings, colour=colour)
    lines += [printable(f"skipped, ignored by git: {path}") for path in result.left_out]
    lines += [opened(proposal, created) for proposal, created in result.opened]
    return with_note("\n".join(lines), result.note)


def with_note(text: str, note: str) -> str:
    """A text, followed by the forge's own remark if there is one."""
    return f"{text}\n{note}" if note else text


def proposals(result: "ProposalList", *, show_all: bool = False) -> str:
    """A listing; closed proposals are counted unless all are shown."""
    rows = result.rows
    shown = [row for row in rows if show_all or row["state"] == "open"]
    lines = [
        f"expired proposal {proposal.number}: {proposal.title}"
        for proposal in result.expired
    ]
    lines += [line for row in shown for line in _proposal_lines(row)]
    if not shown:
        lines.append("no open proposals")
    if hidden := len(rows) - len(shown):
        lines.append(f"{plural(hidden, 'closed proposal')} not shown; use --all")
    for error in result.unreadable:
        lines += [error.message, f"    {error.hint}"]
    return with_note("\n".join(map(printable, lines)), result.note)


def _proposal_lines(row: ProposalRow) -> list[str]:
    notes = [f"checks {row['checks']}", *(["conflicts"] if row["conflicts"] else [])]
    notes += [f"{len(row['approvals'])} approved"] if row["approvals"] else []
    state = "draft" if row["draft"] and row["state"] == "open" else row["state"]
    return [
        f"{row['number']:>4}  {state:<8} {row['age_days']:>5.1f} d  {row['title']}",
        f"{'':>24}{', '.join(notes)}, by {row['author']}",
    ]


def opened(proposal: Proposal, created: bool) -> str:
    how = "" if created else f" (already {proposal.state})"
    how = " (draft)" if proposal.is_draft else how
    lines = [f"proposal {proposal.number}: {proposal.title}{how}"]
    if proposal.is_open:
        lines.append(f"    branch {proposal.branch}, commit {proposal.head[:12]}")
        if proposal.url.startswith("http"):
            lines.append(f"    {proposal.url}")
        lines.append(f"    next: skillforge review {proposal.number}")
    return "\n".join(map(printable, lines))


def import_pending(result: "PendingImport") -> str:
    lines = []
    for record in result.records:
        outcome = f"not proposed: {record.why_not}"
        if proposal := record.proposal:
            status = "opened" if record.created else proposal.state
            outcome = f"proposal {proposal.number}, {status}"
        lines.append(f"{record.id}: {outcome}")
    lines += [f"removed {path.name}" for path in result.cleared]
    if result.can_clear:
        lines.append("--clear removes the records of merged and closed proposals")
    return "\n".join(map(printable, lines)) or "no changes pending in Hermes"


def promotion(result: "Promotion", main: str, *, colour: bool = False) -> str:
    """A merge and the rollout it started, or the verdict that refused it."""
    proposal = result.proposal
    if not result.merge:
        assert proposal.verdict is not None
        return verdict(proposal.verdict, colour=colour)
    how = "was already merged" if result.was_merged else "merged"
    lines = [f"proposal {proposal.number} {how} into {main}: {proposal.title}"]
    lines.append(f"    commit {proposal.merge[:12]}")
    lines += [
        f"the checkout {checkout} was not updated: see git status"
        for checkout in result.left_behind
    ]
    rollout = result.rollout
    if rollout is not None and rollout.is_running:
        lines.append(
            f"    rollout: {rollout.share:g}% of keys get it first; "
            f"skillforge canary status {rollout.skill}"
        )
    elif result.problem:
        lines.append(result.problem)
    return "\n".join(map(printable, lines))


def approval(result: "ReviewDecision") -> str:
    proposal = result.proposal
    refused = ", but the gate refuses it" if result.is_refused else ""
    return (
        f"approved proposal {proposal.number} at {proposal.head[:12]}{refused}\n"
        f"next: {result.next_step}"
    )


def verdict(verdict: Verdict, *, colour: bool = False) -> str:
    lines = [
        f"{_STATUS_LABELS[check.status]:<8} {check.name} ({check.seconds:.2f} s)"
        for check in verdict.checks
    ]
    findings = [finding for check in verdict.checks for finding in check.findings]
    lines += finding_lines(findings, colour=colour)
    if known := sum(finding.known for finding in findings):
        lines.append(f"{plural(known, 'known finding')} in the baseline")
    return "\n".join([*lines, _conclusion(verdict)])


def _conclusion(verdict: Verdict) -> str:
    if not verdict.checks:
        return "the gate has not run"
    refused = "gate failed: fix the draft, and propose it again with --supersede"
    end = "gate passed" if verdict.passed else refused
    if verdict.not_run:
        end = (
            f"gate failed: {', '.join(verdict.not_run)} did not run here, which says "
            "nothing about the draft; fix that (skillforge doctor checks this "
            "machine), and run the gate again"
        )
    if not any(check.skills for check in verdict.checks):
        end += " (no skill changed, so there was nothing to check)"
    return end


def finding_lines(findings: Iterable[Finding], *, colour: bool = False) -> list[str]:
    return [
        report.finding_text(finding, colour=colour)
        for finding in findings
        if report.is_news(finding)
    ]


def review(brief: "ReviewBrief", *, full: bool, colour: bool) -> str:
    """One screen for a reviewer; the diff is cut unless `full`."""
    proposal = brief.proposal
    about = {
        "by": f"{proposal.author}, origin {proposal.origin}, "
        f"{age_days(proposal):.1f} days old",
        "why": proposal.why or "no reason given",
        "absorbs": ", ".join(proposal.skills[1:]),
        "into": proposal.absorbed_into,
        "summary": brief.description or "-",
        "examples": "\n".join(map(_example_line, brief.examples)) or "none",
        "size": f"SKILL.md {growth(*brief.sizes)}; all files {growth(*brief.totals)}",
        "scan": brief.verdict.danger or "",
        "github": f"gate run in CI: {proposal.ci}" if proposal.ci else "",
        "asks for": ", ".join(brief.powers) or "nothing new",
        "overlap": _overlap(brief),
    }
    lines = [f"proposal {proposal.number}: {proposal.title} ({_standing(brief)})"]
    for name, value in about.items():
        first, *rest = lines_of(value) or [""]
        lines += [f"{name:<9} {first}"] if value else []
        lines += [f"{'':<9} {line}" for line in rest]
    lines = [printable(line) for line in lines]
    lines += ["", *_diff_lines(brief.diff, full, colour), ""]
    lines.append(verdict(brief.verdict, colour=colour))
    lines += [printable(f"{c.by}: {c.text}") for c in proposal.comments]
    if brief.next_step:
        lines.append(printable(f"next: {brief.next_step}"))
    return "\n".join(lines)


def _example_line(example: "ExampleSummary") -> str:
    by = f", verified by {example.verified_by}" if example.verified_by else ""
    reviewed = f", approved by {example.reviewed_by}" if example.reviewed_by else ""
    outcome = f"{example.outcome or 'no outcome'}{by}{reviewed}"
    return f"{example.id[:12]} {shortened(example.task, _TASK_LENGTH)} ({outcome})"


def _standing(brief: "ReviewBrief") -> str:
    approved = [approval.by for approval in brief.approvals]
    state = "draft" if brief.proposal.is_draft else str(brief.proposal.state)
    return f"{state}, approved by {', '.join(approved)}" if approved else state


def growth(was: int, now: int) -> str:
    """How a size changed, in bytes and percent."""
    if not was or not now:
        return f"{now:,} bytes" if now else f"{was:,} bytes removed"
    return f"{was:,} to {now:,} bytes ({now / was - 1:+.0%})"


def _overlap(brief: "ReviewBrief") -> str:
    near = [f"{n.name} {n.similarity:.0%}" for n in brief.neighbours]
    return ", ".join(near) or "no similar skill"


def _diff_lines(diff: str, full: bool, colour: bool) -> list[str]:
    lines = lines_of(diff)
    shown = lines if full else lines[:_DIFF_LINES]
    painted = [
        _diff_line(printable(line.replace("\t", "    ")), colour) for line in shown
    ]
    left = len(lines) - len(shown)
    return [*painted, f"… {plural(left, 'more line')}: --full"] if left else painted


def _diff_line(line: str, colour: bool) -> str:
    fg = _DIFF_COLOURS.get(line[:1])
    return styled(line, colour and fg is not None, fg=fg)
