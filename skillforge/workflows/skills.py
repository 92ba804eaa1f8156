"""List, search and show the skills of main, or of another revision."""

from dataclasses import dataclass, field

from skillforge.library import Library
from skillforge.model import Layout
from skillforge.share import search as searches
from skillforge.share import skill_index, skill_view
from skillforge.share.catalog import group_of
from skillforge.share.search import Hit
from skillforge.share.skill_view import SkillView
from skillforge.store.index import Index, IndexedSkill
from skillforge.workflows.lookup import unknown


@dataclass(frozen=True, slots=True)
class SkillList:
    """The skills of a commit, by name."""

    commit: str
    skills: tuple[IndexedSkill, ...]
    layout: Layout = field(default_factory=Layout)

    def describe(self, skill: IndexedSkill) -> tuple[str, str]:
        """The path and the group of a skill."""
        return self.layout.path_of(skill.name), group_of(skill)


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The skills of a commit that a query matches, the best first."""

    query: str
    commit: str
    hits: tuple[Hit, ...]
    layout: Layout = field(default_factory=Layout)

    def describe(self, skill: IndexedSkill) -> tuple[str, str]:
        """The path and the group of a skill."""
        return self.layout.path_of(skill.name), group_of(skill)


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file of a skill."""

    skill: str
    path: str
    content: bytes


def list_skills(library: Library, revision: str | None = None) -> SkillList:
    commit = skill_index.commit_of(library, revision)
    skills = skill_index.query(library, commit, Index.skills)
    return SkillList(commit, tuple(skills), library.layout)


def search(
    library: Library, query: str, limit: int = 10, revision: str | None = None
) -> SearchResults:
    commit = skill_index.commit_of(library, revision)
    hits = searches.search(library, commit, query, limit)
    return SearchResults(query, commit, tuple(hits), library.layout)


def show(library: Library, name: str, revision: str | None = None) -> SkillView:
    """A skill; the error for one that is gone says what replaced it."""
    commit = skill_index.commit_of(library, revision)
    if view := skill_view.find(library, commit, name):
        return view
    raise unknown(library, commit, name, is_now=revision is None)


def read_file(
    library: Library, name: str, path: str, revision: str | None = None
) -> SkillFile:
    """The bytes of a skill's file."""
    view = show(library, name, revision)
    return SkillFile(name, path, skill_view.read_file(view, path))
