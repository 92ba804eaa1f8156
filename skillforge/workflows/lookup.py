"""Look at skills of main: where main is, and what became of those that are gone."""

from pathlib import Path

from skillforge.errors import ConflictError, RequestError
from skillforge.library import Library, no_such_skill


def library_at(start: Path, forge: str = "", host: str = "") -> Library:
    """The library, with main as its forge has it; nothing is fetched."""
    from skillforge.gitrepo import remote

    library = Library.open(start)
    if not (forge or host) and not remote.origin(library.repository())[1]:
        return library  # as on one machine; that is not to wait for more
    from skillforge.forge.registry import ForgeChoice
    from skillforge.propose.workspace import Workspace

    return Workspace(library, None, ForgeChoice(forge, host)).library


def unknown(library: Library, commit: str, name: str, *, is_now: bool) -> RequestError:
    """What to say of a skill that is not there: what became of it, if main had it."""
    from skillforge.history import skill_history
    from skillforge.share import skill_view

    try:
        found = skill_history.why(library, name) if is_now else None
    except (ConflictError, RequestError):  # main never had it, or a shallow clone
        found = None
    if found is None:
        hint = "skillforge list shows all; skillforge search WORDS finds one"
        where = library.main if is_now else commit[:12]
        return no_such_skill(name, library.skill_trees(commit), where, hint)
    return skill_view.removed(
        name, found.became, found.versions[-1].step.name or commit
    )
