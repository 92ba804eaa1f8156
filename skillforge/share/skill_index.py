"""The search index of a commit's skills, updated when it is first used.

An index belongs to one tree of `skills/`, so it never shows another commit's skills. A
new one is made from the last by reading only the skills that changed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from skillforge.errors import ConflictError, ToolError
from skillforge.gitrepo import GitRepo
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Skill
from skillforge.store.index import (
    DamagedError,
    Index,
    IndexedSkill,
    Indexes,
    SkillText,
    in_memory,
)

T = TypeVar("T")
_LOCK_SECONDS = 30.0  # that another process may take to write the same index


def commit_of(library: Library, revision: str | None) -> str:
    """The commit of a revision, by default main's."""
    return library.tip if revision is None else library.repository().resolve(revision)


def query(library: Library, commit: str, read: Callable[[Index], T]) -> T:
    """The result of `read` on the index of a commit; a damaged index is rebuilt."""
    repo = library.repository()
    tree = library.skills_state(commit)
    indexes = Indexes.of(repo.common_dir)
    for _ in range(2):
        with _opened(library, commit, tree, indexes) as index:
            try:
                return read(index)
            except DamagedError:
                indexes.forget(tree)
    raise ToolError(
        "the search index was rebuilt, but still cannot be read",
        hint=f"check the disk, remove {indexes.folder}/search-* and try again",
    )


@contextmanager
def _opened(
    library: Library, commit: str, tree: str, indexes: Indexes
) -> Iterator[Index]:
    index = indexes.find(tree) or _build(library, commit, tree, indexes)
    try:
        yield index
    finally:
        index.close()


def _build(library: Library, commit: str, tree: str, indexes: Indexes) -> Index:
    """A new index; in memory if it can't be written."""
    from skillforge.store.lock import locked

    try:
        with locked(indexes.folder / "search.lock", "the git directory", _LOCK_SECONDS):
            if index := indexes.find(tree):
                return index  # another process was faster
            _write(library, commit, tree, indexes)
            if index := indexes.find(tree):
                return index
    except (ToolError, ConflictError):
        pass
    return in_memory(tree, _texts(library, commit, _skill_trees(library, commit)))


def _write(library: Library, commit: str, tree: str, indexes: Indexes) -> None:
    """Write the index of a tree, from the last index if few skills changed."""
    trees = _skill_trees(library, commit)
    indexed, path = _last_index(indexes)
    unchanged = {s.name for s in indexed if trees.get(s.name) == s.tree}
    outdated = [skill for skill in indexed if skill.name not in unchanged]
    bodies = _bodies(library.repository(), outdated)
    if path is None or bodies is None or 2 * len(outdated) > len(indexed):
        indexes.write(tree, None, (), _texts(library, commit, trees))
        return
    removed = list(map(SkillText, outdated, bodies))
    added = {name: tree for name, tree in trees.items() if name not in unchanged}
    indexes.write(tree, path, removed, _texts(library, commit, added))


def _last_index(indexes: Indexes) -> tuple[list[IndexedSkill], Path | None]:
    """The skills and the file of the newest index, if it can be read."""
    newest = indexes.latest()
    if newest is None:
        return [], None
    index, path = newest
    try:
        return index.skills(), path
    except DamagedError:
        return [], None
    finally:
        index.close()


def _skill_trees(library: Library, commit: str) -> dict[str, str]:
    """The trees of a commit's skills, without those whose names can't be printed."""
    trees = library.skill_trees(commit)
    return {name: tree for name, tree in trees.items() if name.isprintable()}


def _bodies(repo: GitRepo, skills: list[IndexedSkill]) -> list[str] | None:
    """The bodies of indexed skills; None if git no longer has them."""
    from skillforge.document import MAX_BYTES, parse

    trees = [skill.tree for skill in skills]
    if not all(repo.names_of(trees)):
        return None
    blobs = repo.find_all([f"{tree}:{SKILL_FILE}" for tree in trees])
    return [
        parse(blob.data).body if blob and len(blob.data) <= MAX_BYTES else ""
        for blob in blobs
    ]


def _texts(
    library: Library, commit: str, trees: Mapping[str, str]
) -> Iterator[SkillText]:
    """Skills of a commit, by name and tree, as they are indexed."""
    for skill in library.read_at(commit, trees) if trees else ():
        yield _text(skill, trees[skill.name])


def _text(skill: Skill, tree: str) -> SkillText:
    from skillforge.checks.triggers import queries

    document = skill.document
    if document is None:
        return SkillText(IndexedSkill(skill.name, tree, problem="no SKILL.md"), "")
    description = document.words("description").strip()
    problem = "" if description else "no description"
    indexed = IndexedSkill(
        skill.name,
        tree,
        description,
        "\n".join(queries(skill)),
        document.metadata("version") or document.words("version"),
        document.metadata("category").strip(),
        problem if document.readable else "SKILL.md cannot be read",
    )
    return SkillText(indexed, document.body)
