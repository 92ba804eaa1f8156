"""What the commands of the loop say to people, and the keys that scripts rely on."""

import hashlib
import json
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from skillforge import report
from skillforge.model import (
    CheckResult,
    Finding,
    Proposal,
    Severity,
    Status,
    Verdict,
)
from skillforge.propose.admission import DAY
from skillforge.propose.evidence_summary import ExampleSummary, shortened
from skillforge.propose.github_merges import cut_words
from skillforge.report import many, printable
from skillforge.text import lines_of

if TYPE_CHECKING:
    from skillforge.propose.audit import Audit, AuditException
    from skillforge.propose.promote import Promoted
    from skillforge.propose.review import ReviewBrief
    from skillforge.propose.skill_history import HistoryVersion, SkillHistory

_SIGNS = {
    Status.PASSED: "passed",
    Status.FAILED: "FAILED",
    Status.ERROR: "ERROR",
    Status.NOT_RUN: "NOT RUN",
}
_SHOWN_LINES = 80  # of a diff, on one screen


def age_days(proposal: Proposal) -> float:
    return round(max(0.0, time.time() - proposal.opened) / DAY, 2)


def proposal_row(proposal: Proposal, conflicts: bool | None) -> dict[str, Any]:
    verdict = proposal.verdict
    is_current = verdict is not None and verdict.head == proposal.head
    checks = str(proposal.ci or "none")
    if verdict is not None:
        checks = "passed" if verdict.passed else "failed"
        checks = checks if is_current else "stale"
    return {
        "number": proposal.number,
        "skill": proposal.skill,
        "action": proposal.action,
        "state": proposal.state,
        "author": proposal.author,
        "origin": proposal.origin,
        "branch": proposal.branch,
        "head": proposal.head,
        "age_days": age_days(proposal),
        "checks": checks,
        "conflicts": conflicts,
        "approvals": [a.by for a in proposal.approvals if a.head == proposal.head],
        "draft": proposal.is_draft,
        "title": proposal.title,
        "skills": list(proposal.skills),
        "merge": proposal.merge or None,
        "url": proposal.url,
    }


def proposals_text(rows: list[dict[str, Any]], hidden: int) -> str:
    lines = [_proposal_line(row) for row in rows]
    if not rows:
        lines.append("no proposal is open")
    if hidden:
        are = "is" if hidden == 1 else "are"
        lines.append(f"{many(hidden, 'more proposal')} {are} over: --all shows them")
    return "\n".join(printable(part) for line in lines for part in line.split("\n"))


def _proposal_line(row: dict[str, Any]) -> str:
    notes = [f"checks {row['checks']}", *(["conflicts"] if row["conflicts"] else [])]
    notes += [f"{len(row['approvals'])} approved"] if row["approvals"] else []
    state = "draft" if row["draft"] and row["state"] == "open" else row["state"]
    return (
        f"{row['number']:>4}  {state:<8} {row['age_days']:>5.1f} d  {row['title']}\n"
        f"{'':>24}{', '.join(notes)}, by {row['author']}"
    )


def opened_data(proposal: Proposal, created: bool) -> dict[str, Any]:
    return {
        "proposal": proposal.number,
        "branch": proposal.branch,
        "commit": proposal.head,
        "skill": proposal.skill,
        "created": created,
        "url": proposal.url,
        "state": proposal.state,
    }


def opened_text(proposal: Proposal, created: bool) -> str:
    how = "" if created else f", {proposal.state} already"
    how = ", a draft" if proposal.is_draft else how
    lines = [f"proposal {proposal.number}: {proposal.title}{how}"]
    if proposal.is_open:
        lines.append(f"    branch {proposal.branch}, commit {proposal.head[:12]}")
        if proposal.url.startswith("http"):
            lines.append(f"    {proposal.url}")
        lines.append(f"    next: skillforge review {proposal.number}")
    return "\n".join(map(printable, lines))


def promoted_text(done: "Promoted", main: str) -> str:
    proposal = done.proposal
    how = "was merged" if done.again else "is merged"
    lines = [f"proposal {proposal.number} {how} into {main}: {proposal.title}"]
    lines.append(f"    commit {proposal.merge[:12]}")
    lines += [
        f"the checkout {place} is left behind: see git status" for place in done.left
    ]
    return "\n".join(map(printable, lines))


def check_data(verdict: Verdict, check: CheckResult) -> dict[str, Any]:
    said = [report.finding_data(finding) for finding in check.findings]
    about = [verdict.head, verdict.base, verdict.policy, check.name, check.status, said]
    digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    return {
        "name": check.name,
        "status": check.status,
        "seconds": round(check.seconds, 4),
        "digest": f"sha256:{digest}",
        "skills": dict(check.skills),
    }


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    findings = [f for check in verdict.checks for f in check.findings]
    return {
        "passed": verdict.passed,
        "checks": [check_data(verdict, check) for check in verdict.checks],
        "findings": [report.finding_data(finding) for finding in findings],
        "head": verdict.head,
        "base": verdict.base,
        "tree": verdict.tree,
        "policy": verdict.policy or None,
        "digest": f"sha256:{verdict.digest}",
    }


