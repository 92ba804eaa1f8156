"""The results of a scan as text."""

from collections import Counter
from collections.abc import Collection, Mapping

from skillforge.model import Danger, Report, Severity
from skillforge.report import (
    finding_text,
    is_news,
    known_count,
    plural,
    printable,
    styled,
)

_COLOURS = {Danger.SAFE: "green", Danger.CAUTION: "yellow", Danger.DANGEROUS: "red"}


def text(
    report: Report,
    verdicts: Mapping[str, Danger],
    known: Collection[str] = (),
    *,
    colour: bool = False,
    notes: bool = False,
) -> str:
    """Findings with the text they found, and the verdict on each skill.

    Those in `known` have their verdict because of findings in the baseline.
    """
    lines: list[str] = []
    for finding in report.findings:
        if notes or is_news(finding):
            first, *rest = finding_text(finding, colour=colour).split("\n")
            lines += [
                first,
                *([f"    > {printable(finding.text)}"] if finding.text else []),
            ]
            lines += rest
    lines += [
        f"{printable(name)}: {styled(verdict, colour, fg=_COLOURS[verdict])}"
        f"{' (known)' if name in known else ''}"
        for name, verdict in verdicts.items()
        if verdict is not Danger.SAFE
    ]
    return "\n".join([*lines, summary(report, verdicts, notes=notes)])


def summary(
    report: Report, verdicts: Mapping[str, Danger], *, notes: bool = True
) -> str:
    """How many skills were scanned, and how many have each verdict, in a line."""
    counts = Counter(verdicts.values())
    verdict_counts = ", ".join(
        f"{counts[danger]} {danger}" for danger in Danger if counts[danger]
    )
    hidden = report.count(Severity.NOTE)
    is_hidden = hidden and not notes
    aside = f" ({plural(hidden, 'note')}; --notes shows them)" if is_hidden else ""
    return (
        f"{plural(len(verdicts), 'skill')} scanned: {verdict_counts or 'none'}"
        f"{known_count(report)}{aside}"
    )
