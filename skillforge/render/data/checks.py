"""Results of checks as the `data` of `--json`: rules, scan, trials, all of them."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.model import Report
from skillforge.render.data.trials import TrialData, trials
from skillforge.report import FindingData, finding_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillforge.checks.cases.case_run import TestResults
    from skillforge.checks.fixes import Fix
    from skillforge.checks.scan.scan_run import ScanResults


class ReportData(TypedDict):
    """How many skills were checked, and what was found."""

    skills: int
    findings: list[FindingData]


class FixData(TypedDict):
    """A file that was or can be fixed: the rules it then meets, and the diff."""

    path: str
    rules: list[str]
    diff: str


class ValidateData(ReportData):
    """A report; with `--fix` also what was or can be fixed."""

    fixes: NotRequired[list[FixData]]
    written: NotRequired[bool]


class ScanData(ReportData):
    """A report with the verdict on each skill: safe, caution or dangerous."""

    verdicts: dict[str, str]


class AllChecksData(ScanData):
    """A report of all checks: rules, scan and trials."""

    trials: list[TrialData]


class TestData(ReportData):
    """Trials; `remembered` counts the skills whose results were cached."""

    trials: list[TrialData]
    remembered: int


class RuleData(TypedDict):
    """A rule with its page of the manual."""

    id: str
    severity: str
    profile: str
    category: str
    check: str
    fixable: bool
    summary: str
    page: str


class RulesData(TypedDict):
    """The rules of all checks."""

    rules: list[RuleData]


def report(found: Report) -> ReportData:
    findings = [finding_data(finding) for finding in found.findings]
    return {"skills": len(found.skills), "findings": findings}


def fixed(found: Report, fixes: "Sequence[Fix]", written: bool) -> ValidateData:
    rows: list[FixData] = [
        {"path": fix.path, "rules": list(fix.rules), "diff": fix.diff} for fix in fixes
    ]
    return {**report(found), "fixes": rows, "written": written}


def scan(found: "ScanResults") -> ScanData:
    verdicts = {skill: str(verdict) for skill, verdict in found.verdicts.items()}
    return {**report(found.report), "verdicts": verdicts}


def tests(found: "TestResults") -> TestData:
    return {
        "skills": len(found.paths),
        "findings": [finding_data(finding) for finding in found.findings],
        "trials": trials(found.trials),
        "remembered": found.remembered,
    }


def all_checks(
    found: Report, scanned: "ScanResults", tested: "TestResults"
) -> AllChecksData:
    return {
        **report(found),
        "verdicts": scan(scanned)["verdicts"],
        "trials": trials(tested.trials),
    }
