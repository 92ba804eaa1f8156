"""Drafts that change one part of a SKILL.md; every other byte stays the same."""

from collections.abc import Callable
from dataclasses import replace

from skillforge.checks import status_metadata
from skillforge.document import parse
from skillforge.errors import ConflictError
from skillforge.history.lineage import require_skill
from skillforge.library import Library
from skillforge.model import (
    SKILL_FILE,
    Document,
    Draft,
    FileKind,
    Origin,
    Skill,
)


def editable(skill: Skill) -> Document:
    """The SKILL.md of a skill that can be drafted; an error if it can't be."""
    for path, file in skill.files.items():
        if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
            raise ConflictError(
                f"{skill.path}/{path} is not a regular file, so it can't be in a draft",
                hint="first propose the skill with a copy of the file instead",
            )
    if skill.document is None or not skill.document.readable:
        raise ConflictError(
            f"{skill.path}/{SKILL_FILE} cannot be read",
            hint=f"fix it first: skillforge validate {skill.name} --fix",
        )
    return skill.document


def edited(
    library: Library, tip: str, name: str, change: Callable[[str], str]
) -> Draft | None:
    """A draft with a changed SKILL.md; None if the change does nothing."""
    require_skill(library, tip, name)
    skill = library.skill_at(tip, name)
    assert skill is not None
    before = editable(skill).text
    after = change(before)
    if after == before:
        return None
    files = library.files_at(tip, name)
    page = files[SKILL_FILE]._replace(data=after.encode())
    return Draft(name, files | {SKILL_FILE: page})


def pinned(library: Library, tip: str, name: str, *, is_wanted: bool) -> Draft | None:
    """A draft that pins or unpins a skill; None if it already is."""

    def change(text: str) -> str:
        if status_metadata.is_pinned(parse(text.encode())) == is_wanted:
            return text
        return status_metadata.marked(
            text, status_metadata.PINNED, "true" if is_wanted else ""
        )

    draft = edited(library, tip, name, change)
    target = "to pin it" if is_wanted else "to unpin it"
    return replace(draft, target=target) if draft else None


def by_curator(draft: Draft, why: str, target: str = "") -> Draft:
    """The same draft, with the curator as its origin; `target` ends its title."""
    return replace(draft, origin=Origin.CURATOR, why=why, target=target)