def verdict_text(verdict: Verdict, *, colour: bool = False) -> str:
    lines = [
        f"{_SIGNS[check.status]:<8} {check.name} ({check.seconds:.2f} s)"
        for check in verdict.checks
    ]
    findings = [f for check in verdict.checks for f in check.findings]
    lines += finding_lines(findings, colour=colour)
    refused = "the gate refuses this; mend the draft, and propose it with --supersede"
    end = "the gate passed" if verdict.passed else refused
    if not any(check.skills for check in verdict.checks):
        end += "; no skill is touched, so there was nothing to judge"
    end = end if verdict.checks else "the gate has not run"
    return "\n".join([*lines, end])


def finding_lines(findings: Iterable[Finding], *, colour: bool = False) -> list[str]:
    return [
        report.finding_text(finding, colour=colour)
        for finding in findings
        if finding.severity is not Severity.NOTE
    ]


def brief_data(brief: "ReviewBrief") -> dict[str, Any]:
    was, now = brief.sizes
    total_was, total_now = brief.totals
    return {
        **proposal_row(brief.proposal, brief.conflicts),
        "stale": brief.is_stale,
        "next": brief.next_step,
        "proposal": brief.proposal.number,
        "why": brief.proposal.why,
        "examples": list(brief.proposal.examples),
        "description": brief.description,
        "base": brief.proposal.base,
        "diff": brief.diff,
        "gate": verdict_data(brief.verdict),
        "size": {"before": was, "after": now},
        "total_size": {"before": total_was, "after": total_now},
        "scan": brief.verdict.danger,
        "powers": list(brief.powers),
        "overlap": [near._asdict() for near in brief.neighbours],
        "approvals": [approval.by for approval in brief.standing],
        "comments": [comment._asdict() for comment in brief.proposal.comments],
    }


def brief_text(brief: "ReviewBrief", *, full: bool, colour: bool) -> str:
    """One screen for a reviewer; the diff is cut unless all of it is asked for."""
    proposal = brief.proposal
    about = {
        "by": f"{proposal.author}, origin {proposal.origin}, "
        f"{age_days(proposal):.1f} days old",
        "why": proposal.why or "no reason given",
        "absorbs": ", ".join(proposal.skills[1:]),
        "into": proposal.absorbed_into,
        "triggers": brief.description or "-",
        "examples": "\n".join(map(_told_line, brief.told)) or "none",
        "size": f"SKILL.md {growth(*brief.sizes)}; all files {growth(*brief.totals)}",
        "scan": brief.verdict.danger or "",
        "github": f"its own run of the gate: {proposal.ci}" if proposal.ci else "",
        "powers": ", ".join(brief.powers) or "nothing new",
        "overlap": _overlap(brief),
    }
    lines = [f"proposal {proposal.number}: {proposal.title} ({_standing(brief)})"]
    for name, value in about.items():
        first, *rest = lines_of(value) or [""]
        lines += [f"{name:<9} {first}"] if value else []
        lines += [f"{'':<9} {line}" for line in rest]
    lines = [printable(line) for line in lines]
    lines += ["", *_diff_lines(brief.diff, full, colour), ""]
    lines.append(verdict_text(brief.verdict, colour=colour))
    lines += [printable(f"{c.by}: {c.text}") for c in proposal.comments]
    if brief.next_step:
        lines.append(printable(f"next: {brief.next_step}"))
    return "\n".join(lines)


def _told_line(told: ExampleSummary) -> str:
    by = f", verified by {told.verified_by}" if told.verified_by else ""
    reviewed = f", approved by {told.reviewed_by}" if told.reviewed_by else ""
    said = f"{told.outcome or 'no outcome'}{by}{reviewed}"
    return f"{told.id[:12]} {shortened(told.task, 60)} ({said})"


def _standing(brief: "ReviewBrief") -> str:
    approved = [approval.by for approval in brief.standing]
    state = "draft" if brief.proposal.is_draft else str(brief.proposal.state)
    return f"{state}, approved by {', '.join(approved)}" if approved else state


def growth(was: int, now: int) -> str:
    if not was or not now:
        return f"{now:,} bytes" if now else f"{was:,} bytes go"
    return f"{was:,} to {now:,} bytes ({now / was - 1:+.0%})"


def _overlap(brief: "ReviewBrief") -> str:
    near = [f"{n.name} {n.similarity:.0%}" for n in brief.neighbours]
    return ", ".join(near) or "no other skill says the same"


def _diff_lines(diff: str, full: bool, colour: bool) -> list[str]:
    lines = lines_of(diff)
    shown = lines if full else lines[:_SHOWN_LINES]
    painted = [
        _painted(printable(line.replace("\t", "    ")), colour) for line in shown
    ]
    left = len(lines) - len(shown)
    return [*painted, f"… {many(left, 'more line')}: --full"] if left else painted


def _painted(line: str, colour: bool) -> str:
    code = {"+": "32", "-": "31", "@": "36"}.get(line[:1])
    return f"\x1b[{code}m{line}\x1b[0m" if colour and code else line


