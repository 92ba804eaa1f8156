"""The error for a skill that is not in the library."""

from skillforge.errors import RequestError
from skillforge.history.lineage import successors
from skillforge.library import Library, no_such_skill
from skillforge.model import ARCHIVE


def require_skill(library: Library, commit: str, name: str) -> None:
    """Raise an error if a commit has no skill of this name."""
    if name not in library.skill_trees(commit):
        raise unknown_skill(library, commit, name)


def unknown_skill(library: Library, commit: str, name: str) -> RequestError:
    """The error for a skill that a commit doesn't have; its hint says what happened."""
    repo, known, hint = library.repository(), library.skill_trees(commit), ""
    if into := successors(repo, commit).get(name):
        hint = f"it was absorbed into {into}"
    elif name in repo.tree(f"{commit}:{ARCHIVE}"):
        hint = f"it is archived: skillforge curate --restore {name} --propose"
    return no_such_skill(name, () if hint else known, library.main, hint)
