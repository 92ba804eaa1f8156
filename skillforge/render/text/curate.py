"""What the curator says to people, and the keys that scripts rely on."""

from collections import Counter
from typing import Any

from skillforge.operate.curate import CurationFinding, CurationReport
from skillforge.report import plural, printable
from skillforge.text import CATALOG_TOKENS

_ACTIONS = {
    "archive": "it can be archived",
    "consolidate": "it can be absorbed",
    "repair": "its links can be mended",
}


def data(done: CurationReport) -> dict[str, Any]:
    return {
        "remarks": [_row(remark) for remark in done.remarks],
        "left_alone": [
            {"skill": it.skill, "kind": it.kind, "reason": it.left_alone}
            for it in done.remarks
            if it.left_alone
        ],
        "uses_recorded": done.is_recorded,
        "catalog": {"tokens": done.tokens, "budget": CATALOG_TOKENS},
    }


def _row(remark: CurationFinding) -> dict[str, Any]:
    return {
        "kind": remark.kind,
        "skill": remark.skill or None,
        "other": remark.other or None,
        "message": printable(remark.message),
        "action": remark.action if remark.draft else None,
        "left_alone": remark.left_alone or None,
    }


def text(done: CurationReport, *, is_dry: bool) -> str:
    lines = [line for remark in done.remarks for line in _lines(remark)]
    if not done.is_recorded:
        lines.append(
            "no uses are recorded here: which skills are stale is not known "
            "(skillforge record)"
        )
    counts = Counter(it.kind for it in done.remarks)
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    lines.append(
        f"{plural(len(done.remarks), 'remark')}: {said}" if said else "all well"
    )
    drafts = sum(it.draft is not None for it in done.remarks)
    if is_dry and drafts:
        lines.append(
            f"nothing was changed; --propose opens {plural(drafts, 'proposal')}"
        )
    return "\n".join(lines)


def _lines(remark: CurationFinding) -> list[str]:
    about = remark.skill or "all skills"
    lines = [f"{about}: {remark.kind}: {remark.message}"]
    if remark.left_alone:
        lines.append(f"    left alone: {remark.left_alone}")
    elif remark.draft:
        lines.append(f"    {_ACTIONS[remark.action]}")
    return [printable(line) for line in lines]
