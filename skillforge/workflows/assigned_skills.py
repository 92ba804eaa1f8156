"""The skills of main in the versions that a key gets: list, search and read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from skillforge.document import parse
from skillforge.errors import ConfigError, RequestError, ToolError
from skillforge.gitrepo.trees import TreeEntry
from skillforge.history.lineage import successors
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Assignment, Document
from skillforge.operate import assignment, materialize, rollouts
from skillforge.share import search as searches
from skillforge.share import skill_index
from skillforge.share.search import Hit
from skillforge.store.index import Index, IndexedSkill
from skillforge.text import nearest
from skillforge.workflows.lookup import unknown

MAIN = "main"  # asks for main's version, which edits are based on
_FILE_MODES = ("100644", "100755")
_MOST_NAMES = 20  # in an error
Differences: TypeAlias = tuple[tuple[str, Assignment], ...]


@dataclass(frozen=True)
class SkillVersion:
    """One version of a skill, read from git's objects.

    `main` is the tree that main has.
    """

    library: Library
    assignment: Assignment
    main: str
    files: Mapping[str, TreeEntry]

    @property
    def name(self) -> str:
        return self.assignment.skill

    @property
    def tree(self) -> str:
        return self.assignment.version

    @property
    def document(self) -> Document:
        return _document(self.library, self.tree)

    def read(self, path: str) -> bytes:
        """The bytes of a file; the error for a missing one names others."""
        name = path.removeprefix("./")
        entry = self.files.get(name)
        if entry is None or entry.mode not in _FILE_MODES:
            names = sorted(self.files)[:_MOST_NAMES]
            similar = nearest(name, list(self.files))
            hint = (
                f"did you mean {similar}?" if similar else f"files: {', '.join(names)}"
            )
            raise RequestError(
                f"{self.name} has no file {path!r}",
                hint=hint,
                facts={"available_files": names},
            )
        [data] = self.library.repository().blobs([entry.object])
        return data

    def folder(self) -> tuple[str | None, str]:
        """The folder of this version in the cache; else why there is none."""
        repo = self.library.repository()
        try:
            return str(materialize.cached_folder(repo, self.name, self.tree)), ""
        except (ToolError, ConfigError) as err:
            return None, f"no skill_dir: {err.message}"

    def remember(self, key: str) -> None:
        """Have `record` know that a key got this version."""
        assignment.remember(self.library, [self.assignment], key)


def differences(library: Library, commit: str, key: str) -> Differences:
    """The skills of which a key gets another version than main's, or none.

    A skill whose rollout can't be read isn't given to any key.
    """
    repo = library.repository()
    known = rollouts.read_all(repo)
    names = sorted({*known.valid, *known.damaged})
    trees = repo.names_of([f"{commit}:{library.path_of(name)}" for name in names])
    main = {name: tree for name, tree in zip(names, trees, strict=True) if tree}
    assignments, doubts = assignment.assign_all(library, main, known, key)
    assignments |= {name: Assignment(name, "") for name in doubts}
    return tuple(
        (entry.skill, entry)
        for entry in assignments.values()
        if entry.version != main[entry.skill]
    )


def skills_for(
    library: Library, commit: str, different: Differences
) -> list[IndexedSkill]:
    """The skills that a key gets, by group and name."""
    other = dict(different)
    indexed = skill_index.query(library, commit, Index.skills)
    skills = [s for s in indexed if not s.problem and s.name not in other]
    for name, entry in other.items():
        if entry.version:
            document = _document(library, entry.version)
            about, group = document.words("description"), document.metadata("category")
            skills.append(IndexedSkill(name, entry.version, about, group=group))
    return sorted(skills, key=lambda skill: (skill.group, skill.name))


def search_for(library: Library, query: str, limit: int, key: str) -> list[Hit]:
    """The skills that match a query and that a key gets, the best first."""
    commit = library.tip
    different = differences(library, commit, key)
    hidden = {name for name, entry in different if not entry.version}
    hits = searches.search(library, commit, query, limit + len(hidden))
    return [hit for hit in hits if hit.skill.name not in hidden][:limit]


def version_for(
    library: Library, name: str, key: str, version: str = ""
) -> SkillVersion:
    """The version of a skill that a key gets; or main's, or a tree that main had."""
    commit = library.tip
    name, main = _on_main(library, commit, library.full_name(name))
    if version == MAIN:
        chosen = Assignment(name, main)
    elif version:
        chosen = Assignment(name, _known_tree(library, name, version))
    else:
        chosen = assignment.assigned(library, name, key)
    if not chosen.version:
        raise _unknown(library, commit, name)
    files = library.repository().files_in(chosen.version)
    return SkillVersion(library, chosen, main, files)


def _document(library: Library, tree: str) -> Document:
    file = library.repository().find(f"{tree}:{SKILL_FILE}")
    return parse(file.data if file else b"")


def _on_main(library: Library, commit: str, name: str) -> tuple[str, str]:
    """A skill and its tree on main; an old name leads to its successor."""
    known = library.skill_trees(commit)
    plain = name.rpartition("/")[2]  # Hermes writes `category/skill`
    for known_as in (name, plain) if plain.isprintable() else ():
        if known_as not in known:
            known_as = successors(library, commit).get(known_as, "")
        if known_as in known:
            return known_as, known[known_as]
    raise _unknown(library, commit, name)


def _known_tree(library: Library, name: str, tree: str) -> str:
    """A tree that was a version of the skill on main; no other object is shown."""
    repo = library.repository()
    commits = repo.log("--first-parent", library.tip, "--", library.path_of(name))
    known = library.versions((commit.name for commit in commits), name)
    if tree.isalnum() and tree in known:
        return tree
    raise RequestError(
        f"{name} never had the version {tree!r} on {library.main}",
        hint='a version is a git tree; "main" is the one that edits are based on',
    )


def _unknown(library: Library, commit: str, name: str) -> RequestError:
    err = unknown(library, commit, name, is_now=True)
    names = sorted(library.skill_trees(commit))[:_MOST_NAMES]
    return RequestError(
        err.message,
        hint="skills_list lists all skills; skill_search finds them by words",
        facts={"available_skills": names},
    )