def log_text(versions: "list[HistoryVersion]") -> str:
    lines = (line for version in versions for line in _version_lines(version))
    return "\n".join(map(printable, lines))


def _version_lines(version: "HistoryVersion") -> list[str]:
    data = version.data
    name = version.version or ("-" if version.tree else "removed")
    what = f"{data['action']}, {_number(data['proposal'])}"
    instead = f", instead of {version.before[:10]}" if version.before else ""
    lines = [f"{name:<9} {version.tree[:10] or '-':<11}{data['date'][:10]}  {what}"]
    lines.append(f"{'':<21}by {data['author']}{_of(data['origin'])}{instead}")
    if data["approvers"] or data["at_once_by"]:
        lines.append(f"{'':<21}{_approval(data)}")
    lines += [f"{'':<21}{line}" for line in _gaps(data)]
    if version.reverted_by:
        lines.append(f"{'':<21}reverted by {version.reverted_by[:10]}")
    return lines


def _of(origin: str) -> str:
    return f" ({origin})" if origin else ""


def _number(number: int | None) -> str:
    return f"proposal {number}" if number else "no proposal"


def story_data(story: "SkillHistory") -> dict[str, Any]:
    rows = [
        version.data
        | {
            "why": version.step.reason,
            "examples": story.examples.get(version.step.name, []),
            "releases": story.tags.get(version.tree, []) if version.tree else [],
            "checks": "".join(version.step.said.get("Checks-Digest", [])[:1]),
            "draft_commit": version.step.brought[0].name
            if version.step.brought
            else None,
            "reverts": [step.name for step in version.step.reverts],
        }
        for version in story.versions
    ]
    return {"skill": story.name, "became": list(story.became), "versions": rows}


def story_text(story: "SkillHistory") -> str:
    lines: list[str] = []
    for row in story_data(story)["versions"]:
        gone = "" if row["tree"] else " (removed)"
        lines.append(f"{row['skill']} {row['version'] or '-'}{gone}")
        lines.append(f"    {row['action']} by {row['author']} on {row['date'][:10]}")
        if row["why"]:
            lines.append(f"    because: {' '.join(row['why'].split())}")
        if row["examples"]:
            named = ", ".join(it[:12] for it in row["examples"])
            lines.append(f"    from examples: {named}")
        if row["proposal"]:
            lines.append(f"    proposal {row['proposal']}, {_approval(row)}")
            lines += [f"    {line}" for line in _gaps(row)]
        if row["checks"]:
            lines.append(f"    checks {row['checks'][:23]}, merge {row['commit'][:12]}")
        if row["releases"]:
            lines.append(f"    released in {', '.join(row['releases'])}")
        if row["reverted_by"]:
            lines.append(f"    reverted by {row['reverted_by'][:12]}")
    if story.became:
        lines.append(f"{story.name} went into {', '.join(story.became)}")
    return "\n".join(map(printable, lines))


def _gaps(row: dict[str, Any]) -> list[str]:
    """What a merge made on GitHub leaves out."""
    return [cut_words(row["proposal"])] if row["cut"] and row["proposal"] else []


def _approval(row: dict[str, Any]) -> str:
    if not row["recorded"] and row["proposal"]:
        return "merged on GitHub; who approved it is not noted here"
    if row["at_once_by"]:
        return f"merged at once by {row['at_once_by']}"
    return f"approved by {', '.join(row['approvers']) or 'nobody'}"


def audit_data(audit: "Audit") -> dict[str, Any]:
    return {
        "promotions": audit.promotions,
        "reverts": audit.reverts,
        "adopted": audit.adopted,
        "records": audit.has_records,
        "exceptions": [problem._asdict() for problem in audit.exceptions],
        "warnings": list(audit.warnings),
    }


def problem_text(problem: "AuditException") -> str:
    where = problem.commit if "/" in problem.commit else problem.commit[:12]
    return printable(f"{where} {problem.kind}: {problem.message}")


def audit_text(audit: "Audit", is_here: bool) -> str:
    """What an audit found; `is_here` tells whether records could be in this clone."""
    lines = [problem_text(problem) for problem in audit.exceptions]
    counted = [many(audit.promotions, "promotion")]
    if audit.reverts:
        counted.append(many(audit.reverts, "revert"))
    if audit.adopted:
        counted.append(f"{many(audit.adopted, 'commit')} adopted")
    end = many(len(audit.exceptions), "exception") if lines else "all judged"
    lines += [f"warning: {warning}" for warning in audit.warnings]
    if audit.warnings:
        lines.append("    skillforge doctor --fix brings it to main")
    lines.append(f"{', '.join(counted)}: {end}")
    if audit.promotions and not audit.has_records and is_here:
        lines.append("the proposals' records are not here to compare with:")
        lines.append("    git fetch origin 'refs/skillforge/*:refs/skillforge/*'")
    elif audit.promotions and not audit.has_records:
        lines.append("GitHub was not asked whether it agrees: audit --remote does")
    return "\n".join(map(printable, lines))
