"""A Skills Hub: the published skills of one release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from skillforge.model import Document, DraftFile


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """A version of a skill on main up to the tag, and the change that created it."""

    version: str
    tree: str
    commit: str
    date: str  # ISO 8601, UTC
    action: str
    origin: str
    author: str
    approvers: tuple[str, ...] = ()
    proposal: int | None = None
    why: str = ""
    reverted_by: str = ""
    diff: str = ""  # of SKILL.md from the previous version, as git prints it
    adopted: str = ""  # when the library came under review, for a version from before


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures about the use of a skill, as far as its owner publishes them."""

    uses: int = 0
    success: float | None = None
    interval: tuple[float, float] | None = None
    health: str = ""  # passed, failed, not-run


class AcceptedFinding(NamedTuple):
    """A finding of the scan that the library accepted; `how` is waived or known."""

    rule: str
    path: str
    severity: str
    how: str
    why: str


@dataclass(frozen=True, slots=True)
class PublishedSkill:
    """A skill as it is published: without tests, evals and evidence."""

    name: str
    description: str
    version: str
    tree: str
    files: Mapping[str, DraftFile]  # by path inside the skill; SKILL.md is one of them
    document: Document
    path: str = ""  # its folder in the repository
    group: str = ""  # its metadata.category
    license: str = ""
    scan: str = ""  # safe, caution or dangerous
    accepted: tuple[AcceptedFinding, ...] = ()
    tests: str = ""  # passed, failed, not-run; empty if it has none
    examples: int = 0
    approvers: tuple[str, ...] = ()
    versions: tuple[PublishedVersion, ...] = ()  # the newest first
    figures: Figures = field(default_factory=Figures)

    @property
    def scan_state(self) -> str:
        """The verdict, or the worse one of what was accepted, with how it was."""
        worst = min(self.accepted, key=lambda f: f.severity, default=None)
        if worst is None or (worst.severity != "error" and self.scan == "dangerous"):
            return self.scan
        verdict = "dangerous" if worst.severity == "error" else "caution"
        return f"{verdict} ({worst.how})"


@dataclass(frozen=True, slots=True)
class Hub:
    """Everything that a release publishes; it is the same on any machine."""

    title: str
    tag: str
    commit: str
    date: str  # of the tagged commit, ISO 8601, UTC
    skills: tuple[PublishedSkill, ...]  # by name
    notes: str = ""  # of the release, Markdown
    url: str = ""  # where it will be served, if known; ends in /
    repository: str = ""  # owner/name or a git URL that clients can install from
