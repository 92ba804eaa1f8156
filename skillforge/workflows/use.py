"""Hand a skill to a key: the folder of its version, and a note of who got which."""

from pathlib import Path
from typing import NamedTuple

from skillforge.library import Library
from skillforge.model import Assignment
from skillforge.operate import assignment, assignment_log, materialize


class HandedSkill(NamedTuple):
    """What a key got; without a path, this key gets no such skill now.

    `unwritten` tells why it could not be remembered for `record`, if so.
    """

    given: Assignment
    path: Path | None
    unwritten: str = ""


def hand(library: Library, name: str, key: str) -> HandedSkill:
    """The version of a skill that a key gets, laid out and checked against git."""
    given = assignment.assigned(library, name, key)
    path = None
    if given.version:
        path = materialize.cached(library.repository(), given.skill, given.version)
    return HandedSkill(given, path, assignment_log.remember(library, [given], key))
