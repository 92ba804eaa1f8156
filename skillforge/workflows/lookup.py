"""Find main as its forge has it, and explain what became of a missing skill."""

import os
from pathlib import Path

from skillforge.errors import ConflictError, RequestError
from skillforge.library import Library, no_such_skill
from skillforge.model import SKILL_FILE


def library_at(start: Path, forge: str = "", host: str = "") -> Library:
    """The library, with main as its forge has it; nothing is fetched.

    Without a remote, the forge isn't loaded: that is faster.
    """
    from skillforge.gitrepo import remote

    library = Library.open(start)
    if not (forge or host) and not remote.origin(library.repository())[1]:
        return library
    from skillforge.forge.registry import ForgeChoice
    from skillforge.propose.workspace import Workspace

    return Workspace(library, None, ForgeChoice(forge, host)).library


def full_name(start: Path, name: str) -> str:
    """The name of a skill that the user named by its path or its folder."""
    library = Library.find(start)
    is_short = (
        library is not None and "/" not in name and (library.root / ".git").exists()
    )
    if library is None or (is_short and library.checkout_layout.is_default):
        return name  # the usual case, without starting git
    if library.repo is None or not library.tip:
        return name
    path = os.path.realpath(name.removesuffix(f"/{SKILL_FILE}"))
    beside = os.path.relpath(path, os.path.realpath(library.root))
    return library.full_name(name, beside)


def unknown(library: Library, commit: str, name: str, *, is_now: bool) -> RequestError:
    """The error for a missing skill: what became of it, if main ever had it."""
    from skillforge.history import skill_history
    from skillforge.share import skill_view

    try:
        history = skill_history.why(library, name) if is_now else None
    except (ConflictError, RequestError):  # main never had it, or a shallow clone
        history = None
    if history is None:
        hint = "skillforge list shows all skills; skillforge search WORDS finds some"
        where = library.main if is_now else commit[:12]
        return no_such_skill(name, library.skill_trees(commit), where, hint)
    last = history.versions[-1].step.name or commit
    return skill_view.removed(name, history.became, last)
