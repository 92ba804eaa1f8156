"""Reports as documents for other programs: SARIF, JUnit, annotations, Markdown.

Text is the usual format, so what the others need is imported when it is used.
"""

from collections.abc import Mapping, Sequence

from skillforge.library import Library
from skillforge.model import Finding, Report, Trial, Verdict
from skillforge.report import FORMATS


def of_report(format_: str, report: Report) -> str | None:
    """A report in a format; None for `text` and `json`, which aren't documents."""
    if format_ not in FORMATS:
        return None
    from skillforge.checks import all_rules

    return FORMATS[format_](report, all_rules())


def of_verdict(format_: str, verdict: Verdict, library: Library) -> str | None:
    """The findings of the gate in a format."""
    findings = tuple(f for check in verdict.checks for f in check.findings)
    skills = {library.path_of(n) for check in verdict.checks for n in check.skills}
    return of_report(format_, Report(findings, tuple(sorted(skills))))


def of_trials(
    format_: str,
    trials: Sequence[Trial],
    findings: Sequence[Finding],
    paths: Mapping[str, str],
) -> str | None:
    """Trials in a format; `paths` are the folders of the skills, by name."""
    if format_ not in FORMATS:
        return None
    from skillforge.checks.cases.case_check import trial_findings
    from skillforge.render.text import trials as trials_text

    if format_ == "junit":
        return trials_text.junit(trials, findings)
    failed = (
        finding.under(paths[trial.skill])
        for trial in trials
        for finding in trial_findings([trial])
    )
    document = of_report(format_, Report((*failed, *findings)))
    if document is not None and format_ == "markdown":
        return trials_text.markdown(document, trials, findings)
    return document
