"""What a check says: findings, reports, and the rules that they come from."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SKILL_FILE = "SKILL.md"


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

    def under(self, folder: str) -> "Finding":
        """The same finding, its path seen from the library instead of the skill."""
        path = f"{folder}/{self.path}"
        return Finding(
            self.rule, self.severity, self.message, path, self.line, self.hint
        )


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


class Problem(NamedTuple):
    """What a rule saw, before the rule's name and severity are put to it."""

    message: str
    hint: str
    line: int = 1
    path: str = SKILL_FILE


@dataclass(frozen=True, slots=True)
class Rule:
    """One demand on a skill; the docstring of `check` is its manual page."""

    id: str
    check: Callable[..., Iterable[Problem]]
    severity: Severity
    profile: Profile

    def finding(self, problem: Problem, severity: Severity | None = None) -> Finding:
        message, hint, line, path = problem
        return Finding(self.id, severity or self.severity, message, path, line, hint)

    def findings(self, *subject: object) -> list[Finding]:
        return [self.finding(problem) for problem in self.check(*subject)]

    @property
    def page(self) -> str:
        return inspect.getdoc(self.check) or ""

    @property
    def summary(self) -> str:
        return " ".join(self.page.split("\n\n")[0].split())


def rule(
    severity: Severity = Severity.ERROR,
    profile: Profile = Profile.SPEC,
) -> Callable[[Callable[..., Iterable[Problem]]], Rule]:
    """Make a function a rule; `name_matches_folder` becomes `name-matches-folder`."""

    def make(check: Callable[..., Iterable[Problem]]) -> Rule:
        name = check.__name__.replace("_", "-")
        return Rule(name, check, severity, profile)

    return make


def rules_in(namespace: Mapping[str, object]) -> tuple[Rule, ...]:
    """The rules that a module defines, in the order in which it defines them."""
    return tuple(value for value in namespace.values() if isinstance(value, Rule))
