"""Curation reports as text."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillforge.render.text.offers import with_offers
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.operate.curate import CurationFinding
    from skillforge.workflows.curate import Curation, Restoration

_ACTIONS = {
    "archive": "can be archived",
    "consolidate": "can be absorbed",
    "repair": "links can be fixed",
}


def curate(curation: "Curation") -> str:
    """A finding per line, the counts, and the proposals."""
    findings = curation.report.findings
    lines = [printable(line) for finding in findings for line in _lines(finding)]
    if not curation.report.is_recorded:
        lines.append(
            "no uses recorded here, so stale skills can't be found (skillforge record)"
        )
    counts = Counter(finding.kind for finding in findings)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    total = plural(len(findings), "finding")
    lines.append(f"{total}: {kinds}" if findings else "no findings")
    drafts = sum(finding.draft is not None for finding in findings)
    if curation.is_dry and drafts:
        lines.append(f"nothing changed; --propose opens {plural(drafts, 'proposal')}")
    return with_offers("\n".join(lines), curation.offers)


def pinned(name: str, is_pinned: bool) -> str:
    return f"{name} is {'already' if is_pinned else 'not'} pinned"


def restorable(result: "Restoration") -> str:
    version = result.version[:10]
    return (
        f"{result.skill} can be restored as version {version}; to propose it: --propose"
    )


def _lines(finding: "CurationFinding") -> Iterator[str]:
    yield f"{finding.skill or 'all skills'}: {finding.kind}: {finding.message}"
    if finding.left_alone:
        yield f"    skipped: {finding.left_alone}"
    elif finding.draft:
        yield f"    {_ACTIONS[finding.action]}"
