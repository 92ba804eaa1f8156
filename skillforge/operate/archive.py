"""Drafts that archive a skill, and restore one byte for byte."""

from skillforge.errors import ConflictError
from skillforge.library import Library, no_such_skill
from skillforge.model import ARCHIVE, Draft
from skillforge.operate.skill_edits import by_curator


def archived(
    library: Library, name: str, why: str, *, into: str = "", tip: str = ""
) -> Draft:
    """A draft that archives a skill of main; `into` is the skill that replaces it."""
    tree = library.skill_tree(tip or library.tip, name)
    return by_curator(Draft(name, archives=tree, absorbed_into=into), why)


def restored(library: Library, tip: str, name: str, why: str) -> Draft:
    """A draft that restores a skill from the archive: a rollback of its move."""
    repo = library.repository()
    archived = repo.find(library.archived_tree(tip, name) or "")
    if archived is None or archived.kind != "tree":
        hint = (
            f"git ls-tree --name-only {tip[:12]}:{ARCHIVE} lists archived skills; "
            f"skillforge rollback {name} restores a deleted one"
        )
        raise no_such_skill(name, (), "the archive", hint)
    if library.skill_tree(tip, name):
        raise ConflictError(
            f"{name} is in use and in the archive",
            hint=f"skillforge log {name} shows its history",
        )
    last = ("--first-parent", "--max-count=1", tip, "--", f"{ARCHIVE}/{name}")
    moved = tuple(commit.name for commit in repo.log(*last))
    restores = {name: archived.name}
    target = "from the archive"
    return Draft(name, restores=restores, reverts=moved, target=target, why=why)
