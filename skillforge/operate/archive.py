"""Drafts that move a skill to the archive, and bring one back, byte for byte."""

from skillforge.errors import ConflictError, RequestError
from skillforge.library import Library
from skillforge.model import ARCHIVE, SKILLS, Draft
from skillforge.operate.skill_edits import curators
from skillforge.text import nearest


def archived(
    library: Library, name: str, why: str, *, into: str = "", tip: str = ""
) -> Draft:
    """A draft that archives a skill of main; `into` is what takes its place."""
    tree = library.repository().name_of(f"{tip or library.tip}:{SKILLS}/{name}")
    return curators(Draft(name, archives=tree, absorbed_into=into), why)


def restored(library: Library, tip: str, name: str, why: str) -> Draft:
    """A draft that brings a skill back from the archive: a rollback of its move."""
    repo = library.repository()
    known = repo.tree(f"{tip}:{ARCHIVE}")
    if name not in known or not known[name].is_tree:
        meant = nearest(name, list(known))
        raise RequestError(
            f"the archive holds no skill {name!r}",
            hint=f"did you mean {meant}?"
            if meant
            else f"git ls-tree --name-only {tip[:12]}:{ARCHIVE} lists what there is; "
            f"skillforge rollback {name} brings back what was removed",
        )
    if repo.name_of(f"{tip}:{SKILLS}/{name}"):
        raise ConflictError(
            f"{name} is in use, and in the archive as well",
            hint=f"skillforge log {name} tells how that came to be",
        )
    place = ("--first-parent", "--max-count=1", tip, "--", f"{ARCHIVE}/{name}")
    moved = tuple(commit.name for commit in repo.log(*place))
    restores = {name: known[name].object}
    target = "from the archive"
    return Draft(name, restores=restores, reverts=moved, target=target, why=why)
