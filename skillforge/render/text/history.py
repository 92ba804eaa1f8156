"""History and audits as text."""

from typing import TYPE_CHECKING

from skillforge.render.data.history import StoryRow, VersionRow, story_rows, version
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.history.audit import Audit, AuditException
    from skillforge.history.skill_history import HistoryVersion, SkillHistory

_INDENT = " " * 21


def log(versions: "list[HistoryVersion]") -> str:
    lines = (line for entry in versions for line in _version_lines(version(entry)))
    return "\n".join(map(printable, lines))


def _version_lines(row: VersionRow) -> list[str]:
    name = row["version"] or ("-" if row["tree"] else "removed")
    number = f"proposal {row['proposal']}" if row["proposal"] else "no proposal"
    origin = f" ({row['origin']})" if row["origin"] else ""
    replaces = f", replaces {row['replaces'][:10]}" if row["replaces"] else ""
    lines = [
        f"{name:<9} {row['tree'][:10] or '-':<11}{row['date'][:10]}  "
        f"{row['action']}, {number}",
        f"{_INDENT}by {row['author']}{origin}{replaces}",
    ]
    if row["approvers"] or row["at_once_by"]:
        lines.append(f"{_INDENT}{_approval(row)}")
    lines += [f"{_INDENT}{line}" for line in _missing_commits(row)]
    if row["reverted_by"]:
        lines.append(f"{_INDENT}reverted by {row['reverted_by'][:10]}")
    return lines


def why(history: "SkillHistory") -> str:
    lines = [line for row in story_rows(history) for line in _story_lines(row)]
    if history.became:
        lines.append(f"{history.name} was merged into {', '.join(history.became)}")
    return "\n".join(map(printable, lines))


def _story_lines(row: StoryRow) -> list[str]:
    removed = "" if row["tree"] else " (removed)"
    lines = [f"{row['skill']} {row['version'] or '-'}{removed}"]
    lines.append(f"    {row['action']} by {row['author']} on {row['date'][:10]}")
    if row["why"]:
        lines.append(f"    reason: {' '.join(row['why'].split())}")
    if row["examples"]:
        ids = ", ".join(digest[:12] for digest in row["examples"])
        lines.append(f"    examples: {ids}")
    if row["proposal"]:
        lines.append(f"    proposal {row['proposal']}, {_approval(row)}")
        lines += [f"    {line}" for line in _missing_commits(row)]
    if row["checks"]:
        lines.append(f"    checks {row['checks'][:23]}, merge {row['commit'][:12]}")
    if row["releases"]:
        lines.append(f"    released in {', '.join(row['releases'])}")
    if row["reverted_by"]:
        lines.append(f"    reverted by {row['reverted_by'][:12]}")
    return lines


def _missing_commits(row: VersionRow) -> list[str]:
    """How to fetch commits that a squash or rebase on GitHub left out of main."""
    number = row["proposal"]
    if not row["cut"] or not number:
        return []
    fetch = f"git fetch origin refs/pull/{number}/head:refs/skillforge/pulls/{number}"
    return [f"the commits of pull request {number} are not in this clone: {fetch}"]


def _approval(row: VersionRow) -> str:
    if not row["recorded"] and row["proposal"]:
        return "merged on GitHub; its approvals are not recorded in this clone"
    if row["at_once_by"]:
        return f"merged immediately by {row['at_once_by']}"
    return f"approved by {', '.join(row['approvers']) or 'nobody'}"


def audit_exception(exception: "AuditException") -> str:
    """One exception: where, its kind, and what is wrong. A ref is not shortened."""
    commit = exception.commit
    where = commit if "/" in commit else commit[:12]
    return printable(f"{where} {exception.kind}: {exception.message}")


def audit(audit: "Audit", *, is_local: bool) -> str:
    """The result of an audit; `is_local` if records can be in this clone at all."""
    lines = [audit_exception(exception) for exception in audit.exceptions]
    lines += [f"warning: {warning}" for warning in audit.warnings]
    if audit.warnings:
        lines.append("    skillforge doctor --fix updates the checkout")
    lines.append(_summary(audit))
    if audit.promotions and not audit.has_records and is_local:
        lines.append("the records of proposals are not in this clone; to check them:")
        lines.append("    git fetch origin 'refs/skillforge/*:refs/skillforge/*'")
    elif audit.promotions and not audit.has_records:
        lines.append("GitHub was not asked to confirm: use audit --remote")
    return "\n".join(map(printable, lines))


def _summary(audit: "Audit") -> str:
    counts = [plural(audit.promotions, "promotion")]
    if audit.reverts:
        counts.append(plural(audit.reverts, "revert"))
    if audit.adopted:
        counts.append(plural(audit.adopted, "pre-adoption commit"))
    counts.append(plural(len(audit.exceptions), "exception"))
    result = "failed" if audit.exceptions else "passed"
    return f"audit {result}: {', '.join(counts)}"
