"""What a Skills Hub shows: the skills of one tag, as formats and pages need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from skillforge.model import Document, DraftFile


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """One version of a skill on main up to the tag, and how it came to be."""

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
    diff: str = ""  # of SKILL.md against the version before, as git shows it


@dataclass(frozen=True, slots=True)
class Figures:
    """What was observed of a skill in use; only what its owner chose to publish."""

    uses: int = 0
    success: float | None = None
    interval: tuple[float, float] | None = None
    health: str = ""  # passed, failed, not-run


@dataclass(frozen=True, slots=True)
class PublishedSkill:
    """One skill as it is published: without its tests, evals and evidence."""

    name: str
    description: str
    version: str
    tree: str
    files: Mapping[str, DraftFile]  # by path inside the skill; SKILL.md is one of them
    document: Document
    group: str = ""  # to filter by: its metadata.category, or empty
    license: str = ""
    scan: str = ""  # safe, caution or dangerous
    tests: str = ""  # passed, failed, not-run, or empty where it has none
    examples: int = 0
    approvers: tuple[str, ...] = ()
    versions: tuple[PublishedVersion, ...] = ()  # the newest first
    figures: Figures = field(default_factory=Figures)


@dataclass(frozen=True, slots=True)
class Hub:
    """All that a tag publishes; the same tag gives the same hub on any machine."""

    title: str
    tag: str
    commit: str
    date: str  # of the tagged commit, ISO 8601, UTC
    skills: tuple[PublishedSkill, ...]  # by name
    notes: str = ""  # of the release, Markdown
    url: str = ""  # where it will be served, if that is known; ends in /
    repository: str = ""  # owner/name or a git URL that clients can install from
