"""Findings, reports, and the rules that produce them."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

SKILL_FILE = "SKILL.md"
SKILLS = "skills"  # the folders of a library
EVIDENCE = "evidence"
ARCHIVE = "archive"  # retired skills, which can be restored
BASELINE_FILE = "skillforge.baseline.json"  # findings from before the adoption
WAIVERS_FILE = "waivers.yaml"  # findings of the scan that a reviewer accepted


class Severity(StrEnum):
    """How much a finding matters: only errors block promotion."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Profile(StrEnum):
    """How strict the rules are; each profile includes the one before it."""

    SPEC = "spec"
    PORTABLE = "portable"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem: where it is, and how to fix it."""

    rule: str
    severity: Severity
    message: str
    path: str = SKILL_FILE
    line: int = 1
    hint: str = ""
    text: str = ""  # the text in question, if it helps the reader
    category: str = ""  # of the security scan
    known: bool = False  # in the library's baseline: it blocks nothing
    waived: str = ""  # the reviewer, the last day and the reason of a waiver
    was: str = ""  # the severity before the waiver

    @property
    def blocks(self) -> bool:
        """Whether it blocks promotion: a new error."""
        return self.severity is Severity.ERROR and not self.known

    def under(self, folder: str) -> "Finding":
        """The same finding with a path relative to the library, not to the skill.

        A path that begins with a slash already is.
        """
        is_of_library = self.path.startswith("/")
        path = self.path[1:] if is_of_library else f"{folder}/{self.path}"
        return replace(self, path=path)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in some skills; a report without errors passes."""

    findings: tuple[Finding, ...] = ()
    skills: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: "Iterable[Report]") -> "Report":
        """Several reports as one, in order."""
        reports = list(parts)
        return cls(
            tuple(finding for report in reports for finding in report.findings),
            tuple(skill for report in reports for skill in report.skills),
        )

    @property
    def ok(self) -> bool:
        """Whether nothing found here blocks promotion."""
        return not any(f.blocks for f in self.findings)

    @property
    def known(self) -> int:
        """The number of findings in the library's baseline."""
        return sum(f.known for f in self.findings)

    def count(self, severity: Severity) -> int:
        """The number of new findings of a severity."""
        return sum(f.severity is severity and not f.known for f in self.findings)


class Danger(StrEnum):
    """The verdict of a security scan on one skill."""

    SAFE = "safe"
    CAUTION = "caution"  # needs a reviewer
    DANGEROUS = "dangerous"

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> "Danger":
        """The verdict of the worst finding; findings do not add up."""
        severities = {finding.severity for finding in findings}
        if Severity.ERROR in severities:
            return cls.DANGEROUS
        return cls.CAUTION if Severity.WARNING in severities else cls.SAFE


class RuleProblem(NamedTuple):
    """What a rule reports, before the rule's id and severity are added."""

    message: str
    hint: str
    line: int = 1
    path: str = SKILL_FILE
    text: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; its manual page is `manual`, or else the docstring of `check`.

    Rules of the security scan have a category; the others belong to a profile.
    """

    id: str
    check: Callable[..., Iterable[RuleProblem]]
    severity: Severity
    profile: Profile
    category: str = ""
    manual: str = ""

    def finding(
        self, problem: RuleProblem, severity: Severity | None = None
    ) -> Finding:
        message, hint, line, path, text = problem
        how_bad = severity or self.severity
        return Finding(self.id, how_bad, message, path, line, hint, text, self.category)

    def findings(self, *subject: object) -> list[Finding]:
        return [self.finding(problem) for problem in self.check(*subject)]

    @property
    def page(self) -> str:
        return self.manual or inspect.getdoc(self.check) or ""

    @property
    def summary(self) -> str:
        return " ".join(self.page.split("\n\n")[0].split())


def rule(
    severity: Severity = Severity.ERROR,
    profile: Profile = Profile.SPEC,
    category: str = "",
) -> Callable[[Callable[..., Iterable[RuleProblem]]], Rule]:
    """Make a function a rule; `name_matches_folder` becomes `name-matches-folder`."""

    def make(check: Callable[..., Iterable[RuleProblem]]) -> Rule:
        name = check.__name__.replace("_", "-")
        return Rule(name, check, severity, profile, category)

    return make


def rules_in(namespace: Mapping[str, object]) -> tuple[Rule, ...]:
    """The rules that a module defines, in order."""
    return tuple(value for value in namespace.values() if isinstance(value, Rule))
