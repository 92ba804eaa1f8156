"""Get the version of a skill that a key is assigned, and remember that it did."""

from pathlib import Path
from typing import NamedTuple

from skillforge.history import readable_version
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Assignment
from skillforge.operate import assignment, materialize


class AssignedSkill(NamedTuple):
    """The version of a skill that a key gets, in its folder; None if it gets none.

    `unwritten` is why `record` won't know the version.
    """

    assignment: Assignment
    path: Path | None
    unwritten: str = ""

    @property
    def readable_version(self) -> str:
        """`metadata.version` of the skill; empty if there is none."""
        skill_md = self.path / SKILL_FILE if self.path else None
        if skill_md is None or not skill_md.is_file():
            return ""
        return readable_version.of(skill_md.read_bytes())


def get(library: Library, name: str, key: str) -> AssignedSkill:
    """The version of a skill that a key gets, in a folder verified against git."""
    chosen = assign(library, name, key)
    path = None
    if chosen.version:
        path = materialize.cached_folder(
            library.repository(), chosen.skill, chosen.version
        )
    return AssignedSkill(chosen, path, assignment.remember(library, [chosen], key))


def assign(library: Library, name: str, key: str) -> Assignment:
    """The version of a skill that a key gets; nothing is written."""
    return assignment.assigned(library, name, key)
