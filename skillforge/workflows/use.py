"""Get the version of a skill that a key is assigned, and remember that it did."""

from pathlib import Path
from typing import NamedTuple

from skillforge.history import readable_version
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Assignment
from skillforge.operate import assignment, materialize


class HandedSkill(NamedTuple):
    """What a key got; without a path, this key gets no such skill now.

    `unwritten` is why the version could not be remembered for `record`.
    """

    given: Assignment
    path: Path | None
    unwritten: str = ""

    @property
    def readable_version(self) -> str:
        """`metadata.version` of the skill; empty if there is none."""
        skill_md = self.path / SKILL_FILE if self.path else None
        if skill_md is None or not skill_md.is_file():
            return ""
        return readable_version.of(skill_md.read_bytes())


def hand(library: Library, name: str, key: str) -> HandedSkill:
    """The version of a skill that a key gets, in a folder verified against git."""
    given = assignment.assigned(library, name, key)
    path = None
    if given.version:
        path = materialize.cached_folder(
            library.repository(), given.skill, given.version
        )
    return HandedSkill(given, path, assignment.remember(library, [given], key))
