"""The names that a shell completes: skills and open proposals."""

from collections.abc import Iterator
from pathlib import Path

from skillforge.library import Library
from skillforge.model import Proposal


def skill_names(start: Path) -> list[str]:
    """The skills of the checkout; in a bare repository, those of main."""
    library = Library.open(start)
    if library.repo is not None and library.repo.is_bare:
        return sorted(library.skill_trees(library.main))
    return [name for name, entry in library.folders().items() if entry.is_dir()]


def open_proposals(start: Path) -> Iterator[Proposal]:
    """The open proposals of this clone; GitHub is not asked for its own."""
    from skillforge.forge.local import LocalForge  # names of skills don't wait for it

    library = Library.open(start)
    forge = LocalForge(library.repository(), library.main, "")
    yield from forge.proposals(only_open=True)
