"""The skills of a commit as a reader finds them: an index, brought up to it if need be.

The index is kept by tree hashes, so that only skills that changed are read again, and
what another commit says is never shown.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from skillforge.errors import ConflictError, ToolError
from skillforge.gitrepo import GitRepo
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Skill
from skillforge.store.index import (
    DamagedError,
    Index,
    IndexedSkill,
    Indexes,
    SkillText,
    in_memory,
)

T = TypeVar("T")
_PATIENCE = 30.0  # seconds that another process may take to write the same index


def commit_of(library: Library, revision: str | None) -> str:
    """The commit to read: main as it is now, or the one that is asked for."""
    return library.tip if revision is None else library.repository().resolve(revision)


def reading(library: Library, commit: str, read: Callable[[Index], T]) -> T:
    """What `read` finds in the index of a commit; a damaged index is made anew."""
    repo = library.repository()
    tree = repo.name_of(f"{commit}:{SKILLS}")
    kept = Indexes.of(repo.common_dir)
    for _ in range(2):
        with _opened(library, commit, tree, kept) as index:
            try:
                return read(index)
            except DamagedError:
                kept.forget(tree)
    raise ToolError(
        "the index of the skills cannot be read, though it was made anew",
        hint=f"is the disk sound? Remove {kept.folder}/search-* and try again",
    )


@contextmanager
def _opened(library: Library, commit: str, tree: str, kept: Indexes) -> Iterator[Index]:
    index = kept.find(tree) or _made(library, commit, tree, kept)
    try:
        yield index
    finally:
        index.close()


def _made(library: Library, commit: str, tree: str, kept: Indexes) -> Index:
    """A new index; in memory only where it cannot be kept."""
    from skillforge.store.lock import locked

    try:
        with locked(kept.folder / "search.lock", "the git directory", _PATIENCE):
            if found := kept.find(tree):
                return found  # somebody else was quicker
            _write(library, commit, tree, kept)
            if found := kept.find(tree):
                return found
    except (ToolError, ConflictError):
        pass
    trees = _folders(library, commit)
    return in_memory(tree, _texts(library, commit, trees))


def _write(library: Library, commit: str, tree: str, kept: Indexes) -> None:
    """Write the index of a tree; what the last one knows already is not read again."""
    repo = library.repository()
    now = _folders(library, commit)
    known, start = _known(kept)
    same = {it.name for it in known.values() if now.get(it.name) == it.tree}
    fresh = {name: it for name, it in now.items() if name not in same}
    gone = [it for it in known.values() if it.name not in same]
    before = _bodies(repo, gone)
    if start is None or before is None or 2 * len(gone) > len(known):
        kept.write(tree, None, (), _texts(library, commit, now))
    else:
        old = [SkillText(it, body) for it, body in zip(gone, before, strict=True)]
        kept.write(tree, start, old, _texts(library, commit, fresh))


def _known(kept: Indexes) -> tuple[Mapping[str, IndexedSkill], Path | None]:
    found = kept.latest()
    if found is None:
        return {}, None
    index, path = found
    try:
        return {skill.name: skill for skill in index.skills()}, path
    except DamagedError:
        return {}, None
    finally:
        index.close()


def _folders(library: Library, commit: str) -> dict[str, str]:
    """The skills of a commit as trees, without those whose names can't be printed."""
    trees = library.skill_trees(commit)
    return {name: tree for name, tree in trees.items() if name.isprintable()}


def _bodies(repo: GitRepo, skills: list[IndexedSkill]) -> list[str] | None:
    """The bodies of skills as they were; None if git does not have them any more."""
    from skillforge.document import MAX_BYTES, parse

    trees = [skill.tree for skill in skills]
    if not all(repo.names_of(trees)):
        return None
    found = repo.find_all([f"{tree}:{SKILL_FILE}" for tree in trees])
    are_small = (it is not None and len(it.data) <= MAX_BYTES for it in found)
    return [
        parse(it.data).body if is_small and it else ""
        for it, is_small in zip(found, are_small, strict=True)
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
        return SkillText(
            IndexedSkill(skill.name, tree, problem="it has no SKILL.md"), ""
        )
    shelved = IndexedSkill(
        skill.name,
        tree,
        document.words("description").strip(),
        "\n".join(queries(skill)),
        document.metadata("version") or document.words("version"),
        document.metadata("category").strip(),
        _problem(skill),
    )
    return SkillText(shelved, document.body)


def _problem(skill: Skill) -> str:
    """Why a client could not use a skill; empty if it could."""
    document = skill.document
    assert document is not None
    if not document.readable:
        return "its SKILL.md cannot be read"
    return "" if document.words("description").strip() else "it has no description"
