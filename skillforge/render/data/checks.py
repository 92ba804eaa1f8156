"""Results of checks as the `data` of `--json`: rules, scan, trials, all of them."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.model import Report
from skillforge.render.data.trials import TrialData, trials
from skillforge.report import FindingData, finding_data

if TYPE_CHECKING:
    from skillforge.checks.cases.case_run import TestResults
    from skillforge.checks.scan.scan_run import ScanResults
    from skillforge.workflows.check import FullCheck
    from skillforge.workflows.validate import Validation


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


def report(report: Report) -> ReportData:
    findings = [finding_data(finding) for finding in report.findings]
    return {"skills": len(report.skills), "findings": findings}


def validation(result: "Validation") -> ValidateData:
    data = report(result.report)
    if result.fixes is None:
        return {"skills": data["skills"], "findings": data["findings"]}
    fixes: list[FixData] = [
        {"path": fix.path, "rules": list(fix.rules), "diff": fix.diff}
        for fix in result.fixes
    ]
    return {**data, "fixes": fixes, "written": result.is_written}


def scan(results: "ScanResults") -> ScanData:
    verdicts = {skill: str(verdict) for skill, verdict in results.verdicts.items()}
    return {**report(results.report), "verdicts": verdicts}


def case_results(results: "TestResults") -> TestData:
    return {
        "skills": len(results.paths),
        "findings": [finding_data(finding) for finding in results.findings],
        "trials": trials(results.trials),
        "remembered": results.remembered,
    }


def all_checks(result: "FullCheck") -> AllChecksData:
    return {
        **report(result.report),
        "verdicts": scan(result.scan)["verdicts"],
        "trials": trials(result.tests.trials),
    }
