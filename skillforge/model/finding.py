"""What a check says: findings, reports, and the rules that they come from."""

import inspect
import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

SKILL_FILE = "SKILL.md"
SKILLS = "skills"  # the folders of a library
EVIDENCE = "evidence"
ARCHIVE = "archive"  # skills that are out of use, and can come back
OURS = (SKILLS, EVIDENCE, ARCHIVE)  # what only proposals change


class Severity(StrEnum):
    """How much a finding matters: only errors block promotion."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Profile(StrEnum):
    """How much is asked of a skill; each profile asks all that the one before does."""

    SPEC = "spec"
    PORTABLE = "portable"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: where it stands, and how to mend it."""

    rule: str
    severity: Severity
    message: str
    path: str = SKILL_FILE
    line: int = 1
    hint: str = ""
    text: str = ""  # what stands there, where a reader would want to see it
    category: str = ""  # of the security scan

    def under(self, folder: str) -> "Finding":
        """The same finding, its path seen from the library instead of the skill."""
        path = f"{folder}/{self.path}"
        if self.path.startswith("../"):
            path = posixpath.normpath(path)
        return replace(self, path=path)


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found in some skills; without errors it is a pass."""

    findings: tuple[Finding, ...] = ()
    skills: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: "Iterable[Report]") -> "Report":
        """One report of several, in their order."""
        reports = list(parts)
        return cls(
            tuple(finding for report in reports for finding in report.findings),
            tuple(skill for report in reports for skill in report.skills),
        )

    @property
    def ok(self) -> bool:
        """Whether nothing found here blocks promotion."""
        return all(f.severity is not Severity.ERROR for f in self.findings)

    def count(self, severity: Severity) -> int:
        return sum(f.severity is severity for f in self.findings)


class Danger(StrEnum):
    """The verdict of a security scan on one skill."""

    SAFE = "safe"
    CAUTION = "caution"  # a person has to look at it
    DANGEROUS = "dangerous"

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> "Danger":
        """One finding of a tier decides; the tiers are never added up."""
        severities = {finding.severity for finding in findings}
        if Severity.ERROR in severities:
            return cls.DANGEROUS
        return cls.CAUTION if Severity.WARNING in severities else cls.SAFE


class RuleProblem(NamedTuple):
    """What a rule saw, before the rule's name and severity are put to it."""

    message: str
    hint: str
    line: int = 1
    path: str = SKILL_FILE
    text: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One demand on a skill; its manual page is `manual`, or the docstring of `check`.

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
    """The rules that a module defines, in the order in which it defines them."""
    return tuple(value for value in namespace.values() if isinstance(value, Rule))
