"""Captures as text for a terminal."""

from collections import Counter
from typing import TYPE_CHECKING

from skillforge.model import Example
from skillforge.render.text.examples import example_line, short
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.learn.capture import CaptureResult

_MOST = 20
_MOST_PASSED_OVER = 5


def capture(result: "CaptureResult") -> str:
    lines = [example_line(example) for example in result.kept[:_MOST]]
    if len(result.kept) > _MOST:
        lines.append(f"… and {len(result.kept) - _MOST:,} more")
    lines += [
        f"{problem.path}:{problem.line}: {problem.message}"
        for problem in result.problems[:_MOST]
    ]
    if (more := len(result.problems) - _MOST + result.more_problems) > 0:
        lines.append(f"… and {plural(more, 'more problem')}")
    lines += [f"skipped {count}: {reason}" for reason, count in result.skipped.items()]
    lines += [_passed_over(*entry) for entry in result.passed_over[:_MOST_PASSED_OVER]]
    redacted: Counter[str] = Counter()
    for example in (*result.kept, *result.failures):
        redacted.update(example.redacted)
    if redacted:
        counts = ", ".join(
            f"{count} {kind}" for kind, count in sorted(redacted.items())
        )
        lines.append(f"redacted: {counts}")
    if flagged := sum("instructions" in example.flags for example in result.kept):
        verb = "contains" if flagged == 1 else "contain"
        lines.append(
            f"{plural(flagged, 'example')} {verb} instructions aimed at the agent: "
            "review carefully"
        )
    return "\n".join(map(printable, [*lines, _summary(result)]))


def _passed_over(example: Example, reason: str) -> str:
    missing = [name for name, holds in example.worth._asdict().items() if not holds]
    if missing:
        reason = f"{example.worth.value:.1f}, lacks {', '.join(missing)}"
    return f"    {short(example.task, 50)} ({reason})"


def _summary(result: "CaptureResult") -> str:
    parts = [
        f"kept {plural(len(result.kept), 'example')}",
        f"skipped {sum(result.skipped.values())}",
    ]
    parts += [f"{result.known} already known"] if result.known else []
    parts += [f"approved {result.approved} of them"] if result.approved else []
    parts += (
        [f"{plural(result.unchanged, 'file')} unchanged"] if result.unchanged else []
    )
    parts += [plural(len(result.problems) + result.more_problems, "problem")]
    summary = ", ".join(parts)
    if result.is_dry_run:
        return f"{summary}; nothing was stored"
    is_pending = any(example.review.status == "pending" for example in result.kept)
    return f"{summary}; next: skillforge examples list" if is_pending else summary
