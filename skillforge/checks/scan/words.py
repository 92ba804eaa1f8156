"""A scan in words for people."""

from collections import Counter
from collections.abc import Mapping

from skillforge.model import Danger, Report, Severity
from skillforge.report import finding_text, plural, printable

_COLOURS = {Danger.SAFE: "32", Danger.CAUTION: "33", Danger.DANGEROUS: "31"}


def text(
    report: Report,
    verdicts: Mapping[str, Danger],
    *,
    colour: bool = False,
    notes: bool = False,
) -> str:
    """What was found, what stands there, and the verdict on each skill that has one."""
    lines: list[str] = []
    for finding in report.findings:
        if notes or finding.severity is not Severity.NOTE:
            first, *rest = finding_text(finding, colour=colour).split("\n")
            lines += [
                first,
                *([f"    > {printable(finding.text)}"] if finding.text else []),
            ]
            lines += rest
    lines += [
        f"{printable(name)}: {_paint(verdict, colour)}"
        for name, verdict in verdicts.items()
        if verdict is not Danger.SAFE
    ]
    return "\n".join([*lines, summary(report, verdicts, notes=notes)])


def summary(
    report: Report, verdicts: Mapping[str, Danger], *, notes: bool = True
) -> str:
    """One line: how many skills, and how many of each verdict."""
    counts = Counter(verdicts.values())
    each = ", ".join(
        f"{counts[danger]} {danger}" for danger in Danger if counts[danger]
    )
    hidden = report.count(Severity.NOTE)
    is_hidden = hidden and not notes
    aside = f" ({plural(hidden, 'note')}; --notes shows them)" if is_hidden else ""
    return f"{plural(len(verdicts), 'skill')} scanned: {each or 'none'}{aside}"


def _paint(verdict: Danger, colour: bool) -> str:
    return f"\x1b[{_COLOURS[verdict]}m{verdict}\x1b[0m" if colour else str(verdict)
